// Texts in the reader's language.  A page has a file of them for each; names stand in
// braces: "{count} hear".  HTML says with data-i18n which text an element has, with
// data-i18n-label and data-i18n-placeholder which attributes.
import { asset } from "./api.js";
import { keep } from "./dom.js";

/** Languages of the pages, in their own names. @type {Record<string, string>} */
export const languages = { en: "English", ar: "العربية", de: "Deutsch", es: "Español", fa: "فارسی", fr: "Français",
	hi: "हिन्दी", it: "Italiano", ja: "日本語", pt: "Português", uk: "Українська", zh: "中文" };

const RTL = /^(ar|fa|he|ur|ps|sd|ug|yi|dv|ckb)\b/;

/** @type {Record<string, string>} */
let texts = {};
let chosen = "en";

/** The language of the page's texts. */
export const language = () => chosen;

/** @param {string} code */
export const direction_of = code => RTL.test(code) ? "rtl" : "ltr";

/** Of the languages there are, the one that suits best; the first of `there` if none does.
 * @param {string[]} there @param {readonly string[]} [wanted] best first
 */
export function best_of(there, wanted = [keep("ever", "language") || "", ...navigator.languages]) {
	for (const code of wanted.filter(Boolean).map(one => one.toLowerCase())) {
		const whole = there.find(one => one.toLowerCase() === code);
		const part = there.find(one => one.toLowerCase().split("-")[0] === code.split("-")[0]);
		if (whole || part)
			return whole || part;
	}
	return undefined;
}

/**
 * Read the texts of a page and put them in.
 * @param {string} page "listen" @param {string} [code] left out: what suits the reader
 */
export async function load(page, code = new URLSearchParams(location.hash.slice(1)).get("ui") || best_of(Object.keys(languages)) || "en") {
	chosen = languages[code] ? code : "en";
	const answer = await fetch(asset(`i18n/${page}.${chosen}.json`));
	texts = await answer.json();
	document.documentElement.lang = chosen;
	document.documentElement.dir = direction_of(chosen);
	translate(document.body);
	const title = document.querySelector("title");
	if (title && title.dataset.i18n)
		document.title = t(title.dataset.i18n);
}

/** @param {ParentNode} root */
export function translate(root) {
	for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-i18n]")))
		element.textContent = t(/** @type {string} */ (element.dataset.i18n));
	for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-i18n-label]")))
		element.setAttribute("aria-label", t(/** @type {string} */ (element.dataset.i18nLabel)));
	for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-i18n-placeholder]")))
		element.setAttribute("placeholder", t(/** @type {string} */ (element.dataset.i18nPlaceholder)));
	for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-i18n-alt]")))
		element.setAttribute("alt", t(/** @type {string} */ (element.dataset.i18nAlt)));
}

/**
 * The text of a key, with names filled in; the key itself where there is none.
 * @param {string} key @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
	return (texts[key] || key).replace(/\{(\w+)\}/g, (whole, name) =>
		name in values ? (typeof values[name] === "number" ? number(/** @type {number} */ (values[name])) : String(values[name])) : whole);
}

/** Whether there is a text of this key. @param {string} key */
export const has = key => key in texts;

/** @param {number} n */
export const number = n => new Intl.NumberFormat(chosen).format(n);

/** @param {string} code of a language @param {boolean} [own] in that language itself */
export function name_of(code, own) {
	try {
		const name = new Intl.DisplayNames([own ? code : chosen], { type: "language" }).of(code === "es-la" ? "es-419" : code) || code; // of Latin America
		return name.charAt(0).toLocaleUpperCase(own ? code : chosen) + name.slice(1);
	} catch {
		return code;
	}
}

/** Day and time of the reader's zone, or of another, which is named. @param {string | number | Date} when @param {string} [zone] */
export function time(when, zone) {
	const format = /** @type {Intl.DateTimeFormatOptions} */ ({ dateStyle: "medium", timeStyle: "short", timeZone: zone });
	try {
		const text = new Intl.DateTimeFormat(chosen, format).format(new Date(when));
		return !zone || zone === new Intl.DateTimeFormat().resolvedOptions().timeZone ? text : `${text} (${zone.replace(/_/g, " ")})`;
	} catch {
		return new Date(when).toLocaleString();
	}
}
