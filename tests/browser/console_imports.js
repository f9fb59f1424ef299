// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: glossaries from spreadsheets and workbooks.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { is_clean, press, shows, type } = require("./console.js");
const { cells, one_named, open_import, open_table, put, upload } = require("./console_glossaries.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { call } = require("./service.js");

// Gives the page's file input a file with these bytes.
const choose = (page, bytes, name = "terms.csv") => page.ask(`(e => { const data = new DataTransfer();
	data.items.add(new File([new Uint8Array(${JSON.stringify([...bytes])})], ${JSON.stringify(name)}));
	e.files = data.files; e.dispatchEvent(new Event("change", { bubbles: true })); })(document.querySelector("[type=file]"))`);

async function open_new_import(browser) {
	const page = await open_table(browser);
	await open_import(page);
	return page;
}

const preview = page => page.ask("[...document.querySelectorAll('#preview tr')].map(e => [...e.querySelectorAll('td')].map(e => e.innerText.trim()))");

async function a_spreadsheet_is_imported_by_guesses_that_can_be_changed(browser) {
	const page = await open_new_import(browser), latin = text => Buffer.from(text, "latin1"), utf8 = text => Buffer.from(text);
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
		["four", "vier", "Too many columns; these are left out: quatre"], ["<b>", "x y", ""]], "faults");
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
	const page = await open_new_import(browser);
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
	const page = await open_new_import(browser);
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
	await upload(glossary_id, readFileSync(join(__dirname, "../fuzz/corpus/xlsx/whole")), "a.xlsx");
	await one_named(name, one => one.entries_status === "failed");
	const page = await open_table(browser, glossary_id);
	assert.equal((await cells(page)).length, 12);
	assert.deepEqual((await cells(page)).slice(0, 5), [["heart"], ["lung, left"], ["year"], ["day"], ["when"]]);
	is_clean(page);
}

module.exports = { choose, cases: [a_spreadsheet_is_imported_by_guesses_that_can_be_changed, a_spreadsheet_of_any_encoding_is_read, a_workbook_is_imported_with_its_faults_marked,
	the_terms_of_a_workbook_are_edited] };
