// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// A day of an organiser without a shell, from the operator's link to the costs of the event.  The
// test keeps a picture of each screen.  BROWSER_BASE can name any service that speaks English and
// Spanish; BROWSER_LINK signs in.  Steps that wait for workers may take a minute or more.
const assert = require("node:assert/strict");
const { mkdirSync } = require("node:fs");
const { join } = require("node:path");
const { nap } = require("./chromium.js");
const { is_clean: console_is_clean, press, shows, type } = require("./console.js");
const { ear } = require("./ear.js");
const { be_phone } = require("./looks.js");
const { says, state, end, is_clean } = require("./pages.js");
const { base, dragoman } = require("./service.js");

const pictures = process.env.BROWSER_WALK;

// The UTC time so many hours from now, in the format of a form field.
const clock = hours => new Date(Date.now() + hours * 3600000).toISOString().slice(0, 16);

async function keep(page, name) {
	mkdirSync(pictures, { recursive: true });
	await page.picture(join(pictures, `${name}.png`));
}

// Returns the text of the file that the page offers for download.
const taking = page => page.ask("(real => { URL.createObjectURL = blob => (window.taken = blob, real(blob)); })(URL.createObjectURL.bind(URL))");

function link_of_operator() {
	const { user_id } = JSON.parse(dragoman("account", "add", "--name", "Forum", "--json"));
	return dragoman("account", "link", "--account", user_id);
}

async function sign_in(browser) {
	const page = await (await browser.page()).open(process.env.BROWSER_LINK || link_of_operator(), ear);
	await press(page, "Enter");
	await shows(page, "hours of one hall");
	await keep(page, "01-home");
	return page;
}

const VOICE = "Voice of the forum";
const voice_card = `[...document.querySelectorAll("#voices > li")].find(e => e.querySelector("h2").innerText === ${JSON.stringify(VOICE)})`;

// Records half a minute of the microphone.
async function record_voice(page) {
	await press(page, "Voices");
	await press(page, "New voice");
	await press(page, "Record");
	await page.until("document.querySelector('.record progress').value > 10", 60, "seconds of recording");
	await keep(page, "02-voice");
	await page.until("document.querySelector('audio') && document.querySelector('audio').duration > 30", 60, "what was recorded");
	for (const [name, value] of [["name", VOICE], ["lang_code", "en-us"], ["gender", "Female"]])
		await type(page, name, value);
	await press(page, "Make the voice");
	await shows(page, "The recording has arrived.", 60);
}

async function play_voice(page) {
	await press(page, "Voices");
	await page.until(`(${voice_card})?.innerText.includes("Ready") && (${voice_card}).querySelector(".play")`, 200, "the voice to be ready");
	await press(page, "Play", `(${voice_card})`);
	await page.until(`(${voice_card}).querySelector(".play[aria-pressed=true]")`, 30, "it to play");
	await keep(page, "08-voice-ready");
}

// A glossary as Excel on Windows saves it.  Some of its terms are in the script engine's texts,
// others in the recording.
const TERMS = Buffer.from("English;Spanish\r\nworld;p\xfablico\r\nconference;p\xfablico\r\n", "latin1");

async function import_glossary(page) {
	await press(page, "Glossaries");
	await press(page, "New glossary");
	await page.until("document.querySelector('#terms input')", 15);
	await type(page, "name", "Words of the forum");
	await type(page, "target_lang", "es");
	await page.ask("document.querySelector('details').open = true");
	await page.ask(`(e => { const data = new DataTransfer();
		data.items.add(new File([new Uint8Array(${JSON.stringify([...TERMS])})], "terms.csv"));
		e.files = data.files; e.dispatchEvent(new Event("change", { bubbles: true })); })(document.querySelector("[type=file]"))`);
	await page.until("document.querySelectorAll('#preview tr').length === 2", 15, "two rows without the heading");
	await keep(page, "03-glossary");
	await press(page, "Add to the table");
	await press(page, "Save");
	await shows(page, "Saved: Words of the forum", 200);
}

async function make_event(page) {
	await press(page, "Events");
	await press(page, "New event");
	await page.until("document.querySelector('[name=title]')", 15);
	for (const [name, value] of [["title", "Health Forum"], ["timezone", "UTC"], ["start", clock(-1)], ["end", clock(3)], ["location", "Madrid"], ["hall0", "Red hall"]])
		await type(page, name, value);
	await press(page, "Add a hall");
	await type(page, "hall1", "Blue hall");
	const listed = "[...document.querySelectorAll('[role=option]:not([aria-disabled])')].map(e => e.dataset.code)";
	await page.ask("document.querySelector('[name=target]').focus()");
	const there = await page.until(`${listed}.length && ${listed}`, 15, "languages");
	const chosen = ["es", "de", "fr", ...there.filter(code => !/^(en|es|de|fr)/.test(code))].filter(code => there.includes(code)).slice(0, 3);
	assert.ok(chosen.includes("es"), `Spanish is among ${there}`);
	for (const code of chosen)
		await page.ask(`document.querySelector('[role=option][data-code="${code}"]').click()`);
	await shows(page, "640"); // credits: four hours of two halls, 80 each
	await keep(page, "04-new-event");
	await press(page, "Create the event");
	await page.until("document.querySelectorAll('[data-channel] .waiting').length === 2 || document.querySelectorAll('[data-channel].waiting').length === 2", 60, "two halls that wait");
	await keep(page, "07-halls");
}

const red_hall = "[...document.querySelectorAll('[data-channel]')].find(e => e.querySelector('h2').textContent.includes('Red'))";

async function keep_transcript(page) {
	await press(page, "Transcript");
	await page.until("document.querySelector('[name=transcript]')?.value === 'organizer'", 15, "that it is kept");
}

async function print_posters(browser, page) {
	const link = await page.ask("[...document.querySelectorAll('a')].find(e => e.textContent === 'Poster').href"), posters = await (await browser.page()).open(link);
	await posters.until("document.querySelectorAll('.code img').length === 2 && [...document.querySelectorAll('.code img')].every(e => e.naturalWidth > 0)", 20, "two QR codes");
	await posters.send("Emulation.setEmulatedMedia", { media: "print" });
	await keep(posters, "09-poster");
	await posters.close();
}

async function links_of_hall(page) {
	await press(page, "Halls");
	await page.until(`!!${red_hall}`, 15, "the red hall");
	await press(page, "Speaker link", red_hall);
	await press(page, "Screen", red_hall);
	await page.until(`["/s/", "/screen/"].every(one => [...${red_hall}.querySelectorAll('[readonly]')].some(e => e.value.includes(one)))`, 15, "the links");
	const links = await page.ask(`[...${red_hall}.querySelectorAll('[readonly]')].map(e => e.value)`);
	return [/\/s\//, /\/screen\//, /\/\d{6}\?s=/].map(which => links.find(one => which.test(one)));
}

async function speak_and_hear(browser, { speaker, screen, listen }) {
	const phone = await browser.page();
	await be_phone(phone, { languages: "es-ES,es" });
	await phone.open(listen, ear);
	await phone.until("!choice.hidden && !document.getElementById('listen').disabled", 15, "the door");
	await phone.click("listen");
	const hall = await browser.page();
	await hall.send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false });
	await hall.open(screen);
	const talker = await (await browser.page()).open(speaker);
	await talker.until("document.body.dataset.state === 'none'", 15, "the speaker's page");
	await talker.click("start");
	await Promise.all([says(phone, "es", 2, 60), says(hall, "es", 1, 60)]);
	await shows(phone, "público", 60); // translated by the glossary
	await state(phone, "live");
	for (const [page, name] of [[talker, "10-speaker"], [phone, "11-phone"], [hall, "12-screen"]])
		await keep(page, name);
	return { phone, hall, talker };
}

async function choose_voice(page) {
	await press(page, "Voices and glossaries");
	await page.until(`!!${red_hall}`, 20, "the red hall");
	await page.ask(`(e => { e.value = [...e.options].find(one => one.text.includes(${JSON.stringify(VOICE)})).value; e.dispatchEvent(new Event("change", { bubbles: true })); })
		(${red_hall}.querySelector("[data-language=es]"))`);
	await press(page, "Save", red_hall);
	await shows(page, "Saved. Halls: 1");
	await keep(page, "13-voice-of-hall");
}

// The pitch that the phone receives, in Hz.  A busy machine loses frames while it records.
const hears = phone => phone.ask("pitch_of(audio.srcObject && audio.srcObject.getTracks()[0])");

// A live hall changes from the default voice (a man) to the voice of the recording (a woman).
async function change_voice(page, phone) {
	const usual = await hears(phone);
	await choose_voice(page);
	for (let i = 0, heard = []; ; i++) {
		heard.push(await hears(phone));
		if (heard[i] > 1.3 * usual)
			return console.log(`browser: in place of a voice of ${Math.round(usual)} Hz one of ${Math.round(heard[i])} Hz is heard`);
		assert.ok(i < 15, `${usual} Hz, and then: ${heard} Hz`);
		await nap(1000);
	}
}

async function correct_a_line(page, phone) {
	await press(page, "Transcript");
	await page.until("document.querySelector('[name=language]')", 15);
	await type(page, "language", "es");
	await page.until("!!document.querySelector('#lines [lang=es]')", 15, "a line");
	await press(page, "Correct", "document.querySelector('#lines li')");
	await type(page, "text", "Hola a todos");
	await press(page, "Save", "document.querySelector('#lines li')");
	await shows(page, "Hola a todos");
	await shows(phone, "Hola a todos");
	await keep(page, "14-transcript");
}

async function take_subtitles(page) {
	await taking(page);
	await press(page, "SRT");
	await page.until("!!window.taken", 15, "subtitles");
	assert.match(await page.ask("window.taken.text()"), /^1\r?\n00:[\s\S]*Hola a todos/);
}

async function see_listeners(page) {
	await press(page, "Halls");
	await page.until(`${red_hall}?.querySelector('.listeners').textContent.includes('Listen now: 1')`, 20, "a listener in the hall");
	await keep(page, "15-live");
	await press(page, "Numbers");
	await page.until("document.querySelector('.tiles .large')?.textContent === '1'", 20, "a participant");
	await keep(page, "16-numbers");
}

async function learn_the_cost(page) {
	await press(page, "Usage");
	await page.until("[...document.querySelectorAll('tbody td:nth-last-child(2)')].some(e => Number(e.textContent) > 0)", 60, "credits");
	await keep(page, "17-usage");
}

async function an_organiser_walks_from_the_link_to_the_bill(browser) {
	const page = await sign_in(browser);
	await record_voice(page);
	await import_glossary(page);
	await make_event(page);
	const event = await page.ask("location.hash");
	await play_voice(page);
	await page.ask(`location.hash = ${JSON.stringify(event)}`);
	await keep_transcript(page);
	await print_posters(browser, page);
	const [speaker, screen, listen] = await links_of_hall(page);
	assert.ok([listen, speaker, screen].every(link => link.startsWith(`${base}/`)));
	const pages = await speak_and_hear(browser, { speaker, screen, listen });
	await change_voice(page, pages.phone);
	await correct_a_line(page, pages.phone);
	await take_subtitles(page);
	await see_listeners(page);
	await end(pages.talker);
	await learn_the_cost(page);
	console_is_clean(page);
	for (const one of Object.values(pages))
		is_clean(one);
}

an_organiser_walks_from_the_link_to_the_bill.most = 900000; // ms; workers also serve other cases

module.exports = { cases: [an_organiser_walks_from_the_link_to_the_bill] };
