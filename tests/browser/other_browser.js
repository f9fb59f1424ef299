// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The main tasks in Firefox, by keyboard and socket. WebRTC is tested elsewhere, because Firefox
// uses no loopback address for it.
const assert = require("node:assert/strict");
const { press, shows, type } = require("./console.js");
const { cells, one_named, put, table } = require("./console_glossaries.js");
const { hall } = require("./halls.js");
const { says, state, end } = require("./pages.js");
const { base, key } = require("./service.js");

async function pages_work_in_firefox(browser) {
	const event = await hall({ target_languages: ["es", "ar"] });
	const page = await (await browser.page()).open(`${base}/`);
	await page.until("document.getElementById('health').textContent === 'The service is well.'", 15);

	const reader = await (await browser.page()).open(event.link("language=ar"));
	await reader.until("!choice.hidden && !read.disabled", 15);
	await reader.ask("read.click()");
	await state(reader, "waiting", 20);
	const listener = await (await browser.page()).open(event.link("language=es"));
	await listener.until("!choice.hidden && !listen.disabled", 15);
	await listener.ask("listen.click()");
	const screen = await (await browser.page()).open(`${base}/screen/?e=${event.event.event_id}#l=es,en`);
	await screen.until("document.querySelectorAll('.board').length === 2", 15);

	const speaker = await (await browser.page()).open(event.speaker);
	await speaker.until("document.body.dataset.state === 'none'", 15);
	await speaker.ask("document.getElementById('start').click()");
	await state(speaker, "running", 30);
	await says(reader, "ar", 1, 30);
	assert.equal(await reader.ask("getComputedStyle(document.querySelector('#log [lang=ar]')).direction"), "rtl");
	await says(screen, "es", 1, 20);
	await says(screen, "en", 1, 20);
	await says(listener, "es", 1, 30);
	await listener.until("['socket', 'file', 'room'].includes(document.body.dataset.way)", 30, "a way for sound");
	await end(speaker);
	await state(reader, "break", 20);
	assert.equal(await reader.ask("document.getElementById('error').textContent"), "");
}

async function glossaries_and_voices_are_made_in_firefox(browser) {
	const page = await (await browser.page()).open(`${base}/console/`), name = `Firefox ${Date.now()}`;
	await page.until("document.querySelector('[name=key]')", 15);
	await type(page, "key", key);
	await press(page, "Sign in");
	await shows(page, "hours of one hall");
	await page.ask("location.hash = '#/glossaries/new'");
	await page.until("document.querySelector('#terms input')", 15);
	await type(page, "name", name);
	await put(page, 0, 0, "heart");
	await put(page, 0, 1, "Herz");
	await press(page, "Paste or import from a spreadsheet");
	await type(page, "pasted", "term;Begriff\n<b>;\"a \"\"b\"\"\"\n");
	await press(page, "Add to the table");
	assert.deepEqual(await cells(page), [["heart", "Herz"], ["<b>", "a \"b\""]]);
	await press(page, "Save");
	await shows(page, `Saved: ${name}`, 60);
	assert.equal(await table((await one_named(name)).glossary_id), "heart,Herz\n<b>,\"a \"\"b\"\"\"\n");

	await page.ask("location.hash = '#/voices'");
	await press(page, "New voice");
	await press(page, "Record");
	await page.until("document.querySelector('.record progress').value > 4", 60, "seconds of recording");
	await press(page, "Stop recording");
	await page.until("document.querySelector('audio') && document.querySelector('audio').duration > 3", 30, "what was recorded");
	await type(page, "name", name);
	await press(page, "Make the voice");
	await shows(page, "The recording has arrived.", 30);
	const card = `[...document.querySelectorAll("#voices > li")].find(e => e.innerText.includes(${JSON.stringify(name)}))`;
	await page.until(`/Ready|Could not be made/.test((${card} || {}).innerText)`, 60, "the voice of a tone");
}

// Cases of the console that use no feature of one browser and take seconds.
const ALSO = { console_agenda: ["an_agenda_is_made_and_changed_in_the_console", "an_agenda_changed_by_another_user_is_not_overwritten_in_the_console"],
	console_account: ["a_webhook_is_made_tried_and_deleted_in_the_console", "a_key_is_made_shown_once_and_revoked_in_the_console", "usage_is_shown_in_the_console"],
	console_event: ["requests_are_approved_and_declined_in_the_console", "an_events_numbers_are_in_the_console", "the_cost_of_an_event_is_forecast_in_the_console"],
	links: ["the_language_of_a_phone_is_found"],
	console_streams: ["an_output_of_a_hall_that_is_refused_is_told_at_its_field_and_stays"],
	console_imports: ["a_spreadsheet_is_imported_by_guesses_that_can_be_changed"],
	console_glossaries: ["a_glossary_that_is_saved_takes_the_place_of_the_old_one_in_halls_too"],
	console_voices: ["a_recording_without_speech_fails_in_words_in_the_console", "voices_and_glossaries_of_halls_are_chosen_in_the_console", "built_in_voices_are_found_in_the_console"],
	bad_days: ["a_revoked_key_loses_no_typed_text", "a_reason_stays_while_others_ask_for_the_same"] };

const also = Object.entries(ALSO).flatMap(([file, names]) => names.map(name => {
	const one = require(`./${file}.js`).cases.find(each => each.name === name);
	return Object.defineProperty(browser => one(browser), "name", { value: `${name}_in_firefox` });
}));

module.exports = { cases: [pages_work_in_firefox, glossaries_and_voices_are_made_in_firefox, ...also] };
