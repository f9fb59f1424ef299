// SPDX-License-Identifier: GPL-3.0-or-later
// The list of the account's glossaries, with a switch for each.
import { fill, make, say } from "../shared/dom.js";
import { name_of, t, time } from "../shared/i18n.js";
import { draw_glossary, saved } from "./glossary_edit.js";
import { begun, go_on } from "./glossary_save.js";
import { pages_of } from "./pages.js";
import { ask, edit } from "./service.js";
import { may } from "./session.js";
import { button, button_twice, fail, keyed, tell } from "./words.js";

/** The languages of a glossary, as text. @param {any} one */
const pair_of = ({ source_lang, target_lang, glossary_type }) => [source_lang, ...glossary_type === "translation" ? [target_lang] : []]
	.map(code => code === "auto" ? t("console.any_language") : name_of(code)).join(" → ");

/** @param {any} one @param {() => Promise<void>} look */
function glossary_card(one, look) {
	const path = `saas/glossary/${one.glossary_id}`, { entries_status: status } = one;
	return make("li", { class: "card" }, make("h2", null, make("a", { href: `#/glossaries/${one.glossary_id}`, dir: "auto" }, one.name)),
		make("p", null, t(`console.kind.${one.glossary_type}`), ` · ${pair_of(one)}`),
		make("p", { class: status === "failed" ? "bad" : status === "ready" ? "" : "soft" }, status === "ready" ? t("console.terms", { count: one.entries_count }) : t(`console.terms_${status}`)),
		make("p", { class: one.is_enabled ? "good" : "soft" }, one.is_enabled ? t("console.glossary_used") : t("console.glossary_unused"), make("span", { class: "soft" }, ` · ${time(one.utc_updated_at)}`)),
		may("glossaries:write") && make("div", { class: "row" },
			button(one.is_enabled ? t("console.switch_off") : t("console.switch_on"), async () => {
				await edit(path, () => ({ is_enabled: !one.is_enabled }), { method: "POST" });
				await look();
			}),
			button_twice(t("console.delete"), t("console.delete_sure"), async () => {
				await ask("DELETE", path);
				tell(t("console.deleted"));
				await look();
			})));
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {string[]} rest */
export function draw_glossaries(view, signal, [id]) {
	if (id)
		return draw_glossary(view, signal, id === "new" ? undefined : id);
	const list = make("ul", { class: "plain tiles wide", id: "glossaries" }), state = make("p", { role: "status" });
	const pages = pages_of(signal, "saas/glossaries", items => {
		say(state, items.length ? "" : t("console.no_glossaries"));
		keyed(list, items, one => one.glossary_id, one => glossary_card(one, pages.look));
	});
	fill(view, make("p", { class: "soft" }, t("console.glossaries_how")),
		may("glossaries:write") && make("p", null, make("a", { class: "button", href: "#/glossaries/new" }, t("console.new_glossary"))), state, list, pages.box);
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
