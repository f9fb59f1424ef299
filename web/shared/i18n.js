// SPDX-License-Identifier: GPL-3.0-or-later
// Texts in the reader's language. A page has one file of texts for each language; a text contains
// names in braces: "{count} hear". In HTML, data-i18n has the key of an element's text,
// data-i18n-label and data-i18n-placeholder those of its attributes.
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

/** Codes of one language: the first is replaced by the second. @type {Record<string, string>} */
const SAME = { nb: "no", "es-la": "es-419" }, MACRO = /** @type {Record<string, string>} */ ({ nn: "no", yue: "zh" });

/** @param {string} code @returns {Intl.Locale | null} Intl maps old codes such as iw, in and tl */
function read_code(code) {
	const [, first, rest] = /** @type {string[]} */ (/^([^-]*)(.*)$/.exec(code.toLowerCase().replace(/_/g, "-")));
	try {
		return new Intl.Locale(SAME[first + rest] || (SAME[first] || first) + rest);
	} catch {
		return null; // not a code, such as "original"
	}
}

/**
 * Returns the regions whose usage the reader's region shares, best first; see CLDR's parentLocales.
 * @param {Intl.Locale} wanted
 */
function regions_of({ language: of, region }) {
	if (!region)
		return [];
	return of === "es" && !/^(ES|GQ|EA|IC|PH)$/.test(region) ? ["419", "MX"] : of === "pt" && region !== "BR" ? ["PT"] :
		of === "en" && !/^(US|CA|PH|PR)$/.test(region) ? ["001", "GB"] : of === "zh" && region === "MO" ? ["HK"] : [];
}

const ONE_SCRIPT = 16; // least score of a suitable language; a lower score means another script

/**
 * Returns how well a language suits; negative for another language.
 * @param {Intl.Locale} wanted @param {Intl.Locale | null} there
 */
function suits(wanted, there) {
	const macro = (/** @type {Intl.Locale} */ one) => MACRO[one.language] || one.language;
	if (!there || macro(wanted) !== macro(there))
		return -1;
	const [want, have] = [wanted.maximize(), there.maximize()], regions = regions_of(wanted), at = regions.indexOf(there.region || "none");
	const script = want.script === have.script ? 2 * ONE_SCRIPT : there.script || there.region ? 0 : ONE_SCRIPT;
	const region = wanted.region === there.region && there.region ? 8 : at >= 0 ? 7 - at : !there.region ? 4 : have.region === new Intl.Locale(there.language).maximize().region ? 2 : 0;
	return script + region + (wanted.language === there.language ? 1.5 : macro(wanted) === there.language ? 1 : 0);
}

/** Returns the available language that suits best, by RFC 4647's lookup and CLDR's parents and
   scripts.
 * @param {string[]} there @param {readonly string[]} [wanted] best first
 */
export function best_of(there, wanted = [keep("ever", "language") || "", ...navigator.languages]) {
	const plain = wanted.find(Boolean)?.split("-")[0] || "";
	if (there.filter(one => one.split("-")[0] === plain).join() === plain) // this alone, without Intl, whose data a phone loads slowly
		return plain || undefined;
	const known = there.map(read_code);
	for (const least of [ONE_SCRIPT, 0])
		for (const want of wanted.filter(Boolean).map(read_code)) {
			const scores = known.map(one => want ? suits(want, one) : -1), most = Math.max(...scores);
			if (most >= least)
				return there[scores.indexOf(most)];
		}
	return undefined;
}

/**
 * Loads the texts of a page and inserts them.
 * @param {string} page "listen" @param {string} [code] absent: the reader's language
 */
export async function load(page, code = new URLSearchParams(location.hash.slice(1)).get("ui") || keep("ever", "ui") || best_of(Object.keys(languages)) || "en") {
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

/** Loads the texts that the parts of a page need. @param {string} page */
export async function load_more(page) {
	const answer = await fetch(asset(`i18n/${page}.more.${chosen}.json`));
	texts = { ...texts, ...await answer.json() };
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
 * Returns the text of a key, with values inserted; the key itself if it has no text.
 * @param {string} key @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
	return (texts[key] || key).replace(/\{(\w+)\}/g, (whole, name) =>
		name in values ? (typeof values[name] === "number" ? number(/** @type {number} */ (values[name])) : String(values[name])) : whole);
}

/** True when the key has a text. @param {string} key */
export const has = key => key in texts;

/** The reader's locale, with the region, which decides how dates are written. */
export const locale = () => navigator.languages.find(one => new Intl.Locale(one).language === chosen) || chosen;

/** @param {number} n */
export const number = n => new Intl.NumberFormat(chosen).format(n);

/**
 * @param {string} code of a language @param {boolean} [own] return the name in that language itself
 */
export function name_of(code, own) {
	if (own && Object.hasOwn(languages, code))
		return languages[code]; // Intl would load the data of each language
	try {
		const name = new Intl.DisplayNames([own ? code : chosen], { type: "language" }).of(code === "es-la" ? "es-419" : code) || code; // Spanish of Latin America
		return name.charAt(0).toLocaleUpperCase(own ? code : chosen) + name.slice(1);
	} catch {
		return code;
	}
}

/** @type {Intl.DateTimeFormatOptions} */
const DAY_AND_TIME = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" };

/**
 * Formats day and time, or from one to another, in the reader's zone, or in another zone with its
 * name. The year is shown only if it is not this one.
 * @param {string | number | Date} when @param {string} [zone] @param {string} [until]
 */
export function time(when, zone, until) {
	const from = new Date(when), year = from.getFullYear() !== new Date().getFullYear();
	try {
		const format = new Intl.DateTimeFormat(locale(), { ...DAY_AND_TIME, ...year && { year: "numeric" }, timeZone: zone });
		const text = until ? format.formatRange(from, new Date(until)) : format.format(from);
		return !zone || zone === new Intl.DateTimeFormat().resolvedOptions().timeZone ? text : `${text} (${zone.replace(/_/g, " ")})`;
	} catch {
		return from.toLocaleString();
	}
}
