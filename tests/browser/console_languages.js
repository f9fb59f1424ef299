// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: the engines of each language, and better models.
const assert = require("node:assert/strict");
const { enter, is_clean, press, shows, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { call } = require("./service.js");

const row_of = target => `document.querySelector('#targets [data-target="${target}"]')`;
const texts = (page, what) => page.ask(`[...document.querySelectorAll(${JSON.stringify(what)})].map(e => e.innerText)`);

async function languages_have_their_engines_and_better_models_in_the_console(browser) {
	const page = await enter(browser, "#/languages", "navigator.clipboard.writeText = async text => { window.copied = text; };");
	const { recognition, translation, speech } = await call("GET", "/languages/engines");
	await page.until(row_of("es"), 15);
	await shows(page, "Recognised by");
	assert.equal(await page.ask("document.querySelector('[name=source]').value"), "en");
	const targets = translation.filter(one => one.language === "en" && one.engine).map(one => one.target);
	assert.ok(targets.length > 3);
	assert.deepEqual(await page.ask("[...document.querySelectorAll('[data-target]')].map(e => e.dataset.target).sort()"), targets.sort());
	assert.ok((await page.ask(`${row_of("es")}.innerText`)).includes("Not measured"));
	const spoken = speech.find(one => one.language === "es");
	if (spoken.better)
		assert.ok((await page.ask(`${row_of("es")}.innerText`)).includes(`dragoman models get ${spoken.better}`));
	await press(page, "Play", row_of("es"));
	await page.until("performance.getEntriesByType('resource').some(one => one.name.endsWith('/languages/es/sample') && one.responseStatus === 200)", 15);
	await is_accessible(page);

	// Choose another spoken language as the keyboard does; the choice is kept in the page's
	// address.
	await type(page, "source", "de");
	await page.until("document.querySelector('#recognition h2').innerText === 'German'", 15);
	assert.equal(await page.ask("location.hash"), "#/languages/de");
	assert.ok(!await page.ask(row_of("de")), "nothing is translated into itself");

	// Languages without an engine are listed with the command that adds one.
	const missing = recognition.filter(one => !one.engine);
	assert.ok(missing.length > 10);
	await press(page, "Languages that models would add");
	assert.ok((await texts(page, ".missing p")).some(text => text.includes("Welsh")));
	await press(page, "Copy", "document.querySelector('.missing')");
	assert.equal(await page.ask("copied"), `dragoman models get ${missing[0].better}`);
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

async function the_quality_of_an_engine_is_shown_with_its_measure(browser) {
	const answer = { ok: true, data: {
		recognition: [{ language: "en", target: null, engine: "ear", kind: "whisper", model: null, via: null, quality: "good", measure: "words_wrong", measured: 3.1, better: null, better_mb: null, voice_id: null }],
		translation: [{ language: "en", target: "es", engine: "apertium", kind: "apertium", model: null, via: "fr", quality: "poor", measure: "words_wrong", measured: 30, better: "firefox-en-es", better_mb: 20, voice_id: null }],
		speech: [{ language: "es", target: null, engine: "espeak", kind: "espeak", model: null, via: null, quality: "fair", measure: "60 sentences", measured: null, better: "piper-es", better_mb: 64, voice_id: null }] } };
	const page = await enter(browser, "#/languages", `(real => { window.fetch = (url, wish) => String(url).endsWith("/languages/engines") ?
		Promise.resolve(new Response(${JSON.stringify(JSON.stringify(answer))}, { headers: { "Content-Type": "application/json" } })) : real(url, wish); })(window.fetch);`);
	await page.until(row_of("es"), 15);
	assert.deepEqual(await texts(page, ".pill"), ["Good", "Poor", "Fair"]);
	const recognition = await page.ask("document.getElementById('recognition').innerText"), row = await page.ask(`${row_of("es")}.innerText`);
	assert.ok(recognition.includes("3.1 % of words wrong") && !recognition.includes("dragoman models"), recognition);
	assert.ok(row.includes("through French") && row.includes("60 sentences") && row.includes("dragoman models get firefox-en-es piper-es"), row);
	await is_accessible(page);
	is_clean(page);
}

module.exports = { cases: [languages_have_their_engines_and_better_models_in_the_console, the_quality_of_an_engine_is_shown_with_its_measure] };
