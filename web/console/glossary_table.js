// SPDX-License-Identifier: GPL-3.0-or-later
// An editable table of terms, like a spreadsheet. It shows a part of the rows at a time.
import { fill, make, say, show } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { CASE, faults_of, guess_separator, read_rows } from "./terms.js";
import { button } from "./words.js";

const AT_A_TIME = 100;  // rows at a time
const PAUSE = 300;  // ms from a key press until all rows are checked
const UNDO = 10;    // changes that can be undone

/** @typedef {import("./terms.js").Fault} Fault */

/** @param {Fault} fault */
export const fault_text = ({ what, row, column, text }) => text || t(`console.fault.${what}`, { row: row || 0, column: column + 1 });

/**
 * The table changes `rows` in place and then calls `changed`.
 * @typedef {{ rows: string[][], columns: () => number, heads: () => string[], codes: () => string[], changed: () => void }} Terms
 */

export class TermTable {
	/** @param {Terms} terms */
	constructor(terms) {
		this.terms = terms;
		this.from = 0;    // first shown row, among those that fit the search
		this.words = "";
		this.only_bad = false;
		/** @type {(Fault | undefined)[]} */
		this.faults = [];
		/** @type {Fault[]} faults that the service reported, by row, until the table is changed */
		this.told = [];
		/** @type {string[][][]} rows before the last changes of many cells */
		this.past = [];
		this.head = make("tr", null);
		this.body = make("tbody", { id: "terms" });
		this.count = make("p", { role: "status", class: "soft small" });
		this.steps = make("nav", { class: "row pad", "aria-label": t("console.pages") });
		this.bad = make("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggle_bad() });
		this.back = button(t("console.undo"), () => this.undo());
		this.find = make("input", { type: "search", name: "find", oninput: () => this.look_for(),
			onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && event.preventDefault() });
		this.box = make("div", { class: "terms" },
			make("div", { class: "row pad" }, make("label", { class: "grow labelled" }, t("console.find_term"), this.find), this.bad, this.back),
			make("table", { onpaste: (/** @type {ClipboardEvent} */ event) => this.paste(event), onkeydown: (/** @type {KeyboardEvent} */ event) => this.move(event) },
				make("thead", null, this.head), this.body), this.steps, make("div", { class: "row pad" }, button(t("console.add_row"), () => this.add(), "", "plus"), this.count));
		this.draw();
	}

	/* ---- what is shown ---- */

	/** Indexes of the rows that contain the search words. */
	fitting() {
		const fits = (/** @type {string[]} */ row) => row.some(cell => cell.toLowerCase().includes(this.words));
		return [...this.terms.rows.keys()].filter(i => (!this.only_bad || this.faults[i]) && (!this.words || fits(this.terms.rows[i])));
	}

	judge() {
		const found = faults_of(this.terms.rows, this.terms.columns());
		this.faults = found.map((fault, i) => fault || this.told[i]);
		const bad = this.faults.filter(Boolean).length;
		say(this.count, t("console.terms", { count: this.terms.rows.filter(row => row.some(cell => cell.trim())).length }));
		say(this.bad, t("console.bad_rows", { count: bad }));
		show(this.bad, bad > 0 || this.only_bad);
		show(this.back, this.past.length > 0);
		return bad;
	}

	draw() {
		this.judge();
		const rows = this.fitting();
		this.from = Math.max(0, Math.min(this.from, rows.length - 1));
		this.from -= this.from % AT_A_TIME;
		fill(this.head, ...["#", ...this.terms.heads(), ...this.terms.columns() === 2 ? ["Aa"] : [], ""].map((text, i) => make("th", { scope: "col" },
			text || make("span", { class: "hidden-text" }, t("console.delete")))));
		fill(this.body, ...rows.slice(this.from, this.from + AT_A_TIME).map(i => this.row(i)));
		fill(this.steps, this.from > 0 && button(t("console.page_before"), () => this.turn(-AT_A_TIME)),
			rows.length > AT_A_TIME && make("span", null, t("console.rows_shown", { from: this.from + 1, to: Math.min(this.from + AT_A_TIME, rows.length), count: rows.length })),
			this.from + AT_A_TIME < rows.length && button(t("console.page_after"), () => this.turn(AT_A_TIME)));
	}

	/** @param {number} by rows */
	turn(by) {
		this.from += by;
		this.draw();
	}

	/** @param {number} i */
	row(i) {
		const columns = this.terms.columns(), heads = this.terms.heads(), codes = this.terms.codes();
		const cells = Array.from({ length: columns }, (_, column) => make("td", null,
			make("input", { value: this.terms.rows[i][column] || "", name: "term", placeholder: heads[column], lang: codes[column], dir: "auto", autocomplete: "off", spellcheck: false,
				"aria-label": t("console.cell", { column: heads[column], row: number(i + 1) }), "data-column": column,
				oninput: (/** @type {Event} */ event) => this.put(i, column, /** @type {HTMLInputElement} */ (event.target).value) })));
		const matters = columns === 2 && make("td", null, make("input", { type: "checkbox", checked: this.terms.rows[i][2] === CASE, title: t("console.match_case"),
			"aria-label": t("console.cell", { column: t("console.match_case"), row: number(i + 1) }),
			onchange: (/** @type {Event} */ event) => this.put(i, 2, /** @type {HTMLInputElement} */ (event.target).checked ? CASE : "") }));
		const it = make("tr", { "data-row": i }, make("th", { scope: "row" }, number(i + 1)), ...cells, matters,
			make("td", null, button(t("console.drop_row", { row: i + 1 }), () => this.drop(i), "bare icon", "trash")));
		this.mark(it, i);
		return it;
	}

	/** Shows the fault of a row, if it has one. @param {HTMLElement} it @param {number} i */
	mark(it, i) {
		const fault = this.faults[i], cells = it.querySelectorAll("input[name=term]");
		it.querySelectorAll(".wrong").forEach(one => one.remove());
		cells.forEach((input, column) => {
			const mine = fault && Math.min(fault.column, cells.length - 1) === column;
			if (mine)
				input.after(make("span", { class: "wrong", id: `fault${i}` }, fault_text(fault)));
			input.toggleAttribute("aria-describedby", !!mine);
			input.setAttribute("aria-invalid", String(!!mine));
			if (mine)
				input.setAttribute("aria-describedby", `fault${i}`);
		});
	}

	mark_all() {
		this.judge();
		for (const it of /** @type {Iterable<HTMLElement>} */ (this.body.children))
			this.mark(it, Number(it.dataset.row));
	}

	toggle_bad() {
		this.only_bad = !this.only_bad;
		this.bad.setAttribute("aria-pressed", String(this.only_bad));
		this.draw();
	}

	look_for() {
		this.words = this.find.value.toLowerCase();
		this.from = 0;
		this.draw();
	}

	/* ---- what is changed ---- */

	/** @param {number} i @param {number} column @param {string} value */
	put(i, column, value) {
		this.terms.rows[i][column] = value;
		delete this.told[i];
		this.terms.changed();
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.mark_all(), PAUSE);
	}

	/** Stores the rows before a change of many cells, for undo. */
	remember() {
		this.past = [...this.past.slice(1 - UNDO), this.terms.rows.map(row => [...row])];
	}

	undo() {
		this.set_rows(this.past.pop() || []);
	}

	/** @param {string[][]} rows */
	set_rows(rows) {
		this.terms.rows.length = 0;
		for (const row of rows.length ? rows : [["", ""]])
			this.terms.rows.push(row);
		this.changed();
	}

	/** Called after a change of rows or columns. */
	changed() {
		this.told = [];
		this.terms.changed();
		this.draw();
	}

	/** @param {number} i */
	drop(i) {
		this.remember();
		this.set_rows(this.terms.rows.filter((_, n) => n !== i));
		this.go(Math.min(i, this.terms.rows.length - 1), 0);
	}

	/** Adds imported rows. @param {string[][]} rows @param {boolean} instead of all rows */
	take(rows, instead) {
		this.remember();
		const kept = instead ? [] : this.terms.rows.filter(row => row.some(cell => cell.trim()));
		this.set_rows([...kept, ...rows]);
	}

	add() {
		this.only_bad = false;
		this.words = this.find.value = "";
		this.terms.rows.push(["", ""]);
		this.from = this.terms.rows.length - 1;
		this.changed();
		this.go(this.terms.rows.length - 1, 0);
	}

	/**
	 * Moves the focus to a cell; turns to the page that shows it.
	 * @param {number} i @param {number} column
	 */
	go(i, column) {
		const input = /** @type {HTMLElement | null} */ (this.body.querySelector(`[data-row="${i}"] [data-column="${column}"]`));
		if (input)
			input.focus();
		return !!input;
	}

	/** Handles Up, Down and Enter as a spreadsheet does. @param {KeyboardEvent} event */
	move(event) {
		const input = /** @type {HTMLElement} */ (event.target), it = input.closest("tr");
		const step = event.isComposing ? 0 : event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" || event.key === "Enter" ? 1 : 0;
		if (!step || !it || input.dataset.column === undefined)
			return;
		event.preventDefault();
		const next = /** @type {HTMLElement | null} */ (step > 0 ? it.nextElementSibling : it.previousElementSibling);
		if (next)
			this.go(Number(next.dataset.row), Number(input.dataset.column));
		else if (event.key === "Enter" && Number(it.dataset.row) === this.terms.rows.length - 1)
			this.add();
	}

	/** Pastes cells of a spreadsheet, starting at this cell. @param {ClipboardEvent} event */
	paste(event) {
		const input = /** @type {HTMLElement} */ (event.target), it = input.closest("tr");
		const text = event.clipboardData ? event.clipboardData.getData("text/plain") : "";
		if (!it || input.dataset.column === undefined || !/[\t\n\r]./.test(text))
			return;
		event.preventDefault();
		this.remember();
		const column = Number(input.dataset.column), from = Number(it.dataset.row);
		read_rows(text, guess_separator(text, this.terms.columns())).forEach((cells, n) => {
			const row = this.terms.rows[from + n] || ["", ""];
			cells.slice(0, this.terms.columns() - column).forEach((cell, k) => (row[column + k] = cell));
			this.terms.rows[from + n] = row;
		});
		this.changed();
		this.go(from, column);
	}
}
