// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: the stream test and the commands for developers.
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { nap } = require("./chromium.js");
const { enter, is_clean, make_event, press, shows, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call, key } = require("./service.js");

const types = "[...document.querySelectorAll('.messages summary')].map(e => e.textContent.replace(/^\\S+ (AM |PM )?/, ''))";

async function a_stream_is_tried_in_the_console(browser) {
	const page = await enter(browser, "#/developer");
	await page.until("document.querySelector('[name=where]')", 15);
	await is_accessible(page);
	await press(page, "Start the microphone");
	await page.until(`${types}.some(e => /received.*translated_transcription/.test(e))`, 40, "a translation");
	const all = await page.ask(types);
	assert.ok(all.some(one => /sent input_audio_data/.test(one)), all.join());
	assert.ok(all.some(one => /sent set_task/.test(one)), all.join());
	assert.match(await page.ask("[...document.querySelectorAll('.messages pre')].map(e => e.textContent).find(e => e.includes('input_audio_data'))"), /"data": "<[\d,]+ bytes>"/);
	assert.ok(await page.ask("document.querySelector('.messages').innerText.length") < 100000);
	await type(page, "message", '{"message_type":"tts_task","data":{"text":"<b>typed</b>","language":"en","translate_text":true}}');
	await press(page, "Send");
	await page.until("[...document.querySelectorAll('.messages pre')].some(e => e.textContent.includes('[es] <b>typed</b>'))", 30, "what was typed");
	await type(page, "message", "not JSON");
	await press(page, "Send");
	await shows(page, "This is not JSON.");
	// The page keeps the latest 200 messages.
	await type(page, "message", '{"message_type":"get_task"}');
	await page.ask("(f => { for (let i = 0; i < 120; i++) f.requestSubmit(); })(document.querySelector('[name=message]').form)");
	await page.until("document.querySelectorAll('.messages li').length === 200", 15, "the list to be full");
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	await press(page, "End");
	await page.until("[...document.querySelectorAll('.messages .closed')].length === 1", 60, "the end");
	await page.until("document.querySelector('[name=where]').checkVisibility()", 15, "to begin anew");
	assert.deepEqual((await page.ask(types)).filter(one => /eos|closed/.test(one)).length, 2);
	is_clean(page);
}

async function a_hall_is_spoken_to_from_the_console(browser) {
	const { event_id } = await make_event(), name = `Try ${Date.now()}`;
	const { channel_id } = await call("POST", "/saas/channel", { type: "event", event_id, name, source_language: "en", target_languages: ["de"] });
	const page = await enter(browser, "#/developer");
	await page.until("document.querySelector('[name=where]')", 15);
	await type(page, "where", channel_id);
	await press(page, "Start the microphone");
	await page.until("[...document.querySelectorAll('.messages pre')].some(e => e.textContent.includes('\"text\": \"[de] '))", 40, "a translation of the hall");
	for (let i = 0; i < 300 && (await call("GET", `/saas/channel/${channel_id}`)).runtime_status !== "active"; i++)
		await nap(200);
	const other = await enter(browser, "#/developer");
	await other.until(`[...document.querySelectorAll("[name=where] option")].some(e => e.disabled && e.textContent === "${name} (a speaker is there)")`, 30, "the hall to be taken");
	await page.ask("location.hash = '#/home'");
	for (const one of [page, other])
		is_clean(one);
}

async function requests_of_the_console_are_commands(browser) {
	const { event_id } = await make_event(), reason = "It's \"no\" $HOME `date`";
	const { request_id } = await call("POST", `/saas/v2/event/public/${event_id}/requests`, { type: "add_language", payload: { language: "fr" } });
	const page = await enter(browser, `#/event/${event_id}/requests`);
	await shows(page, "Asked for by: 1");
	await type(page, "reason", reason);
	await press(page, "Decline");
	await shows(page, "Declined.");
	await page.ask("location.hash = '#/developer'");
	const at = "[...document.querySelectorAll('#sent pre')].map(e => e.textContent)";
	await page.until(`${at}.some(e => e.includes('/reject'))`, 15, "the request");
	const commands = await page.ask(at);
	const token = await page.ask("sessionStorage.getItem('token')");
	assert.ok(commands.every(one => !one.includes(token) && one.includes("$TOKEN")), commands.join("\n"));
	const run = command => JSON.parse(execFileSync("sh", ["-c", command], { env: { ...process.env, TOKEN: key } }).toString());
	const declined = run(commands.find(one => one.includes("/reject")));
	assert.deepEqual([declined.data.request_id, declined.data.status], [request_id, "rejected"]);
	assert.equal(run(commands.find(one => one.endsWith(`/saas/v2/event/${event_id}'`))).data.event_id, event_id);
	assert.ok(commands.find(one => one.includes("/reject")).includes(`It'\\''s`));
	assert.ok(commands.length <= 50);
	await press(page, "Copy", "document.querySelector('#sent')");
	await shows(page, "Copied.");
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	assert.ok(commands.every(one => one.includes(base)));
	is_clean(page);
}

module.exports = { cases: [a_stream_is_tried_in_the_console, a_hall_is_spoken_to_from_the_console, requests_of_the_console_are_commands] };
