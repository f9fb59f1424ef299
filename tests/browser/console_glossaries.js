// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: glossaries.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
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

// Gives the page's file input a file with these bytes.
const choose = (page, bytes, name = "terms.csv") => page.ask(`(e => { const data = new DataTransfer();
	data.items.add(new File([new Uint8Array(${JSON.stringify([...bytes])})], ${JSON.stringify(name)}));
	e.files = data.files; e.dispatchEvent(new Event("change", { bubbles: true })); })(document.querySelector("[type=file]"))`);

const open_import = page => page.ask("document.querySelector('details').open = true");

async function a_glossary_is_typed_pasted_and_saved_in_the_console(browser) {
	const page = await enter(browser, "#/glossaries"), name = `Summit ${Date.now()}`;
	await press(page, "New glossary");
	await page.until("document.querySelector('#terms input')", 15);
	const { GlossarySource: sources } = (await (await fetch(`${base}/openapi.json`)).json()).components.schemas;
	assert.deepEqual(await page.ask("[...document.querySelectorAll('[name=source_lang] option')].map(e => e.value).sort()"), [...sources.enum].sort());
	await type(page, "name", name);
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

const preview = page => page.ask("[...document.querySelectorAll('#preview tr')].map(e => [...e.querySelectorAll('td')].map(e => e.innerText.trim()))");

async function a_spreadsheet_is_imported_by_guesses_that_can_be_changed(browser) {
	const page = await enter(browser, "#/glossaries/new"), latin = text => Buffer.from(text, "latin1"), utf8 = text => Buffer.from(text);
	await page.until("document.querySelector('#terms input')", 15);
	await open_import(page);
	const sees = async (rows, what) => {
		await page.until(`document.querySelectorAll("#preview tr").length === ${rows.length}`, 15, what);
		assert.deepEqual(await preview(page), rows, what);
	};
	const chosen = name => page.ask(`document.querySelector("#import [name=${name}]").value`);
	const heading = () => page.ask("document.querySelector('[name=heading]').checked");
	for (const [bytes, rows, separator, encoding, is] of [
		[latin("English;German\r\nK\xe4se, fresh;K\xe4se\r\n"), [["Käse, fresh", "Käse", ""]], ";", "windows-1252", true],
		[utf8("\ufeffterm,\u00dcbersetzung\n\"a;b\",\"c,\nd\"\nx,\u5b57\n"), [["a;b", "c, d", ""], ["x", "字", ""]], ",", "utf-8", true],
		[utf8("liver\tLeber\nheart\tHerz\n"), [["liver", "Leber", ""], ["heart", "Herz", ""]], "\t", "utf-8", false],
		[Buffer.from("\ufeffa\tb\r\n", "utf16le"), [["a", "b", ""]], "\t", "utf-16le", false],
	]) {
		await page.ask("document.querySelector('#import').replaceChildren()");
		await choose(page, bytes);
		await sees(rows, `${bytes}`);
		assert.deepEqual([await chosen("separator"), await chosen("encoding"), await heading()], [separator, encoding, is], `${bytes}`);
	}
	await type(page, "separator", ",", "document.querySelector('#import')");
	assert.deepEqual(await preview(page), [["a b", "–", "Is empty"]]);
	await choose(page, utf8("one,eins\none,zwei\n,drei\nfour,vier,quatre\n\"<b>\",\"x\ty\"\n"));
	await sees([["one", "eins", ""], ["one", "zwei", "Is in row 1 already"], ["–", "drei", "Is empty"],
		["four", "vier", "Too many columns; these are left out: quatre"], ["<b>", "x y", ""]].map(row => row.map(cell => cell)), "faults");
	await shows(page, "Rows to mend: 3");
	await is_accessible(page);
	await put(page, 0, 0, "typed");
	await put(page, 0, 1, "getippt");
	await press(page, "Add to the table");
	assert.deepEqual((await cells(page)).map(([a]) => a), ["typed", "one", "one", "", "four", "<b>"]);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

// A spreadsheet in the encoding that is usual for the language; the glossary translates from
// English.
async function a_spreadsheet_of_any_encoding_is_read(browser) {
	const page = await enter(browser, "#/glossaries/new");
	await page.until("document.querySelector('#terms input')", 15);
	await open_import(page);
	const first = async (bytes, language) => {
		if (language)
			await type(page, "target_lang", language);
		await page.ask("document.querySelector('#import').replaceChildren()");
		await choose(page, bytes);
		await page.until("document.querySelectorAll('#preview tr').length > 0", 15, language);
		return (await preview(page)).map(row => row.slice(0, 2).join(" "));
	};
	const value = name => page.ask(`document.querySelector("#import [name=${name}]").value`);
	const of = (term, bytes) => Buffer.concat([Buffer.from(`${term};`), Buffer.from(bytes), Buffer.from("\r\n")]);
	const czech = Buffer.from("voda;water\r\n\xe8as;time\r\n", "latin1");
	for (const [language, bytes, encoding, text] of [["cs", czech, "windows-1250", "čas time"], ["pl", of("life", [0xbf, 0x79, 0x63, 0x69, 0x65]), "windows-1250", "life życie"],
		["ru", of("water", [0xe2, 0xee, 0xe4, 0xe0]), "windows-1251", "water вода"], ["el", of("water", [0xed, 0xe5, 0xf1, 0xfc]), "windows-1253", "water νερό"],
		["lt", of("life", [0x67, 0x79, 0x76, 0x79, 0x62, 0xeb]), "windows-1257", "life gyvybė"], ["ja", of("water", [0x90, 0x85]), "shift_jis", "water 水"],
		["zh", of("hello", [0xc4, 0xe3, 0xba, 0xc3]), "gb18030", "hello 你好"], ["de", of("cheese", [0x4b, 0xe4, 0x73, 0x65]), "windows-1252", "cheese Käse"]]) {
		const has = await page.ask(`!!document.querySelector("[name=target_lang] option[value='${language}']")`);
		assert.ok(has || language === "zh", language);
		const rows = await first(bytes, has ? language : "zh-hans");
		assert.deepEqual([rows.pop(), await value("encoding")], [text, encoding], language);
	}
	// The guess follows the target language. When it is wrong, the user can choose the
	// encoding.
	await first(czech, "de");
	await type(page, "encoding", "windows-1250", "document.querySelector('#import')");
	assert.equal((await preview(page)).pop()[0], "čas");
	// The first line names the separator.
	assert.deepEqual(await first(Buffer.from("sep=|\r\na,b;|c\r\n")), ["a,b; c"]);
	assert.equal(await value("separator"), "|");
	// The third column is empty and only formatted.
	for (const separator of [",", ";", "|"]) {
		const text = ["water", "agua", ""].join(separator) + "\r\n" + ["river", "r\u00edo", ""].join(separator) + "\r\n" + ["harbour", "puerto", ""].join(separator) + "\r\n";
		assert.deepEqual(await first(Buffer.from(text)), ["water agua", "river río", "harbour puerto"]);
		assert.equal(await value("separator"), separator);
		assert.ok(!(await page.ask("document.querySelector('#import').innerText")).includes("Rows to mend"));
	}
	is_clean(page);
}

// A workbook that openpyxl wrote.
const WORKBOOK = readFileSync(join(__dirname, "../fuzz/corpus/xlsx/faults"));

async function a_workbook_is_imported_with_its_faults_marked(browser) {
	const page = await enter(browser, "#/glossaries/new");
	await page.until("document.querySelector('#terms input')", 15);
	await open_import(page);
	await put(page, 0, 0, "typed");
	await put(page, 0, 1, "getippt");
	await choose(page, WORKBOOK, "terms.xlsx");
	await page.until("document.querySelectorAll('#preview tr').length === 5", 15, "five rows without the heading");
	assert.deepEqual(await preview(page), [["heart", "Herz", ""], ["heart", "Kern", "Is in row 1 already"], ["liver", "–", "Is empty"], ["US", "USA", "case"], ["a;b", "c;d", ""]]);
	assert.equal(await page.ask("document.querySelectorAll('#import select').length"), 0, "nothing to choose");
	await shows(page, "Rows to mend: 2");
	await is_accessible(page);
	await press(page, "Add to the table");
	assert.deepEqual(await cells(page), [["typed", "getippt"], ["heart", "Herz"], ["heart", "Kern"], ["liver", ""], ["US", "USA"], ["a;b", "c;d"]]);
	assert.equal(await page.ask("document.querySelector('[data-row=\"4\"] [type=checkbox]').checked"), true, "the case of US matters");
	await is_accessible(page);
	// Files that the service refuses leave the table as it is.
	await open_import(page);
	for (const bytes of [WORKBOOK.subarray(0, 2000), Buffer.from("\xd0\xcf\x11\xe0old", "latin1")]) {
		await page.ask("notice.hidden = true");
		await choose(page, bytes, "terms.xlsx");
		await shows(page, "This workbook cannot be read");
		assert.equal((await cells(page)).length, 6);
	}
	is_clean(page);
}

// A glossary whose file is a workbook, which another program sent.
async function the_terms_of_a_workbook_are_edited(browser) {
	const name = `Workbook ${Date.now()}`;
	const { glossary_id } = await call("POST", "/saas/glossary", { name, glossary_type: "asr_hot", source_lang: "en" });
	const body = new FormData();
	body.append("file", new Blob([readFileSync(join(__dirname, "../fuzz/corpus/xlsx/whole"))]), "a.xlsx");
	assert.ok((await fetch(`${base}/saas/glossary/${glossary_id}/upload`, { method: "POST", headers: { Authorization: `Bearer ${key}` }, body })).ok);
	await one_named(name, one => one.entries_status === "failed");
	const page = await enter(browser, `#/glossaries/${glossary_id}`);
	await page.until("document.querySelectorAll('#terms tr').length === 12", 15);
	assert.deepEqual((await cells(page)).slice(0, 5), [["heart"], ["lung, left"], ["year"], ["day"], ["when"]]);
	is_clean(page);
}

async function make(name, csv, more = {}) {
	const { glossary_id } = await call("POST", "/saas/glossary", { name, glossary_type: "translation", source_lang: "en", target_lang: "de", ...more });
	const body = new FormData();
	body.append("file", new Blob([csv], { type: "text/csv" }), "a.csv");
	assert.ok((await fetch(`${base}/saas/glossary/${glossary_id}/upload`, { method: "POST", headers: { Authorization: `Bearer ${key}` }, body })).ok);
	return one_named(name, one => one.entries_status === "ready");
}

async function a_glossary_that_is_saved_takes_the_place_of_the_old_one_in_halls_too(browser) {
	const name = `Replaced ${Date.now()}`, old = await make(name, "heart,Herz\n");
	const channel = await call("POST", "/saas/channel", { type: "standalone", name: "Hall", source_language: "en", target_languages: ["de"],
		translation_pipeline: { translations: [{ target_language: "de", allowed_translation_glossary_ids: [old.glossary_id] }] } });
	const page = await enter(browser, `#/glossaries/${old.glossary_id}`);
	await page.until("document.querySelectorAll('#terms tr').length === 1", 15);
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

async function nothing_is_lost_where_saving_a_glossary_breaks_off_and_the_page_goes_on(browser) {
	for (const [method, path] of STEPS) {
		const name = `Broken ${Date.now()}`, old = await make(name, "heart,Herz\n");
		const page = await enter(browser, `#/glossaries/${old.glossary_id}`);
		await page.until("document.querySelector('#terms input')", 15);
		await put(page, 0, 1, "Kern");
		await page.ask(cut_after(method, path));
		await press(page, "Save");
		await page.until("!offline.hidden", 60, "the lost connection");
		await shows(page, "The service cannot be reached.");
		assert.deepEqual(await cells(page), [["heart", "Kern"]]);
		await page.ask("mend()");
		await press(page, "Save");
		await page.until(`location.hash === "#/glossaries" || /Another user/.test(document.body.innerText)`, 60, "saved");
		assert.equal(await table((await one_named(name)).glossary_id), "heart,Kern\n", `${method} ${path}`);
	}
}

async function nothing_is_lost_where_a_page_dies_while_it_saves_a_glossary(browser) {
	for (const [method, path] of STEPS) {
		const name = `Dead ${Date.now()}`, old = await make(name, "heart,Herz\n");
		const page = await enter(browser, `#/glossaries/${old.glossary_id}`);
		await page.until("document.querySelector('#terms input')", 15);
		await put(page, 0, 1, "Kern");
		await page.ask(cut_after(method, path));
		await press(page, "Save");
		await page.until("!offline.hidden", 60, "the lost connection");
		assert.ok((await named(name)).every(one => one.entries_status === "ready" || !one.is_enabled), "no half of it serves");
		await page.send("Page.reload");
		await page.until("document.querySelector('#terms input')", 15);
		if (path !== STEPS[2][1]) {
			await shows(page, "Your earlier input is here.");
			assert.deepEqual(await cells(page), [["heart", "Kern"]]);
		}
		if (path === STEPS[0][1])
			await press(page, "Save"); // only the browser tab knew about the rows
		else
			await page.ask("location.hash = '#/glossaries'");
		const { glossary_id } = await one_named(name, one => one.entries_status === "ready" && one.is_enabled);
		assert.equal(await table(glossary_id), "heart,Kern\n", `${method} ${path}`);
	}
}

async function rows_of_a_preview_are_saved_though_they_were_not_added(browser) {
	const page = await enter(browser, "#/glossaries"), name = `Pasted ${Date.now()}`;
	await press(page, "New glossary");
	await page.until("document.querySelector('#terms input')", 15);
	await type(page, "name", name);
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

module.exports = { cells, choose, put, table, one_named, cases: [nothing_is_lost_where_saving_a_glossary_breaks_off_and_the_page_goes_on, nothing_is_lost_where_a_page_dies_while_it_saves_a_glossary,
	a_glossary_is_typed_pasted_and_saved_in_the_console, rows_of_a_preview_are_saved_though_they_were_not_added, a_spreadsheet_is_imported_by_guesses_that_can_be_changed, a_spreadsheet_of_any_encoding_is_read,
	a_workbook_is_imported_with_its_faults_marked, the_terms_of_a_workbook_are_edited,
	a_glossary_that_is_saved_takes_the_place_of_the_old_one_in_halls_too, long_lists_of_glossaries_and_terms_are_shown_in_pages,
	a_glossary_is_edited_from_right_to_left_on_a_phone] };
