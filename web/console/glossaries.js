// SPDX-License-Identifier: GPL-3.0-or-later
// The list of the account's glossaries, with a switch for each.
import { fill, make } from "../shared/dom.js";
import { name_of, number, t, time } from "../shared/i18n.js";
import { draw_glossary, saved } from "./glossary_edit.js";
import { begun, go_on } from "./glossary_save.js";
import { empty, head, marks, menu, pill } from "./parts.js";
import { pages_of } from "./pages.js";
import { ask, edit } from "./service.js";
import { may } from "./session.js";
import { button, button_twice, fail, keyed, link, tell } from "./words.js";

/** The languages of a glossary, as text. @param {any} one */
const pair_of = ({ source_lang, target_lang, glossary_type }) => [source_lang, ...glossary_type === "translation" ? [target_lang] : []]
	.map(code => code === "auto" ? t("console.any_language") : name_of(code)).join(" → ");

/** @param {any} one @param {() => Promise<void>} look */
function glossary_row(one, look) {
	const path = `saas/glossary/${one.glossary_id}`, { entries_status: status } = one, cell = (/** @type {string} */ label, /** @type {any[]} */ ...parts) => make("td", { "data-label": label }, ...parts);
	const state = status === "failed" ? pill("bad", t("console.terms_failed")) : status === "pending" ? pill("", t("console.terms_pending")) : one.is_enabled ? pill("live", t("console.glossary_used")) : pill("", t("console.glossary_unused"));
	return make("tr", null, make("td", null, make("a", { href: `#/glossaries/${one.glossary_id}`, dir: "auto" }, one.name), make("small", null, t(`console.kind.${one.glossary_type}`))),
		cell(t("console.languages"), make("span", { class: "row" }, marks([one.source_lang, ...one.glossary_type === "translation" ? [one.target_lang] : []]), make("span", null, pair_of(one)))),
		make("td", { class: "n", "data-label": t("console.terms_word") }, status === "none" ? t("console.terms_none") : number(one.entries_count)),
		cell(t("console.is"), state), cell(t("console.changed"), time(one.utc_updated_at)),
		make("td", { class: "acts" }, may("glossaries:write") && make("div", { class: "row" },
			button(one.is_enabled ? t("console.switch_off") : t("console.switch_on"), async () => {
				await edit(path, () => ({ is_enabled: !one.is_enabled }), { method: "POST" });
				await look();
			}),
			menu(t("console.more_for", { name: one.name }), link(t("console.change"), `#/glossaries/${one.glossary_id}`, "", "edit"), button_twice(t("console.delete"), t("console.delete_sure"), async () => {
				await ask("DELETE", path);
				tell(t("console.deleted"));
				await look();
			}, "danger")))));
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {string[]} rest */
export function draw_glossaries(view, signal, [id]) {
	if (id)
		return draw_glossary(view, signal, id === "new" ? undefined : id);
	const list = make("tbody", { id: "glossaries" }), none = make("div", { role: "status" });
	const fresh = () => may("glossaries:write") && link(t("console.new_glossary"), "#/glossaries/new", "strong", "plus");
	const heads = ["console.name", "console.languages", "console.terms_word", "console.is", "console.changed"].map(key => make("th", { scope: "col", class: key === "console.terms_word" && "n" }, t(key)));
	const table = make("div", { class: "scroll" }, make("table", { class: "fold" }, make("thead", null, make("tr", null, ...heads, make("th", { scope: "col" }, make("span", { class: "hidden-text" }, t("console.acts"))))), list));
	const pages = pages_of(signal, "saas/glossaries", items => {
		table.hidden = !items.length;
		fill(none, !items.length && empty("glossary", t("console.no_glossaries"), t("console.glossaries_how"), fresh()));
		keyed(list, items, one => one.glossary_id, one => glossary_row(one, pages.look));
	});
	head({ title: t("console.glossaries"), meta: [t("console.glossaries_how")], acts: [fresh()] });
	fill(view, make("section", { class: "card" }, table, none), pages.box);
	pages.find({});
	if (saved.name)
		tell(t("console.saved_after_all", { name: saved.name }));
	saved.name = "";
	if (begun().length && may("glossaries:write"))
		go_on(signal, (one, record) => {
			tell(record && record.entries_status === "ready" ? t("console.saved_after_all", { name: one.name }) : t("console.not_saved", { name: one.name }), !record);
			pages.look();
		}).catch(fail);
}
