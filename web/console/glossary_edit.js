// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a new or existing glossary: its properties and its terms.
import { Problem } from "../shared/api.js";
import { fill, keep, make, save, say, show } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { import_box, is_workbook, read_workbook } from "./glossary_import.js";
import { terms_text, save_table } from "./glossary_save.js";
import { TermTable } from "./glossary_table.js";
import { SOURCES, TARGETS } from "./language_codes.js";
import { recent } from "./language_select.js";
import { head } from "./parts.js";
import { ask, file } from "./service.js";
import { may } from "./session.js";
import { columns_of, is_too_large, read_rows, terms_of, told_separator, write_csv } from "./terms.js";
import { button, choice, field, form, tell } from "./words.js";

/** @typedef {import("./glossary_save.js").Table} Table */

/** Name of the glossary that was just saved; the list, shown next, reports it. */
export const saved = { name: "" };

const PAUSE_OF_DRAFT = 300; // ms from a key press until the draft is stored

const shelf_of = (/** @type {string | undefined} */ id) => `glossary.${id || "new"}`;

/** @returns {Table} */
const empty_table = () => ({ name: "", glossary_type: "translation", source_lang: "en", target_lang: recent().find(code => TARGETS.includes(code)) || "de", is_enabled: true, rows: [["", ""]] });

/** Reads a glossary from the service. @param {string} id @returns {Promise<Table>} */
async function read_table(id) {
	const { data, etag } = await ask("GET", `saas/glossary/${id}`);
	const sent = data.entries_status === "none" ? new Blob() : await file(`saas/glossary/${id}/upload`), bytes = await sent.arrayBuffer();
	const csv = is_workbook(bytes) ? await read_workbook(bytes) : await sent.text();
	const { name, glossary_type, source_lang, target_lang, is_enabled, entries_status } = data;
	const table = { name, glossary_type, source_lang, target_lang: target_lang || source_lang, is_enabled, id, etag, rows: read_rows(csv, told_separator(csv) || ",").map(terms_of) };
	if (!table.rows.length)
		table.rows.push(["", ""]);
	return { ...table, was: entries_status === "ready" ? terms_text(table) : undefined };
}

/** @param {string[]} codes */
const names_of = codes => Object.fromEntries(codes.map(code => [code, code === "auto" ? t("console.any_language") : name_of(code)])
	.sort(([, a], [, b]) => a.localeCompare(b)));

/** The headings of the columns. @param {Table} table */
const heads_of = ({ glossary_type: type, source_lang, target_lang }) => type === "asr_hot" ? [t("console.hot_word")] :
	type === "asr" ? [t("console.heard_as"), t("console.right")] : [names_of([source_lang])[source_lang], names_of([target_lang])[target_lang]];

/** The fields of the glossary's properties. @param {Table} table @param {() => void} changed */
function about_fields(table, changed) {
	const target = choice("target_lang", t("console.glossary_to"), names_of(TARGETS), table.target_lang), how = make("p", { class: "soft" });
	const it = make("div", { class: "fields" }, field("name", t("console.name"), { value: table.name, required: true, minLength: 3, maxLength: 64 }),
		choice("glossary_type", t("console.where"), { translation: t("console.kind.translation"), asr: t("console.kind.asr"), asr_hot: t("console.kind.asr_hot") }, table.glossary_type),
		choice("source_lang", t("console.glossary_from"), names_of(SOURCES), table.source_lang), target,
		make("label", { class: "check" }, make("input", { type: "checkbox", name: "is_enabled", checked: table.is_enabled }), make("span", null, t("console.glossary_on"))));
	const see = () => {
		show(target, table.glossary_type === "translation");
		say(how, t(`console.kind_how.${table.glossary_type}`));
	};
	it.oninput = event => {
		const { name, value, checked } = /** @type {HTMLInputElement} */ (event.target);
		Object.assign(table, { [name]: name === "is_enabled" ? checked : value });
		see();
		changed();
	};
	see();
	return make("div", null, it, how);
}

/** @param {Table} table @param {TermTable} terms @param {() => void} keep_it */
async function save_it(table, terms, keep_it) {
	if (terms.judge() || !table.rows.some(row => row[0].trim())) {
		terms.only_bad = terms.judge() > 0;
		terms.draw();
		return tell(t(terms.only_bad ? "console.mend_first" : "console.no_terms"), true);
	}
	if (is_too_large(write_csv(table.rows, columns_of(table))))
		return tell(t("console.too_large"), true);
	tell(t("console.saving"));
	const id = table.id, record = await save_table(table, keep_it);
	if (record === undefined)
		return tell(t("console.saving_elsewhere"), true);
	if (!record)
		throw new Problem(404, [{ type: "resource-not-found" }]);
	if (record.entries_status === "failed")
		return show_refused(table, terms, record);
	keep("tab", shelf_of(id), null);
	saved.name = table.name;
	location.hash = "#/glossaries";
	return true;
}

/**
 * Shows each error of the service at its row.
 * @param {Table} table @param {TermTable} terms @param {any} record
 */
function show_refused(table, terms, record) {
	const places = [...table.rows.keys()].filter(i => table.rows[i].some(cell => cell.trim()));
	for (const { row, column, problem } of record.entries_errors)
		terms.told[places[row - 1]] = { what: "refused", column: (column || 1) - 1, text: problem.detail };
	terms.only_bad = record.entries_errors.length > 0;
	terms.draw();
	tell(t("console.mend_first"), true);
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {string | undefined} id */
export async function draw_glossary(view, signal, id) {
	const kept = keep("tab", shelf_of(id));
	/** @type {Table} */
	const table = kept ? JSON.parse(kept) : id ? await read_table(id) : empty_table();
	if (signal.aborted)
		return;
	let timer = 0, dirty = !!kept;
	const keep_it = () => {
		clearTimeout(timer);
		timer = 0;
		if (dirty)
			keep("tab", shelf_of(id), JSON.stringify(table));
	};
	const changed = () => {
		table.key = undefined;
		dirty = true;
		timer = timer || setTimeout(keep_it, PAUSE_OF_DRAFT);
	};
	const terms = new TermTable({ rows: table.rows, columns: () => columns_of(table), heads: () => heads_of(table), changed,
		codes: () => [table.source_lang, table.glossary_type === "translation" ? table.target_lang : table.source_lang] });
	const box = import_box({ ...terms.terms, take: (rows, instead) => {
		terms.take(rows, instead);
		box.clear();
	} });
	const name = () => table.name || t("console.new_glossary");
	head({ title: name(), crumb: ["#/glossaries", t("console.glossaries")], meta: [t(`console.kind.${table.glossary_type}`), kept && make("span", { role: "status" }, t("console.typed_before"))],
		acts: [button(t("console.save_csv"), () => save(`${name()}.csv`, "text/csv", write_csv(table.rows, columns_of(table))), "", "save")] });
	const it = form(t("console.save"), async () => {
		box.finish(); // rows of the preview are not lost
		if (await save_it(table, terms, keep_it))
			dirty = false;
	}, make("fieldset", { disabled: !may("glossaries:write") },
		make("div", { class: "pad" }, about_fields(table, () => (changed(), terms.draw()))), box.it, terms.box));
	it.classList.add("card");
	const bar = /** @type {HTMLElement} */ (it.lastElementChild);
	bar.classList.add("keep-below");
	show(bar, may("glossaries:write"));
	bar.append(button(t("console.discard"), () => {
			dirty = false;
			keep("tab", shelf_of(id), null);
			return draw_glossary(view, signal, id);
		}, "bare"));
	for (const event of ["pagehide", "visibilitychange"])
		addEventListener(event, keep_it, { signal });
	signal.addEventListener("abort", keep_it);
	fill(view, it);
}
