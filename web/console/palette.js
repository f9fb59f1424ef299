// SPDX-License-Identifier: GPL-3.0-or-later
// The palette: finds acts first, then screens, events, halls and glossaries by their names.
import { fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";
import { in_order, is_live } from "./events.js";
import { open_to_me } from "./frame.js";
import { all } from "./service.js";
import { may } from "./session.js";
import { fail } from "./words.js";

const MOST = 30; // shown rows

/** @typedef {{ text: string, note?: string, sign: string, href: string, act?: boolean }} Row */

/** Letters without case and marks. @param {string} text */
export const plain = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** @param {Record<string, import("./frame.js").Screen>} screens @returns {Row[]} */
function rows_here(screens) {
	const acts = [may("events:write") && ["plus", "console.new", "#/new"], may("members:write") && ["people", "console.invite", "#/team"], may("keys:write") && ["key", "console.new_key", "#/keys"]];
	return [...acts.filter(Boolean).map(one => ({ sign: /** @type {any} */ (one)[0], text: t(/** @type {any} */ (one)[1]), href: /** @type {any} */ (one)[2], act: true })),
		...open_to_me(screens).filter(([name]) => !["more", "event", "new"].includes(name)).map(([name, one]) => ({ sign: one.icon || "next", text: one.title, href: `#/${name}` }))];
}

/** @returns {Promise<Row[]>} */
async function rows_of_account() {
	const [events, glossaries] = await Promise.all([may("events:read") ? all("saas/v2/events") : [], may("glossaries:read") ? all("saas/glossaries") : []]);
	return [...in_order(events).flatMap(event => {
		const href = `#/event/${event.event_id}`;
		return [...is_live(event) ? [{ sign: "qr", text: `${t("console.share")}: ${event.title}`, href, act: true }] : [],
			{ sign: "event", text: event.title, note: t(`console.status.${event.lifecycle_status}`), href },
			...event.stages.length > 1 ? event.stages.map((/** @type {any} */ one) => ({ sign: "mic", text: one.name, note: event.title, href })) : []];
	}), ...glossaries.map(one => ({ sign: "glossary", text: one.name || one.title, note: t("console.glossaries"), href: `#/glossaries/${one.glossary_id}` }))];
}

/** @param {Record<string, import("./frame.js").Screen>} screens */
export function open_palette(screens) {
	if (document.querySelector("dialog[open]"))
		return;
	let rows = rows_here(screens), at = 0;
	/** @type {Row[]} */
	let found = [];
	const list = make("ul", { id: "found", role: "listbox", "aria-label": t("console.palette") });
	const input = make("input", { name: "palette", type: "search", autocomplete: "off", placeholder: t("console.palette_how"), role: "combobox", "aria-label": t("console.palette"), "aria-expanded": "true", "aria-controls": "found", "aria-autocomplete": "list", oninput: () => (at = 0, draw()) });
	const it = make("dialog", { class: "dialog palette", "aria-label": t("console.palette"), onclose: () => it.remove() }, make("div", { class: "ask" }, icon("search"), input), list);
	const open = () => {
		it.close();
		if (found[at])
			location.hash = found[at].href;
	};
	const draw = () => {
		const words = plain(input.value).split(/\s+/).filter(Boolean), fits = (/** @type {Row} */ row) => words.every(word => plain(`${row.text} ${row.note || ""}`).includes(word));
		found = rows.filter(fits).sort((a, b) => Number(!!b.act) - Number(!!a.act)).slice(0, MOST);
		at = Math.min(at, Math.max(0, found.length - 1));
		fill(list, ...found.map((row, i) => make("li", { id: `found-${i}`, role: "option", "aria-selected": String(i === at), onclick: () => (at = i, open()) },
			icon(row.sign), make("span", { class: "grow", dir: "auto" }, row.text, row.note && make("small", null, row.note)))),
		!found.length && make("li", { class: "soft", role: "option", "aria-selected": "false" }, t("console.palette_none")));
		if (found.length)
			input.setAttribute("aria-activedescendant", `found-${at}`);
		list.children[at]?.scrollIntoView({ block: "nearest" });
	};
	input.addEventListener("keydown", event => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (!step && event.key !== "Enter")
			return;
		event.preventDefault();
		if (step) {
			at = (at + step + found.length) % Math.max(1, found.length);
			draw();
		} else
			open();
	});
	it.addEventListener("click", ({ target }) => target === it && it.close());
	document.body.append(it);
	it.showModal();
	draw();
	rows_of_account().then(more => (rows = [...rows, ...more], draw()), fail);
}
