"use strict";
// The main ways in Firefox, by the keyboard and the socket: its WebRTC uses no address of
// the loopback, which make browser tests elsewhere.
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

module.exports = { cases: [pages_work_in_firefox, glossaries_and_voices_are_made_in_firefox] };
