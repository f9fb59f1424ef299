// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// HTML written by strangers stays text on every screen of the console.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { enter, is_clean, make_event, press, shows, soon, type } = require("./console.js");
const { HOSTILE, stays_text } = require("./hostile.js");
const { say_words } = require("./halls.js");
const { says } = require("./pages.js");
const { base, new_account } = require("./service.js");

const [IMAGE, SCRIPT, SVG, CLOSING, FRAME, FOCUS, URL_OF_SCRIPT, , BRACES, ENTITIES, COMMENT, FORMULA, BIDI, ZERO] = HOSTILE;

// An account in which everything that can have a name has a hostile one.
async function hostile_account() {
	const account = new_account(IMAGE), { call } = account;
	const event = await make_event({ title: IMAGE, description: SCRIPT, location: SVG, transcript: "public", stages: [{ name: SCRIPT }, { name: BIDI }],
		sessions: [{ stage_index: 0, title: SVG, description: FRAME, utc_start_dt: soon(-1), utc_end_dt: soon(1), speakers: [{ name: COMMENT, title: BRACES }] },
			{ stage_index: 1, title: ENTITIES, utc_start_dt: soon(1), utc_end_dt: soon(2) }] }, account);
	const [hall] = await Promise.all(event.stages.map(({ stage_id }, i) => call("POST", "/saas/channel", { type: "event", event_id: event.event_id, stage_id,
		name: [CLOSING, FOCUS][i], source_language: "en", target_languages: ["es"] })));
	await make_event({ title: BIDI, utc_start_dt: soon(5), utc_end_dt: soon(6) }, account);
	await call("POST", `/saas/v2/event/public/${event.event_id}/requests`, { type: "add_language", payload: { language: "fr" } });
	const { glossary_id } = await call("POST", "/saas/glossary", { name: "Words", glossary_type: "translation", source_lang: "en", target_lang: "es" });
	await call("POST", "/saas/voice/clone", { name: "Anna", description: SCRIPT, samples: [{ filename: "sample.wav", display_name: SVG, mime_type: "audio/wav", lang_code: "en" }] });
	await call("POST", "/saas/key", { name: IMAGE, scopes: ["events:read"] });
	await call("POST", "/saas/webhook", { url: `https://example.org/?${encodeURIComponent(SCRIPT)}'onload='x`, events: ["*"] });
	return { account, event, hall, glossary_id };
}

// The hostile text is spoken in the hall, which is live.
async function is_said(browser, { call }, { event_id }, hall) {
	await say_words(browser, hall, HOSTILE);
	for (let i = 0; (await call("GET", `/saas/v2/event/${event_id}/transcript?language=es&page_size=100`)).items.length < 4; i++, await nap(200))
		assert.ok(i < 300, "the transcript has it");
	const speaker = await (await browser.page()).open(`${base}/speak/#${new URLSearchParams({ ws_url: hall.input.url, token: hall.input.token })}`);
	await speaker.until("document.body.dataset.state", 15);
	await speaker.click("start");
	await says(speaker, "es", 1, 30);
}

async function texts_of_strangers_stay_text_on_every_screen_of_the_console(browser) {
	const { account, event, hall, glossary_id } = await hostile_account(), page = await enter(browser, "", "", account);
	await is_said(browser, account, event, hall);
	const at = `#/event/${event.event_id}`, stages = [SCRIPT, BIDI], see = async (hash, texts) => {
		await page.ask(`location.hash = ${JSON.stringify(hash)}`);
		await stays_text(page, [...texts, IMAGE], hash); // all screens show the account's name
	};
	await see("#/home", [IMAGE, SCRIPT, BIDI]);
	await see(`${at}/halls`, [SCRIPT, BIDI, CLOSING, FOCUS]);
	await page.until("document.querySelector('.ear [lang=es]')?.textContent", 60, "a line of the hall");
	await see(`${at}/speech`, [CLOSING, FOCUS, ...stages]);
	await see(`${at}/requests`, [IMAGE]);
	await see(`${at}/agenda`, [SVG, ENTITIES, COMMENT, BRACES, ...stages]);
	await press(page, "Change", "document.querySelector('[data-session]')");
	await stays_text(page, [SVG, FRAME, COMMENT, BRACES], "a form of the agenda");
	await see(`${at}/numbers`, [IMAGE]);
	await see(`${at}/transcript`, [IMAGE]);
	await page.until("document.querySelector('[name=language]')", 15);
	await type(page, "language", "es");
	await stays_text(page, [IMAGE, SCRIPT], "lines");
	await press(page, "Correct", "document.querySelector('#lines')");
	await stays_text(page, [IMAGE, SCRIPT], "a line that is corrected");
	await type(page, "text", FRAME, "document.querySelector('#lines')");
	await press(page, "Save", "document.querySelector('#lines')");
	await shows(page, FRAME);
	await see("#/glossaries", ["Words"]);
	await page.ask(`location.hash = "#/glossaries/${glossary_id}"`);
	await press(page, "Paste or import from a spreadsheet");
	await type(page, "pasted", HOSTILE.map(text => `"${text.replace(/"/g, '""')}";"${text.replace(/"/g, '""')}"\n`).join(""));
	await stays_text(page, HOSTILE, "rows that are imported");
	await press(page, "Add to the table");
	await stays_text(page, HOSTILE, "a glossary");
	await see("#/voices", [SCRIPT]);
	await press(page, "Change", "document.querySelector('#voices')");
	await see("#/keys", [IMAGE]);
	await see("#/webhooks", ["example.org"]);
	await page.ask("location.hash = '#/usage'");
	await shows(page, IMAGE, 60);
	await stays_text(page, [IMAGE], "usage");
	await see("#/new", ["What attendees see"]);
	await type(page, "title", IMAGE);
	await type(page, "start", "2030-07-01T09:00");
	await type(page, "end", "2030-07-01T11:00");
	await type(page, "hall0", SCRIPT);
	await stays_text(page, [IMAGE, SCRIPT], "a new event");
	// Errors in which the service repeats the input.
	await page.ask(`location.hash = "#/event/" + encodeURIComponent(${JSON.stringify(IMAGE)})`);
	await page.until("document.querySelector('#view [role=alert]')", 15, "that there is none");
	await stays_text(page, [IMAGE], "an event that is not there");
	await see("#/developer", ["Requests of this page"]);
	await press(page, "Start the microphone");
	for (const text of HOSTILE)
		for (const message of [{ message_type: text, data: { [text]: text } }, { message_type: "tts_task", data: { text, language: text } }]) {
			await type(page, "message", JSON.stringify(message));
			await press(page, "Send");
		}
	await page.until("[...document.querySelectorAll('.messages .received pre')].length > 3", 30, "errors of the service");
	await stays_text(page, HOSTILE.slice(1, 4), "the stream to try");
	is_clean(page);
}

async function texts_of_strangers_stay_text_for_a_speaker_and_on_a_screen(browser) {
	const { event, hall } = await hostile_account(), at = { e: event.event_id, s: hall.stage_id };
	const screen = await (await browser.page()).open(`${base}/screen/?${new URLSearchParams(at)}#l=es,original&logo=javascript:window.pwned=1`);
	const speaker = await (await browser.page()).open(`${base}/speak/#${new URLSearchParams({ ws_url: hall.input.url, token: hall.input.token, ...at, from: IMAGE, to: SCRIPT })}`);
	await speaker.until(`document.getElementById("title").textContent.includes(${JSON.stringify(IMAGE)})`, 15, "the event's title");
	await stays_text(speaker, [IMAGE], "the speaker's page");
	await screen.until("document.querySelectorAll('.board').length === 2", 15);
	await say_words(browser, hall, HOSTILE.slice(0, 4));
	await says(screen, "es", 1, 30);
	await stays_text(screen, [], "the screen");
}

module.exports = { cases: [texts_of_strangers_stay_text_on_every_screen_of_the_console, texts_of_strangers_stay_text_for_a_speaker_and_on_a_screen] };
