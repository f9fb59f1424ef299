// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that screens are made of: the head of a page, marks, menus, dialogs, toasts, empty states.
import { byId, fill, make, say, show } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { draw, icon } from "../shared/svg.js";

const TOAST_MS = 6000;

/* ---- the head of a page ---- */

/**
 * Fills the head of the page. Absent parts are emptied.
 * @param {{ title?: string, crumb?: [string, string], state?: Node | null, meta?: (Node | string | null | false | undefined)[],
 *   acts?: (Node | null | false | undefined)[] }} of crumb: address and name of the screen above
 */
export function head({ title, crumb, state, meta = [], acts = [] }) {
	if (title !== undefined) {
		say("heading", title);
		document.title = title;
	}
	fill(byId("crumb"), ...crumb ? [make("a", { href: crumb[0] }, crumb[1]), icon("next"), make("span", { dir: "auto" }, title)] : []);
	show("crumb", !!crumb);
	fill(byId("state"), state);
	fill(byId("meta"), ...meta.map(one => typeof one === "string" ? make("span", null, one) : one));
	fill(byId("acts"), ...acts);
}

/** @param {string} sign @param {string} text */
export const fact = (sign, text) => text ? make("span", null, icon(sign), make("span", { dir: "auto" }, text)) : null;

/* ---- small marks ---- */

/** The state of something. @param {string} tone "live", "warn", "bad" or "" @param {string} text */
export const pill = (tone, text) => make("span", { class: `pill ${tone}` }, text);

/** @param {string} code of a language */
export const mark = code => make("span", { class: "code", translate: false, title: name_of(code) }, code === "original" ? "•" : code);

/** @param {string[]} all codes of languages @param {number} [most] that are shown */
export const marks = (all, most = 6) => make("span", { class: "codes" }, ...all.slice(0, most).map(mark),
	all.length > most && make("span", { class: "soft small" }, `+${all.length - most}`));

/* ---- the state of the sound ---- */

const BARS = 80;

/** Makes a wave of the last levels, 0 to 1; `follow` moves it on. */
export function wave() {
	const bars = Array.from({ length: BARS }, (_, i) => draw("rect", { x: i * 4, width: 2.4, rx: 1.2, y: 17, height: 2, class: "off" }));
	const element = draw("svg", { class: "wave", viewBox: `0 0 ${BARS * 4} 36`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...bars);
	/** @type {number[]} */
	const levels = [];
	return { element,
		follow: (/** @type {number} */ level) => {
			levels.push(level);
			levels.splice(0, levels.length - BARS);
			bars.forEach((bar, i) => {
				const tall = Math.max(2, 34 * (levels[levels.length - BARS + i] || 0));
				bar.setAttribute("y", String(18 - tall / 2));
				bar.setAttribute("height", String(tall));
				bar.setAttribute("class", tall > 2 ? "" : "off");
			});
		} };
}

/* ---- menu, dialog, toast ---- */

/** Makes a button with dots that opens a list of further acts. @param {string} label @param {...(HTMLElement | null | false | undefined)} acts */
export function menu(label, ...acts) {
	const all = acts.filter(Boolean);
	return all.length > 0 && make("details", { class: "menu" }, make("summary", { class: "button bare icon", "aria-label": label, title: label }, icon("more")), make("div", null, ...all));
}

/** @param {EventTarget | null} target */
function close_menus(target) {
	for (const one of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(".menu[open]")))
		if (!(target instanceof Node) || !one.contains(target) || one.lastElementChild?.contains(target))
			one.open = false;
}
addEventListener("click", ({ target }) => close_menus(target));
addEventListener("keydown", ({ key }) => {
	const open = /** @type {HTMLElement | null} */ (key === "Escape" && document.querySelector(".menu[open] > summary"));
	close_menus(null);
	if (open)
		open.focus();
}, true);

/**
 * Asks before what cannot be undone. Resolves with the answer.
 * @param {string} title @param {string} verb text of the button that does it @param {...(Node | string)} parts
 * @returns {Promise<boolean>}
 */
export const sure = (title, verb, ...parts) => new Promise(done => {
	const yes = make("button", { type: "button", class: "danger strong", onclick: () => it.close("yes") }, verb);
	const it = make("dialog", { class: "dialog", "aria-label": title, onclose: () => (it.remove(), done(it.returnValue === "yes")) },
		make("div", null, make("h2", null, title), ...parts.map(one => typeof one === "string" ? make("p", { class: "soft" }, one) : one)),
		make("footer", null, make("button", { type: "button", onclick: () => it.close() }, t("console.back")), yes));
	document.body.append(it);
	it.showModal();
});

/** Shows a notice for a while. @param {string} text @param {HTMLElement | null} [act] such as Undo @param {number} [ms] */
export function toast(text, act = null, ms = TOAST_MS) {
	const it = make("div", { class: "toast" }, make("span", { class: "grow" }, text), act);
	byId("toasts").append(it);
	byId("toasts").replaceChildren(...[...byId("toasts").children].slice(-3));
	setTimeout(() => it.remove(), ms);
	return it;
}

const UNDO_MS = 10000;
/** What happens unless it is undone; a page that is left does it at once. @type {Set<() => void>} */
const coming = new Set();
addEventListener("pagehide", () => coming.forEach(run => run()));

/**
 * Says that something is done and does it after ten seconds, unless it is undone.
 * @param {string} text @param {() => any} run @param {() => any} undo
 */
export function undoable(text, run, undo) {
	const it = toast(text, make("button", { type: "button", onclick: () => {
		clearTimeout(timer);
		coming.delete(now);
		it.remove();
		undo();
	} }, t("console.undo")), UNDO_MS);
	const now = () => {
		clearTimeout(timer);
		coming.delete(now);
		it.remove();
		run();
	};
	const timer = setTimeout(now, UNDO_MS);
	coming.add(now);
}

/** The picture of a link. @param {string} svg @param {string} label */
export const qr_of = (svg, label) => make("img", { class: "qr", src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: label });

/* ---- nothing, and not yet ---- */

/**
 * What a list is for, and the first step.
 * @param {string} sign @param {string} title @param {string} text @param {...(Node | null | false | undefined)} acts
 */
export const empty = (sign, title, text, ...acts) => make("div", { class: "empty" }, icon(sign), make("h2", null, title), text && make("p", null, text), make("div", { class: "row" }, ...acts));

/** A grey outline of a list that loads; it is visible after 300 ms. @param {number} rows */
export const bones = rows => make("div", { class: "bones", "aria-hidden": "true" }, ...Array.from({ length: rows }, () => make("div", null)));

/** A phone with what attendees see. @param {string} title @param {string} when @param {string[]} languages @param {string[]} halls */
export const phone_of = (title, when, languages, halls) => make("div", { class: "phone", role: "img", "aria-label": t("console.attendees_see") }, make("p", { class: "soft small" }, when),
	make("p", { class: "ph-title", dir: "auto" }, title), halls.length > 1 && make("p", { class: "soft small", dir: "auto" }, halls.filter(Boolean).join(" · ")),
	...languages.slice(0, 5).map((name, i) => make("p", { class: i ? "ph-l" : "ph-l on" }, name)), make("p", { class: "ph-b" }, t("console.listen_word")));

/** Makes a table whose last column has acts. @param {string[]} heads @param {number} [figures] number of a column with figures */
export function table_of(heads, figures) {
	const list = make("tbody", null);
	return { list, element: make("div", { class: "scroll" }, make("table", { class: "fold" }, make("thead", null, make("tr", null, ...heads.map((text, i) => make("th", { scope: "col", class: i === figures && "n" }, text)),
		make("th", { scope: "col" }, make("span", { class: "hidden-text" }, t("console.acts"))))), list)) };
}

/**
 * Makes a row of choices, of which one is chosen.
 * @param {string} name @param {string} label @param {Record<string, string>} options @param {string} value @param {(value: string) => any} choose
 */
export const segments = (name, label, options, value, choose) => make("fieldset", { class: "seg" }, make("legend", { class: "hidden-text" }, label), ...Object.entries(options).map(([key, text]) =>
	make("label", null, make("input", { type: "radio", name, value: key, defaultChecked: key === value, onchange: () => choose(key) }), make("span", null, text))));

/** @param {string} title @param {...(Node | string | null | false | undefined)} parts beside it */
export const card_head = (title, ...parts) => make("header", null, make("h2", null, title), ...parts);
