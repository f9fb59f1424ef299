// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses languages by a search for their name, their own name or their code.
import { fill, keep, make, show } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";
import { mark } from "./parts.js";

const RECENT = "languages", MOST_RECENT = 8;
let made = 0; // lists so far, for their ids

/**
 * Returns why a target language is unavailable.
 * @param {any} languages @param {string} source @param {any} target
 */
function lack(languages, source, target) {
	const pair = languages.pairs.find((/** @type {any} */ one) => one.source === source && one.target === target.code);
	return source !== "auto" && target.code !== source && (!pair || !pair.engine) ? t("console.unserved") : "";
}

/** The target languages that were chosen last. */
export const recent = () => (keep("ever", RECENT) || "").split(" ").filter(Boolean);

/** @param {any} one @returns {string[]} */
const spellings = one => [one.name, one.own, one.code].map(folded);

/** @param {string} text */
const folded = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * @param {any} languages @param {() => string[]} sources spoken languages; a target that one of them serves can be chosen
 * @param {string[]} chosen
 */
export function language_select(languages, sources, chosen) {
	let picked = [...chosen], at = 0;
	/** @type {any[]} */
	let found = [];
	const id = `languages${++made}`, chips = make("span", { class: "chips" });
	const input = make("input", { name: "target", role: "combobox", "aria-controls": id, "aria-expanded": "false", "aria-autocomplete": "list", "aria-label": t("console.find_language"),
		autocomplete: "off", placeholder: t("console.find_language"), oninput: () => (at = 0, look()), onfocus: () => look(), onblur: () => open(false), onkeydown: (/** @type {KeyboardEvent} */ event) => press(event) });
	const list = make("div", { class: "list", role: "listbox", id, "aria-label": t("console.targets"), hidden: true, onmousedown: (/** @type {Event} */ event) => event.preventDefault() });
	const box = make("div", { class: "targets" }, make("div", { class: "box" }, chips, input), list);
	const told = () => box.dispatchEvent(new Event("change", { bubbles: true }));
	const open = (/** @type {boolean} */ is) => {
		show(list, is);
		input.setAttribute("aria-expanded", String(is));
	};
	const all = () => {
		const spoken = [...new Set(sources())], first = recent();
		return languages.target.filter((/** @type {any} */ one) => !(spoken.length === 1 && spoken[0] === one.code)).map((/** @type {any} */ one) => {
			const lacks = spoken.map(source => lack(languages, source, one)), why = lacks.every(Boolean) ? lacks[0] || "" : "";
			return { ...one, why, name: name_of(one.code), own: name_of(one.code, true), rank: why ? 99 : first.includes(one.code) ? first.indexOf(one.code) : 50 };
		}).sort((/** @type {any} */ a, /** @type {any} */ b) => a.rank - b.rank || a.name.localeCompare(b.name));
	};
	const look = () => {
		const words = folded(input.value.trim());
		const is_plain = (/** @type {any} */ one) => !one.code.includes("-"), begins = (/** @type {any} */ one) => spellings(one).some(text => text.startsWith(words));
		found = all().filter((/** @type {any} */ one) => !picked.includes(one.code) && spellings(one).some(text => text.includes(words)));
		if (words)
			found.sort((a, b) => +!!a.why - +!!b.why || +begins(b) - +begins(a) || +is_plain(b) - +is_plain(a));
		fill(list, ...found.length ? found.map((one, i) => make("div", { role: "option", id: `${id}-${i}`, "data-code": one.code, class: i === at && "at", "aria-selected": String(i === at), "aria-disabled": !!one.why && "true",
			onclick: () => pick(one) }, mark(one.code), make("span", { class: "grow" }, make("span", { lang: one.code }, one.own), make("small", null, ` ${one.name}`)),
		make("span", { class: "chip" }, one.why || t(one.speech ? "console.with_voice" : "console.text_only")))) : [make("div", { role: "option", "aria-disabled": "true" }, t("console.no_language"))]);
		input.setAttribute("aria-activedescendant", `${id}-${at}`);
		open(true);
	};
	const pick = (/** @type {any} */ one) => {
		if (!one || one.why)
			return;
		picked.push(one.code);
		keep("ever", RECENT, [one.code, ...recent().filter(code => code !== one.code)].slice(0, MOST_RECENT).join(" "));
		input.value = "";
		at = 0;
		draw();
		look();
		told();
	};
	const drop = (/** @type {string} */ code) => {
		picked = picked.filter(one => one !== code);
		draw();
		told();
		input.focus();
	};
	const press = (/** @type {KeyboardEvent} */ event) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step) {
			at = Math.max(0, Math.min(found.length - 1, at + step));
			look();
			document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
		} else if (event.key === "Enter")
			list.hidden ? look() : pick(found[at]);
		else if (event.key === "Escape")
			open(false);
		else if (event.key === "Backspace" && !input.value && picked.length)
			drop(picked[picked.length - 1]);
		else
			return;
		event.preventDefault();
	};
	const draw = () => fill(chips, ...picked.map(code => make("span", { class: "chip" }, mark(code), make("span", null, name_of(code)),
		make("button", { type: "button", class: "bare", "aria-label": t("console.remove", { name: name_of(code) }), onclick: () => drop(code) }, icon("close")))));
	draw();
	return { box, draw, chosen: () => picked.filter(code => all().some((/** @type {any} */ one) => one.code === code && !one.why)) };
}
