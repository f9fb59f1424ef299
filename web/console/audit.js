// SPDX-License-Identifier: GPL-3.0-or-later
// The changes that people and keys made in the last 90 days.
import { fill, make } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { card_head, empty, head } from "./parts.js";
import { pages } from "./service.js";
import { button } from "./words.js";

/** @param {any} line */
const audit_row = ({ utc_at, member, key, action, kind, summary }) => make("li", null,
	make("span", { class: "grow" }, make("b", { dir: "auto" }, summary || "–"), make("small", null, `${member ? member.name : key ? key.name || t("console.key") : "–"} · ${time(utc_at)}`)),
	make("code", { class: "chip" }, `${kind} · ${action}`));

/** @param {HTMLElement} view */
export async function draw_audit(view) {
	const list = make("ul", { class: "rows" }), more = make("div", { class: "row pad" }), all = pages("saas/audit", { page_size: 50 });
	const next = async () => {
		const { value, done } = await all.next();
		list.append(...(value || []).map(audit_row));
		fill(more, !done && value.length === 50 && button(t("console.more_lines"), next));
	};
	head({ title: t("console.audit"), meta: [t("console.audit_how")] });
	await next();
	view.append(make("section", { class: "card" }, card_head(t("console.audit")), list.children.length ? list : empty("clock", t("console.audit_none"), ""), more));
}
