// SPDX-License-Identifier: GPL-3.0-or-later
// Form fields of a hall: its input and its spoken language.
import { name_of, t } from "../shared/i18n.js";
import { choice, field } from "./words.js";

export const INPUTS = ["webrtc_push", "srt_push", "rtmp_push", "hls_pull"];

/**
 * Makes the fields of an input: input_type and, for inputs that are fetched, input_url.
 * @param {{ type?: string, url?: string }} is @param {string} [n] suffix of their names
 */
export function input_fields(is, n = "") {
	const types = choice(`input_type${n}`, t("console.sound_in"), Object.fromEntries(INPUTS.map(type => [type, t(`console.input.${type}`)])), is.type);
	const url = field(`input_url${n}`, t("console.input_url"), { type: "url", value: is.url || "", required: true, maxLength: 2083, pattern: "https?://.*", placeholder: "https://", dir: "ltr" });
	const select = /** @type {HTMLSelectElement} */ (types.lastElementChild), input = /** @type {HTMLInputElement} */ (url.lastElementChild);
	const suit = () => (url.hidden = input.disabled = select.value !== "hls_pull");
	select.addEventListener("change", suit);
	suit();
	return { parts: [types, url], read: () => ({ type: select.value, url: input.value }) };
}

/** @param {any} languages */
export const source_names = languages => Object.fromEntries([
	...(languages.source.some((/** @type {any} */ one) => one.detect) ? [["auto", t("console.detected")]] : []),
	...languages.source.filter((/** @type {any} */ one) => one.engines.length && one.code !== "auto").map((/** @type {any} */ one) => [one.code, name_of(one.code)])]);
