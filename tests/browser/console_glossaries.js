// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: glossaries that are typed, and saved in place of another.
const assert = require("node:assert/strict");
const { enter, is_clean, press, shows, type } = require("./console.js");
const { HOSTILE } = require("./hostile.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call, key } = require("./service.js");

const table = async id => (await fetch(`${base}/saas/glossary/${id}/upload`, { headers: { Authorization: `Bearer ${key}` } })).text();

const named = async name => {
	const found = [];
	for (let token = ""; token !== null;) {
		const { items, next } = await call("GET", `/saas/glossaries${token && `?token=${token}`}`);
		found.push(...items.filter(one => one.name === name));
		token = next;
	}
	return found;
};

async function one_named(name, fits = () => true) {
	for (let i = 0; i < 600; i++) {
		const found = await named(name);
		if (found.length === 1 && fits(found[0]))
			return found[0];
		await new Promise(done => setTimeout(done, 200));
	}
	assert.fail(`one glossary ${name}: ${JSON.stringify(await named(name))}`);
}

const cells = page => page.ask("[...document.querySelectorAll('#terms tr')].map(e => [...e.querySelectorAll('input[name=term]')].map(e => e.value))");

const put = (page, row, column, value) => page.ask(`(e => { e.focus(); e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event("input", { bubbles: true })); })
	(document.querySelectorAll("#terms tr")[${row}].querySelectorAll("input")[${column}])`);

const paste = (page, row, column, text) => page.ask(`(e => { const data = new DataTransfer(); data.setData("text/plain", ${JSON.stringify(text)});
	e.focus(); e.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); })
	(document.querySelectorAll("#terms tr")[${row}].querySelectorAll("input")[${column}])`);

// Opens a glossary, or the form of a new one.
async function open_table(browser, id = "new") {
	const page = await enter(browser, `#/glossaries/${id}`);
	await page.until("document.querySelector('#terms input')", 15, "the table");
	return page;
}

async function open_new(browser, name) {
	const page = await enter(browser, "#/glossaries");
	await press(page, "New glossary");
	await page.until("document.querySelector('#terms input')", 15, "the table");
	await type(page, "name", name);
	return page;
}

const open_import = page => page.ask("document.querySelector('details').open = true");

async function upload(id, data, name = "a.csv") {
	const body = new FormData();
	body.append("file", new Blob([data], name.endsWith("csv") ? { type: "text/csv" } : {}), name);
	assert.ok((await fetch(`${base}/saas/glossary/${id}/upload`, { method: "POST", headers: { Authorization: `Bearer ${key}` }, body })).ok);
}

async function a_glossary_is_typed_pasted_and_saved_in_the_console(browser) {
	const name = `Summit ${Date.now()}`, page = await open_new(browser, name);
	const { GlossarySource: sources } = (await (await fetch(`${base}/openapi.json`)).json()).components.schemas;
	assert.deepEqual(await page.ask("[...document.querySelectorAll('[name=source_lang] option')].map(e => e.value).sort()"), [...sources.enum].sort());
	await put(page, 0, 0, "good day");
	await put(page, 0, 1, "Grüß Gott");
	await paste(page, 0, 0, "heart\tHerz\r\nheart\tKern\r\n\"a, \"\"b\"\"\"\tc\r\n");
	assert.deepEqual(await cells(page), [["heart", "Herz"], ["heart", "Kern"], ["a, \"b\"", "c"]]);
	await press(page, "Undo");
	assert.deepEqual(await cells(page), [["good day", "Grüß Gott"]]);
	await press(page, "Add a row");
	await paste(page, 1, 0, "heart\tHerz\r\nheart\tKern\r\n\"a, \"\"b\"\"\"\tc\r\n");
	await shows(page, "Is in row 2 already");
	await is_accessible(page);
	await press(page, "Save");
	await shows(page, "Some rows have faults");
	assert.deepEqual(await cells(page), [["heart", "Kern"]], "the faulty row alone");
	assert.deepEqual(await named(name), []);
	await put(page, 0, 0, HOSTILE[1]);
	await page.until("document.querySelector('#terms [aria-invalid=true]') === null", 15, "the row to be good");
	await press(page, "Save");
	await page.until("location.hash === '#/glossaries'", 60, "the list");
	await shows(page, `Saved: ${name}`);
	const made = await one_named(name);
	assert.deepEqual([made.entries_status, made.entries_count, made.is_enabled], ["ready", 4, true]);
	assert.equal(await table(made.glossary_id), `good day,Grüß Gott\nheart,Herz\n${HOSTILE[1]},Kern\n"a, ""b""",c\n`);
	is_clean(page);
}

async function make(name, csv, more = {}) {
	const { glossary_id } = await call("POST", "/saas/glossary", { name, glossary_type: "translation", source_lang: "en", target_lang: "de", ...more });
	await upload(glossary_id, csv);
	return one_named(name, one => one.entries_status === "ready");
}

async function a_glossary_that_is_saved_takes_the_place_of_the_old_one_in_halls_too(browser) {
	const name = `Replaced ${Date.now()}`, old = await make(name, "heart,Herz\n");
	const channel = await call("POST", "/saas/channel", { type: "standalone", name: "Hall", source_language: "en", target_languages: ["de"],
		translation_pipeline: { translations: [{ target_language: "de", allowed_translation_glossary_ids: [old.glossary_id] }] } });
	const page = await open_table(browser, old.glossary_id);
	assert.deepEqual(await cells(page), [["heart", "Herz"]]);
	await put(page, 0, 1, "Kern");
	await press(page, "Save");
	await shows(page, `Saved: ${name}`, 60);
	const now = await one_named(name);
	assert.notEqual(now.glossary_id, old.glossary_id);
	assert.equal(await table(now.glossary_id), "heart,Kern\n");
	const { translation_pipeline: { translations } } = await call("GET", `/saas/channel/${channel.channel_id}`);
	assert.deepEqual(translations[0].allowed_translation_glossary_ids, [now.glossary_id]);
	// Renaming a glossary sends only the name.
	await page.ask(`location.hash = "#/glossaries/${now.glossary_id}"`);
	await page.until("document.querySelector('[name=name]')", 15);
	await type(page, "name", `${name} b`);
	await press(page, "Save");
	await shows(page, `Saved: ${name} b`, 60);
	assert.equal((await one_named(`${name} b`)).glossary_id, now.glossary_id);
	// Another user's change must not be overwritten without a warning.
	await page.ask(`location.hash = "#/glossaries/${now.glossary_id}"`);
	await page.until("document.querySelector('[name=name]')", 15);
	await call("POST", `/saas/glossary/${now.glossary_id}`, { name: `${name} c` });
	await put(page, 0, 1, "Mitte");
	await press(page, "Save");
	await shows(page, "Another user changed it meanwhile");
	assert.equal(await table(now.glossary_id), "heart,Kern\n");
	assert.deepEqual(await cells(page), [["heart", "Mitte"]]);
	await call("DELETE", `/saas/channel/${channel.channel_id}`);
	is_clean(page);
}

// Cuts requests of this kind: the service receives the n-th one, but its answer is lost; later ones
// are not sent.
const cut_after = (method, path) => `(real => { let cut = false; window.fetch = async (...args) => {
	if (cut) throw new TypeError("cut");
	const answer = await real(...args);
	if ((args[1] || {}).method === ${JSON.stringify(method)} && ${path}.test(args[0])) { cut = true; throw new TypeError("lost"); }
	return answer; }; window.mend = () => { cut = false; window.fetch = real; }; })(window.fetch);`;

const STEPS = [["POST", "/saas.glossary$/"], ["POST", "/upload$/"], ["DELETE", "/saas.glossary/"]];

// Changes a glossary and saves it; the connection is cut at this step.
async function break_off(browser, name, [method, path]) {
	const { glossary_id } = await make(name, "heart,Herz\n"), page = await open_table(browser, glossary_id);
	await put(page, 0, 1, "Kern");
	await page.ask(cut_after(method, path));
	await press(page, "Save");
	await page.until("!offline.hidden", 60, "the lost connection");
	return page;
}

async function nothing_is_lost_where_saving_a_glossary_breaks_off_and_the_page_goes_on(browser) {
	for (const step of STEPS) {
		const name = `Broken ${Date.now()}`, page = await break_off(browser, name, step);
		await shows(page, "The service cannot be reached.");
		assert.deepEqual(await cells(page), [["heart", "Kern"]]);
		await page.ask("mend()");
		await press(page, "Save");
		await page.until(`location.hash === "#/glossaries" || /Another user/.test(document.body.innerText)`, 60, "saved");
		assert.equal(await table((await one_named(name)).glossary_id), "heart,Kern\n", `${step}`);
	}
}

async function nothing_is_lost_where_a_page_dies_while_it_saves_a_glossary(browser) {
	for (const step of STEPS) {
		const name = `Dead ${Date.now()}`, page = await break_off(browser, name, step);
		assert.ok((await named(name)).every(one => one.entries_status === "ready" || !one.is_enabled), "no half of it serves");
		await page.send("Page.reload");
		await page.until("document.querySelector('#terms input')", 15);
		if (step !== STEPS[2]) {
			await shows(page, "Your earlier input is here.");
			assert.deepEqual(await cells(page), [["heart", "Kern"]]);
		}
		if (step === STEPS[0])
			await press(page, "Save"); // only the browser tab knew about the rows
		else
			await page.ask("location.hash = '#/glossaries'");
		const { glossary_id } = await one_named(name, one => one.entries_status === "ready" && one.is_enabled);
		assert.equal(await table(glossary_id), "heart,Kern\n", `${step}`);
	}
}

async function rows_of_a_preview_are_saved_though_they_were_not_added(browser) {
	const name = `Pasted ${Date.now()}`, page = await open_new(browser, name);
	await put(page, 0, 0, "heart");
	await put(page, 0, 1, "Herz");
	await open_import(page);
	await type(page, "pasted", "brain\tHirn\n");
	await page.until("document.querySelectorAll('#preview tr').length === 1", 15, "a row");
	await press(page, "Save");
	const { glossary_id } = await one_named(name, one => one.entries_status === "ready");
	assert.equal(await table(glossary_id), "heart,Herz\nbrain,Hirn\n");
	is_clean(page);
}

async function long_lists_of_glossaries_and_terms_are_shown_in_pages(browser) {
	const some = HOSTILE.slice(0, 3), long = await make(`Long ${Date.now()}`, Array.from({ length: 5000 }, (_, i) => `term ${i},"${some[i % 3].replace(/"/g, '""')} ${i}"\n`).join(""));
	for (let i = 0; i < 12; i++)
		await call("POST", "/saas/glossary", { name: `Page ${i}`, glossary_type: "asr_hot", source_lang: "en" });
	const page = await enter(browser, "#/glossaries", "window.alert = () => console.error('an attack')");
	const first = "document.querySelector('#glossaries a').innerText", names = "document.querySelectorAll('#glossaries > tr').length";
	await page.until(`${names} === 10`, 15);
	const before = await page.ask(first), previous = "[...document.querySelectorAll('button')].some(e => e.textContent === 'Previous' && e.checkVisibility())";
	await press(page, "Next");
	await page.until(`${names} > 0 && ${previous} && ${first} !== ${JSON.stringify(before)}`, 15, "the next page");
	await press(page, "Previous");
	await page.until(`${names} === 10 && !${previous}`, 15, "the page before"); // other cases add glossaries meanwhile
	await is_accessible(page);
	await page.ask(`location.hash = "#/glossaries/${long.glossary_id}"`);
	await shows(page, "1–100 of 5,000");
	assert.equal(await page.ask("document.querySelectorAll('#terms tr').length"), 100);
	await press(page, "Next");
	await shows(page, "101–200 of 5,000");
	assert.deepEqual((await cells(page))[0], ["term 100", `${some[1]} 100`]);
	await type(page, "find", "term 4999");
	await page.until("document.querySelectorAll('#terms tr').length === 1", 15);
	assert.deepEqual(await cells(page), [["term 4999", `${some[1]} 4999`]]);
	// Enter moves to the next field, and adds a row at the end of the table.
	await type(page, "find", "");
	await press(page, "Add a row");
	const at = () => page.ask("document.activeElement.ariaLabel");
	assert.equal(await at(), "English, row 5,001");
	for (const [key, where] of [["Enter", "English, row 5,002"], ["ArrowUp", "English, row 5,001"]]) {
		await page.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key, windowsVirtualKeyCode: key === "Enter" ? 13 : 38 });
		assert.equal(await at(), where);
	}
	is_clean(page);
}

async function a_glossary_is_edited_from_right_to_left_on_a_phone(browser) {
	const page = await browser.page();
	await be_phone(page, { languages: "ar", width: 320, height: 640 });
	const { token } = await call("POST", "/auth/token", {});
	await page.open(`${base}/console/#/glossaries/new`, `sessionStorage.setItem("token", ${JSON.stringify(token)})`);
	await page.until("document.querySelector('#terms input')", 15);
	assert.equal(await page.ask("document.documentElement.dir"), "rtl");
	await put(page, 0, 0, "heart");
	await open_import(page);
	await type(page, "pasted", "a;b\nc;d\na;e\n");
	await page.until("document.querySelectorAll('#preview tr').length === 3", 15);
	await is_accessible(page);
	await fits(page);
	is_clean(page);
}

module.exports = { cells, put, table, named, one_named, open_table, open_import, upload, cases: [nothing_is_lost_where_saving_a_glossary_breaks_off_and_the_page_goes_on, nothing_is_lost_where_a_page_dies_while_it_saves_a_glossary,
	a_glossary_is_typed_pasted_and_saved_in_the_console, rows_of_a_preview_are_saved_though_they_were_not_added, a_glossary_that_is_saved_takes_the_place_of_the_old_one_in_halls_too,
	long_lists_of_glossaries_and_terms_are_shown_in_pages, a_glossary_is_edited_from_right_to_left_on_a_phone] };
