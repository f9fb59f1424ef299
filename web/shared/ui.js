// SPDX-License-Identifier: GPL-3.0-or-later
// The list from which a reader chooses the page's own language.
import { keep } from "./dom.js";
import { language, languages } from "./i18n.js";

/**
 * Fills the list with the pages' languages. The chosen one is kept for all pages.
 * @param {HTMLSelectElement} list @param {() => void} [then] called after a choice
 */
export function offer_ui(list, then = () => location.reload()) {
	list.replaceChildren(...Object.entries(languages).map(([code, name]) => new Option(name, code, false, code === language())));
	list.onchange = () => (keep("ever", "ui", list.value), then());
}
