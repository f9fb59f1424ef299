// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Ten tasks of a new account's users, done with the mouse and the keyboard by what the screen shows.
// Prints the clicks, fields and seconds of each: docs/pages.md.
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { mkdtempSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { nap } = require("./chromium.js");
const { enter, is_clean, shows } = require("./console.js");
const { be_phone } = require("./looks.js");
const { says } = require("./pages.js");
const { base, new_account } = require("./service.js");
const { User } = require("./user.js");

const TITLE = "Health Forum", TERMS = "world\tmundo\nconference\tcongreso\n";

async function user_of(browser, address, phone) {
	const page = await browser.page();
	if (phone)
		await be_phone(page);
	return new User(await page.open(address));
}

async function make_first_event(user) {
	await user.press("New event");
	await user.type("Title", TITLE);
	await user.type_time("Begins", new Date(Date.now() - 60000));
	await user.type("Hall 1", "Red hall");
	await user.press("Add a hall");
	await user.type("Hall 2", "Blue hall");
	await user.type("Find a language", "Spa");
	await user.key("Enter");
	await user.press("Create the event");
	await shows(user.page, "Waiting for the speaker");
	await user.press("Glossaries");
	await user.press("New glossary");
	await user.type("Name", "Words of the forum");
	await user.press("Paste or import from a spreadsheet");
	await user.type("Or paste rows here", TERMS);
	await shows(user.page, "Rows: 2.");
	await user.press("Save");
	await shows(user.page, "Saved: Words of the forum", 60);
	await shows(user.page, "English → Spanish"); // the language that the event has
}

async function make_second_event(user) {
	await user.press("New event");
	await user.press(TITLE, "Like before");
	await user.press("Save");
	await shows(user.page, "Saved.");
}

async function invite_colleague(user, browser) {
	if (user.page.size) // a phone
		await user.press("More");
	await user.press("Team");
	await user.type("Name", "Amira");
	await user.press("Invite");
	await user.page.until("document.querySelector('[name=link]')?.value", 15, "the link");
	const hers = await user_of(browser, await user.page.ask("document.querySelector('[name=link]').value"));
	await hers.press("Enter");
	await shows(hers.page, "Live now");
}

// Prints as the browser does, and reads the PDF: a page of A4 for each hall.
async function print_poster(user) {
	await user.press(TITLE);
	await user.press("Poster");
	await user.page.until("document.querySelectorAll('.code img').length === 2 && [...document.querySelectorAll('.code img')].every(e => e.naturalWidth > 0)", 20, "two posters");
	await user.page.ask("window.print = () => (window.printed = true)"); // the browser's own dialog cannot be driven
	await user.press("Print, or save as PDF");
	assert.ok(await user.page.ask("printed"));
	const { data } = await user.page.send("Page.printToPDF", { preferCSSPageSize: true, printBackground: true }), pdf = Buffer.from(data, "base64").toString("latin1");
	assert.equal(pdf.match(/\/Type \/Page\b/g).length, 2, "a sheet for each hall");
	const [, wide, tall] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf);
	assert.ok(Math.abs(wide - 595) < 2 && Math.abs(tall - 842) < 2, `${wide} x ${tall} is A4`);
	if (process.env.BROWSER_PICTURES)
		writeFileSync(join(process.env.BROWSER_PICTURES, "poster.pdf"), data, "base64");
	await user.press("Back to the event");
	await shows(user.page, "Red hall");
}

async function go_on_the_air(user, browser) {
	await user.press(TITLE);
	await user.press("Speaker link", "Red hall");
	await user.page.until("document.querySelector('.panel[open] [name=link]')?.value", 15, "the link");
	const talker = await user_of(browser, await user.page.ask("document.querySelector('.panel[open] [name=link]').value"), true);
	await talker.press("Check: say a sentence");
	await shows(talker.page, "This was understood:", 20);
	await talker.press("Go on air");
	await user.page.until("/Live/.test([...document.querySelectorAll('[data-channel]')].find(e => e.innerText.includes('Red hall')).querySelector('.light').innerText)", 30, "the live hall");
	return talker;
}

// An attendee types the digits that the poster shows.
async function listen_by_code(user, browser) {
	await user.press("Open");
	await user.page.until("document.querySelector('.join')", 15, "the code");
	const code = await user.page.ask("document.querySelector('.join').textContent"), reader = await user_of(browser, `${base}/`, true);
	await reader.type("Code of the event", code);
	await reader.press("Open");
	await reader.press("Red hall");
	await reader.press("Español");
	await reader.press("Listen");
	await says(reader.page, "es", 1, 30);
	return reader;
}

async function correct_a_line(user, reader) {
	await user.press("Open");
	await user.press("Transcript");
	await user.page.until("document.querySelector('#lines .text')", 30, "a line");
	await user.press("Correct");
	await user.type("Corrected line", "Good morning, Madrid");
	await user.press("Save", "Corrected line");
	await shows(user.page, "Good morning, Madrid");
	assert.ok(reader);
}

async function stop_and_resume(user) {
	await user.press("Open");
	await user.press("Stop this hall now", "Red hall");
	await shows(user.page, "The hall is stopped");
	await user.press("Resume", "Red hall");
	await shows(user.page, "The hall goes on.");
}

// The page follows what is booked.
async function read_usage(user) {
	await user.press("Usage");
	await user.page.until("parseFloat(document.querySelector('.tile .large')?.textContent) > 0", 60, "credits");
	await user.page.until(`[...document.querySelectorAll("tbody th")].some(e => e.textContent === ${JSON.stringify(TITLE)})`, 15, "the event");
}

// Opens the document with a word processor, where one is installed.
async function take_document(user, talker) {
	await talker.press("End");
	await talker.press("Finished");
	const folder = mkdtempSync(join(tmpdir(), "dragoman-tasks-"));
	await user.page.browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, browserContextId: user.page.browserContextId });
	await user.press(TITLE);
	await user.press("Transcript");
	await user.page.until("document.querySelector('#lines .text')", 30, "a line");
	await user.press("DOCX");
	for (let i = 0; !readdirSync(folder).some(name => name.endsWith(".docx")); i++, await nap(100))
		assert.ok(i < 150, "a file");
	const spent = user.spent(), [name] = readdirSync(folder), file = join(folder, name);
	assert.equal(readFileSync(file).subarray(0, 2).toString(), "PK");
	try {
		execFileSync("soffice", [`-env:UserInstallation=file://${folder}/office`, "--headless", "--convert-to", "txt:Text", "--outdir", folder, file], { stdio: "ignore", timeout: 120000 });
		assert.match(readFileSync(file.replace(/docx$/, "txt"), "utf8"), /Good morning, Madrid/);
	} catch (error) {
		if (error.code !== "ENOENT")
			throw error;
		console.log("browser: no LibreOffice: the document is not opened");
	}
	return spent;
}

async function do_tasks(browser, page) {
	const user = new User(page);
	await shows(page, "Live now");
	let talker, reader;
	const tasks = { "first event with two halls and a glossary": () => make_first_event(user), "a second event from the first": () => make_second_event(user), "a colleague is invited": () => invite_colleague(user, browser),
		"posters are printed": () => print_poster(user), "the speaker is on the air after a check": async () => (talker = await go_on_the_air(user, browser)), "an attendee listens by the code": async () => (reader = await listen_by_code(user, browser)),
		"a line is corrected": () => correct_a_line(user, reader), "a hall is stopped and resumed": () => stop_and_resume(user), "what it cost is read": () => read_usage(user), "DOCX of a finished hall": () => take_document(user, talker) };
	user.spent();
	for (const [name, run] of Object.entries(tasks)) {
		const others = () => [talker, reader].filter(Boolean).map(one => one.spent());
		await page.ask("location.hash = '#/home'"); // each begins at Home
		await page.until("document.querySelector('#acts a')?.textContent === 'New event' && document.querySelector('.two .rows') && !document.querySelector('#view').innerText.includes('…')", 15, "Home");
		user.spent();
		others();
		const found = await run(), mine = found && found.seconds ? found : user.spent(), all = [mine, ...others()];
		console.log(`browser: | ${name}${page.size ? ", on a phone" : ""} | ${all.reduce((sum, one) => sum + one.clicks, 0)} | ${all.reduce((sum, one) => sum + one.fields, 0)} | ${mine.seconds.toFixed(1)} |`);
		assert.ok(name !== "a second event from the first" || mine.clicks <= 3, `${mine.clicks} clicks`);
	}
	is_clean(page);
}

const new_page = browser => enter(browser, "", "", new_account(`Tasks ${Date.now()}`));

async function a_new_user_does_ten_tasks_by_what_the_screen_shows(browser) {
	await do_tasks(browser, await new_page(browser));
}

async function a_new_user_does_ten_tasks_on_a_phone(browser) {
	const page = await new_page(browser);
	await be_phone(page);
	await do_tasks(browser, page);
}

for (const one of [a_new_user_does_ten_tasks_by_what_the_screen_shows, a_new_user_does_ten_tasks_on_a_phone])
	one.most = 400000; // ms

module.exports = { cases: [a_new_user_does_ten_tasks_by_what_the_screen_shows, a_new_user_does_ten_tasks_on_a_phone] };
