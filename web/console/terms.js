// SPDX-License-Identifier: GPL-3.0-or-later
// Reads rows of terms from the text of a spreadsheet, checks them by the service's rules, and
// writes them as CSV for the service.

export const TERM_BYTES = 1024, CSV_BYTES = 1000000;
export const CASE = "case"; // in the cell behind two terms: their case matters
const SEPARATORS = ["\t", ";", ",", "|"];
const TOLD = /^sep=([^\w\s"]|\t)\r?\n/; // Excel's own first line
const LOOKED_AT = 20000; // characters from which the separator is guessed

/** @param {any} glossary */
export const columns_of = ({ glossary_type }) => glossary_type === "asr_hot" ? 1 : 2;

/** True when the cells behind the terms are ones that the service accepts.
 * @param {string[]} row @param {number} columns
 */
const ends_well = (row, columns) => !row.slice(columns).some((cell, i) => cell && !(columns === 2 && i === 0 && cell === CASE));

/* ---- reading ---- */

/**
 * Encodings that spreadsheets use, with the codes of their languages.
 * @type {Record<string, string>}
 */
const ENCODINGS = { "windows-1250": "cs sk pl hu hr sl ro sq bs", "windows-1251": "ru uk bg be mk sr kk", "windows-1253": "el", "windows-1254": "tr az",
	"windows-1255": "he", "windows-1256": "ar fa ur", "windows-1257": "lt lv et", "windows-1258": "vi", "windows-874": "th",
	"shift_jis": "ja", "gb18030": "zh", "big5": "zh-hant zh-tw", "euc-kr": "ko" };

/** Encodings that a file may have and this browser can decode. */
export const encodings_here = () => ["utf-8", "windows-1252", ...Object.keys(ENCODINGS)].filter(one => {
	try {
		return new TextDecoder(one);
	} catch {
		return false;
	}
});

/** True when the text was decoded by a wrong encoding: it has an invalid character, or one that
   occurs in no word.
 * @param {string} text
 */
const has_odd = text => /[\ufffd\x80-\x9f\uff61-\uff65]/.test(text) || /\p{L}[¡-©«-´¶-¹»-¿×÷ˇ˘˙˛˝˜]|[¡-©«-´¶-¹»-¿×÷]\p{L}/u.test(text);

/** @param {ArrayBuffer} bytes @param {string[]} codes of the glossary's languages @returns {string} */
function guess_encoding(bytes, codes) {
	const mine = codes.flatMap(code => [code, code.split("-")[0]]).flatMap(code => Object.keys(ENCODINGS).filter(one => ENCODINGS[one].split(" ").includes(code)));
	return [...mine, "windows-1252"].filter(one => encodings_here().includes(one)).find(one => !has_odd(new TextDecoder(one).decode(bytes))) || mine[0] || "windows-1252";
}

/** Decodes bytes. Without `encoding`: as UTF-8 or UTF-16 if valid, else as spreadsheets in these
   languages are encoded.
 * @param {ArrayBuffer} bytes @param {{ encoding?: string, codes?: string[] }} how encoding: absent:
 * guessed
 */
export function decode(bytes, { encoding, codes = [] }) {
	const [a, b] = new Uint8Array(bytes);
	const marked = a === 0xff && b === 0xfe ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : "utf-8";
	try {
		return { encoding: encoding || marked, text: new TextDecoder(encoding || marked, { fatal: !encoding }).decode(bytes) };
	} catch {
		const guessed = guess_encoding(bytes, codes);
		return { encoding: guessed, text: new TextDecoder(guessed).decode(bytes) };
	}
}

/** @param {string} cell with its quotes */
function cell_of(cell) {
	const plain = /^"[^]*"$/.test(cell) && cell.length > 1 ? cell.slice(1, -1).replace(/""/g, "\"") : cell;
	return plain.replace(/\s*[\r\n]+\s*/g, " ").replace(/^[ \t]+|[ \t]+$/g, "");
}

/**
 * Returns the cells of each row that is not empty. An unclosed quote is an ordinary character.
 * @param {string} text @param {string} separator @returns {string[][]}
 */
export function read_rows(text, separator) {
	const rule = new RegExp(`("(?:[^"]|"")*"(?=[\\${separator}\\r\\n]|$)|[^\\${separator}\\r\\n]*)([\\${separator}]|\\r\\n?|\\n|$)`, "y");
	rule.lastIndex = (TOLD.exec(text) || [""])[0].length;
	/** @type {string[][]} */
	const rows = [];
	/** @type {string[]} */
	let cells = [];
	for (let end = ""; rule.lastIndex < text.length || end === separator;) {
		const [, cell, after] = /** @type {RegExpExecArray} */ (rule.exec(text));
		end = after;
		cells.push(cell_of(cell));
		if (end === separator)
			continue;
		if (cells.some(Boolean))
			rows.push(cells);
		cells = [];
	}
	return rows;
}

/** The separator that the first line names. @param {string} text */
export const told_separator = text => (TOLD.exec(text) || [])[1];

/**
 * Guesses the separator: the one that the first line names, or the one by which most rows have this number of non-empty cells.
 * @param {string} text @param {number} columns
 */
export function guess_separator(text, columns) {
	const some = text.slice(0, LOOKED_AT), told = told_separator(text);
	if (told)
		return told;
	const good = SEPARATORS.map(one => read_rows(some, one).filter(row => row[columns - 1] && ends_well(row, columns)).length);
	return SEPARATORS[good.indexOf(Math.max(...good))];
}

/** @param {string[]} row @param {string[]} words that headings have, in lower case */
export const is_heading = (row, words) => row.every(cell => !cell || words.includes(cell.toLowerCase()));

/** The terms of a row, and whether their case matters. @param {string[]} row */
export const terms_of = row => [row[0] || "", row[1] || "", ...row[2] === CASE ? [CASE] : []];

/* ---- judging ---- */

/** @typedef {{ what: "empty" | "long" | "control" | "twice" | "columns" | "refused", column: number, row?: number, text?: string }} Fault */

const bytes_of = (/** @type {string} */ text) => new TextEncoder().encode(text).length;

/** @param {string} cell @returns {Fault["what"] | ""} */
function fault_of_term(cell) {
	if (!cell.trim())
		return "empty";
	if (cell.length > TERM_BYTES / 4 && bytes_of(cell) > TERM_BYTES)
		return "long";
	return /[\0-\x08\x0a-\x1f\x7f-\x9f]/.test(cell) ? "control" : "";
}

/**
 * Returns the fault of each row, or undefined. Empty rows are skipped.
 * @param {string[][]} rows @param {number} columns @returns {(Fault | undefined)[]}
 */
export function faults_of(rows, columns) {
	/** @type {Map<string, number>} */
	const first = new Map();
	return rows.map((row, i) => {
		if (!row.some(cell => cell.trim()))
			return undefined;
		for (let column = 0; column < columns; column++) {
			const what = fault_of_term(row[column] || "");
			if (what)
				return { what, column };
		}
		const term = row[0].trim(), before = first.get(term);
		if (before !== undefined)
			return { what: "twice", column: 0, row: before + 1 };
		first.set(term, i);
		return ends_well(row, columns) ? undefined : { what: "columns", column: columns };
	});
}

/* ---- writing ---- */

/** @param {string[][]} rows @param {number} columns */
export const write_csv = (rows, columns) => rows.filter(row => row.some(cell => cell.trim())).map(row =>
	row.slice(0, columns === 2 && row[2] === CASE ? 3 : columns).map(cell => /[",]/.test(cell) ? `"${cell.trim().replace(/"/g, "\"\"")}"` : cell.trim()).join(",") + "\n").join("");

/** True when the service refuses the file for its size. @param {string} csv */
export const is_too_large = csv => csv.length > CSV_BYTES / 4 && bytes_of(csv) > CSV_BYTES;
