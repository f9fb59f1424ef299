"use strict";
// The main ways in Firefox, by the keyboard and the socket: its WebRTC uses no address of
// the loopback, which make browser tests elsewhere.
const assert = require("node:assert/strict");
const { hall } = require("./halls.js");
const { says, state, end } = require("./pages.js");
const { base } = require("./service.js");

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

module.exports = { cases: [pages_work_in_firefox] };
