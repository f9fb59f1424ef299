// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Choice of the page's language, and links as chats and mails change them.
const assert = require("node:assert/strict");
const { hall } = require("./halls.js");
const { be_phone } = require("./looks.js");
const { base, call } = require("./service.js");

// The languages of a phone, the languages offered, and the expected choice, by the lookup of RFC
// 4647 with CLDR's parent locales and scripts.
const TABLE = [
	["nb-NO nb", "de no sv", "no"], ["nn-NO", "de no", "no"], ["no", "sv nb", "nb"], ["nb-NO", "nn no", "no"],
	["zh-TW zh", "zh-hans zh-hant", "zh-hant"], ["zh-CN", "zh-hant zh-hans", "zh-hans"], ["zh", "zh-hant zh-hans", "zh-hans"],
	["zh-HK", "zh-hans yue zh-hant", "zh-hant"], ["zh-HK", "zh-hans yue", "yue"], ["zh-Hant-HK", "zh-hans zh-tw", "zh-tw"],
	["zh-TW en", "en zh", "zh"], ["zh-TW en", "en zh-hans", "en"], ["zh-TW", "en zh-hans", "zh-hans"], ["yue-HK", "zh-hans zh-hant", "zh-hant"],
	["pt-PT pt", "pt-br pt", "pt"], ["pt-PT", "pt-br", "pt-br"], ["pt", "pt-pt pt-br", "pt-br"], ["pt-AO", "pt-br pt-pt", "pt-pt"],
	["iw-IL", "ar he", "he"], ["he", "ar iw", "iw"], ["in-ID", "it id", "id"], ["tl-PH", "en fil", "fil"], ["fil-PH", "en tl", "tl"],
	["sr-Latn-RS", "hr sr", "sr"], ["sr-Latn", "sr-cyrl sr-latn", "sr-latn"], ["sr", "sr-latn sr-cyrl", "sr-cyrl"],
	["es-419", "es es-mx", "es-mx"], ["es-419", "es es-la", "es-la"], ["es-AR", "es es-la", "es-la"], ["es-ES", "es-la es", "es"], ["es-ES", "es-la", "es-la"],
	["en-AU", "en-us en-gb", "en-gb"], ["en-US", "en-gb en-us", "en-us"], ["en", "en-gb en-us", "en-us"], ["en-AU de", "de en", "en"],
	["fr", "fr-ca fr", "fr"], ["fr-CA", "fr fr-ca", "fr-ca"], ["cs de", "fr de", "de"], ["cs", "fr de", undefined], ["de_AT", "en de", "de"],
	["x_!y de", "original de", "de"],
];

async function the_language_of_a_phone_is_found(browser) {
	const page = await (await browser.page()).open(`${base}/`);
	const found = await page.ask(`import(new URL("web/shared/i18n.js", location.href)).then(({ best_of }) => ${JSON.stringify(TABLE)}
		.map(([phone, there]) => best_of(there.split(" "), phone.split(" ")) || null))`);
	assert.deepEqual(found.map((one, i) => [...TABLE[i].slice(0, 2), one ?? undefined]), TABLE);
}

// The page's own texts, also for the language tags that Chinese and Portuguese phones send.
async function every_page_speaks_the_language_of_its_reader(browser) {
	for (const [languages, is] of [["zh-TW,en", "zh"], ["pt-PT,pt", "pt"], ["nb-NO,es-MX,en", "es"]])
		for (const at of ["", "console/", "listen/", "speak/", "screen/", "docs"]) {
			const page = await browser.page();
			await be_phone(page, { languages });
			await page.open(`${base}/${at}`);
			await page.until(`document.documentElement.lang === "${is}"`, 10, `${at} in ${is}`);
			await page.close();
		}
}

async function a_phones_language_is_chosen_at_the_door(browser) {
	const { link } = await hall({ target_languages: ["de", "pt-br"] });
	const page = await browser.page();
	await be_phone(page, { languages: "nb-NO,pt-PT" });
	await page.open(link());
	await page.until("!choice.hidden", 10, "the door");
	assert.equal(await page.ask("choice.elements.language.value"), "pt-br");
}

async function a_link_may_lack_its_slash_and_have_a_stop_behind_it(browser) {
	const { event } = await hall();
	for (const link of [`/listen?e=${event.event_id}`, `/listen?e=${event.event_id}&s=${event.stages[0].stage_id}).`,
		...[".", ",", ")", "]", "%3E", "%22", "%E2%80%9D", "%E3%80%82", "%20", "!", "?", "%C2%AD"].map(end => `/listen/?e=${event.event_id}${end}`),
		`/listen/?e=%E2%80%8B${event.event_id.slice(0, 9)}%C2%AD${event.event_id.slice(9)}`, `/listen/?e=%3C${event.event_id}%3E`, `/listen/#event=${event.event_id}.`]) {
		const page = await (await browser.page()).open(base + link);
		await page.until("title.textContent === 'Health Forum' && !choice.hidden", 10, link);
		assert.match(await page.ask("location.pathname"), /[/]listen[/]$/);
		await page.close();
	}
	const page = await (await browser.page()).open(`${base}/listen?e=${event.event_id}#language=es&ui=de`);
	assert.match(await page.ask("location.href"), /[/]listen[/][?]e=[-0-9a-f]+#language=es&ui=de$/);
	for (const [at, is] of [["/speak#to=es", "/speak/#to=es"], ["/console", "/console/"], [`/screen?e=${event.event_id}#l=es`, `/screen/?e=${event.event_id}#l=es`], ["/docs/?a=b", "/docs?a=b"]]) {
		await page.open(base + at);
		assert.ok((await page.ask("location.href")).startsWith(base + is), at);
	}
}

async function a_screen_without_an_event_says_so_and_is_quiet(browser) {
	const page = await (await browser.page()).open(`${base}/screen/`);
	await page.until("/the address lacks the event/.test(none.textContent)", 10, "words");
	await new Promise(done => setTimeout(done, 6000));
	assert.deepEqual(page.requests.filter(url => url.startsWith("ws")), []);
	const { event } = await hall();
	const other = await (await browser.page()).open(`${base}/screen/?e=${event.event_id}.#l=es&qr=1`);
	await other.until("qr.complete && qr.naturalWidth > 0 && document.querySelector('.board') && none.textContent === ''", 10, "its boards");
	for (const one of [page, other])
		assert.deepEqual(one.complaints, []);
}

// The accessible name of a button must contain its visible text (for screen readers and voice
// control).
async function the_text_of_a_button_is_in_its_name(browser) {
	const { link } = await hall();
	const page = await browser.page();
	await be_phone(page, { languages: "de" });
	await page.open(link());
	await page.until("!choice.hidden", 10, "the door");
	await page.click("listen");
	assert.deepEqual(await page.ask("[smaller, larger].map(one => [one.ariaLabel.includes(one.textContent), one.ariaLabel])"),
		[[true, "A− Kleinere Schrift"], [true, "A+ Größere Schrift"]]);
	await page.open(`${base}/`);
	await page.until("document.querySelector('#health a')", 10, "the link to health");
	assert.equal(await page.ask("document.querySelector('#health a').href"), `${base}/health`);
}

module.exports = { cases: [the_language_of_a_phone_is_found, every_page_speaks_the_language_of_its_reader, a_phones_language_is_chosen_at_the_door,
	a_link_may_lack_its_slash_and_have_a_stop_behind_it, a_screen_without_an_event_says_so_and_is_quiet, the_text_of_a_button_is_in_its_name] };
