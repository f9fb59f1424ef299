// SPDX-License-Identifier: GPL-3.0-or-later
// Imports terms from a spreadsheet, pasted or as a file. Encoding and separator are guessed and can
// be changed; a preview shows the rows first. The service reads workbooks.
import { Problem } from "../shared/api.js";
import { fill, make, say } from "../shared/dom.js";
import { languages, name_of, number, t } from "../shared/i18n.js";
import { drop_zone } from "./drop_zone.js";
import { fault_text } from "./glossary_table.js";
import { file } from "./service.js";
import { decode, encodings_here, faults_of, guess_separator, is_heading, read_rows, terms_of } from "./terms.js";
import { button, choice, fail } from "./words.js";

const PREVIEW = 20;           // rows of the preview
/** @type {Record<string, string>} */
const ENCODING_NAMES = { "utf-8": "UTF-8", "utf-16le": "UTF-16LE", "utf-16be": "UTF-16BE", shift_jis: "Shift-JIS", gb18030: "GB18030", big5: "Big5", "euc-kr": "EUC-KR" };
/** Refusals of workbooks. @type {Record<number, string>} */
const REFUSED = { 413: "workbook-too-large", 415: "workbook-unreadable" };
const MOST_BYTES = 8000000; // the largest file; its terms must fit into a smaller CSV file later

/** @typedef {{ bytes?: ArrayBuffer, text: string, encoding?: string }} Found text of a workbook: without encoding */
/** @typedef {Found & { separator: string, heading: boolean }} Source */
/** @typedef {{ columns: () => number, heads: () => string[], codes: () => string[], take: (rows: string[][], instead: boolean) => void }} Place */

/** True for XLSX and older formats. @param {ArrayBuffer} bytes */
export const is_workbook = bytes => bytes.byteLength > 3 && [0x504b0304, 0xd0cf11e0].includes(new DataView(bytes).getUint32(0));

/** Returns the rows of a workbook as CSV. @param {ArrayBuffer} bytes */
export async function read_workbook(bytes) {
	const body = new FormData();
	body.append("file", new Blob([bytes]), "a.xlsx");
	return (await file("saas/glossaries/rows", {}, body).catch(error => Promise.reject(REFUSED[error.status] ? new Problem(error.status, [{ type: REFUSED[error.status] }]) : error))).text();
}

/** Returns words that occur in headings of such tables. @param {Place} place */
const heading_words = place => ["#", "term", "terms", "word", "words", "source", "target", "translation", "original", "begriff", "wort", "übersetzung",
	"terme", "mot", "traduction", "término", "palabra", "traducción", "termine", "parola", "traduzione", "termo", "palavra", "tradução",
	...place.heads(), t("console.term"), t("console.kind.translation"),
	...place.codes().flatMap(code => [code, ...Object.keys(languages).map(ui => language_in(ui, code)), name_of(code, true)])].map(word => word.toLowerCase());

/** @param {string} ui @param {string} code */
const language_in = (ui, code) => new Intl.DisplayNames([ui], { type: "language" }).of(code) || code;

/** @param {Place} place @param {Found} found @returns {Source} */
function guess(place, found) {
	const separator = found.encoding === undefined ? "," : guess_separator(found.text, place.columns());
	const [first] = read_rows(found.text.slice(0, 20000), separator);
	return { ...found, separator, heading: !!first && is_heading(first, heading_words(place)) };
}

/** @param {Source} source */
const rows_of = source => read_rows(source.text, source.separator).slice(source.heading ? 1 : 0);

/** @param {Place} place @param {string[][]} rows @param {import("./terms.js").Fault[]} faults by row */
function preview(place, rows, faults) {
	const bad = [...faults.keys()].filter(i => faults[i]), wide = Math.max(place.columns(), ...rows.slice(0, PREVIEW).map(row => row.length));
	const shown = [...new Set([...Array(Math.min(rows.length, PREVIEW)).keys(), ...bad.slice(0, PREVIEW)])];
	return make("div", { class: "scroll", tabIndex: 0, role: "group", "aria-label": t("console.import_shown") }, make("table", null,
		make("thead", null, make("tr", null, ...["#", ...place.heads(), t("console.import_note")].map(text => make("th", { scope: "col" }, text)))),
		make("tbody", { id: "preview" }, ...shown.map(i => make("tr", { class: faults[i] && "wrong-row" }, make("th", { scope: "row" }, number(i + 1)),
			...Array.from({ length: place.columns() }, (_, column) => make("td", { dir: "auto" }, rows[i][column] || "–")),
			make("td", { class: faults[i] && "bad" }, faults[i] && fault_text(faults[i]), wide > place.columns() && rows[i].slice(place.columns()).some(Boolean) && make("span", { class: "soft", dir: "auto" }, ` ${rows[i].slice(place.columns()).join(" · ")}`)))))));
}

/** @param {Place} place @param {HTMLElement} box @param {Source} source */
function show_source(place, box, source) {
	const rows = rows_of(source), faults = /** @type {any[]} */ (faults_of(rows, place.columns())), bad = faults.filter(Boolean).length;
	const again = (/** @type {Partial<Source>} */ other) => show_source(place, box, { ...source, ...other });
	const take = (/** @type {boolean} */ instead) => {
		fill(box);
		place.take(rows.map(terms_of), instead);
	};
	/** @type {Record<string, string>} */
	const names = { "\t": t("console.tab"), ";": t("console.semicolon"), ",": t("console.comma"), "|": "|" };
	names[source.separator] ||= source.separator;
	const separators = source.encoding !== undefined && choice("separator", t("console.separator"), names, source.separator);
	const encodings = source.bytes && choice("encoding", t("console.encoding"), Object.fromEntries(
		[...new Set([...encodings_here(), source.encoding || ""])].map(one => [one, ENCODING_NAMES[one] || one.replace("windows", "Windows")])), source.encoding);
	if (separators)
		separators.onchange = event => again({ separator: /** @type {HTMLSelectElement} */ (event.target).value, heading: source.heading });
	if (encodings)
		encodings.onchange = event => again(decode(/** @type {ArrayBuffer} */ (source.bytes), { encoding: /** @type {HTMLSelectElement} */ (event.target).value }));
	fill(box, make("div", { class: "fields" }, separators, encodings, make("label", { class: "check" },
		make("input", { type: "checkbox", name: "heading", checked: source.heading, onchange: (/** @type {Event} */ event) => again({ heading: /** @type {HTMLInputElement} */ (event.target).checked }) }),
		make("span", null, t("console.is_heading")))),
	make("p", { role: "status" }, t("console.import_rows", { count: rows.length }), bad > 0 && make("span", { class: "bad" }, ` ${t("console.bad_rows", { count: bad })}`)),
	rows.length > 0 && preview(place, rows, faults),
	rows.length > 0 && make("div", { class: "row" }, button(t("console.import_add"), () => take(false), "strong"), button(t("console.import_instead"), () => take(true)),
		button(t("console.cancel"), () => fill(box))));
}

/** @param {Place} place */
export function import_box(place) {
	const box = make("div", { id: "import" }), it = make("details", { class: "import" });
	const see = (/** @type {Found} */ found) => show_source(place, box, guess(place, found));
	const open_file = async (/** @type {File | undefined} */ chosen) => {
		if (!chosen)
			return;
		if (chosen.size > MOST_BYTES)
			return fill(box, make("p", { class: "bad", role: "alert" }, t("console.too_large")));
		const bytes = await chosen.arrayBuffer();
		see(is_workbook(bytes) ? { text: await read_workbook(bytes) } : { ...decode(bytes, { codes: place.codes() }), bytes });
	};
	const input = make("input", { type: "file", name: "file", accept: ".xlsx,.csv,.tsv,.tab,.txt,text/csv,text/plain,text/tab-separated-values",
		onchange: () => open_file(input.files ? input.files[0] : undefined).then(() => (input.value = ""), fail) });
	const text = make("textarea", { name: "pasted", rows: 3, dir: "auto", oninput: () => text.value.trim() ? see({ text: text.value, encoding: "" }) : fill(box) });
	fill(it, make("summary", null, t("console.import")), drop_zone(make("label", { class: "labelled" }, t("console.import_file"), input), files => open_file(files[0]).catch(fail)),
		make("label", { class: "labelled" }, t("console.import_paste"), text), box);
	return { it, clear: () => (text.value = "", fill(box), it.open = false),
		/** Adds the rows that the preview shows. */
		finish: () => /** @type {HTMLElement | null} */ (box.querySelector(".strong"))?.click() };
}
