// SPDX-License-Identifier: GPL-3.0-or-later
// Shows one page of a list and requests it again every few seconds.
import { fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { watch } from "./service.js";
import { button, fail } from "./words.js";

/**
 * @param {AbortSignal} signal @param {string} path @param {(items: any[]) => void} draw draws the
 * items of the page
 * @param {(error: any) => void} [failed]
 */
export function pages_of(signal, path, draw, failed = fail) {
	let turn = new AbortController();
	/** @type {string[]} tokens of the pages up to this one */
	let tokens = [];
	/** @type {Record<string, any>} */
	let wanted = {};
	let look = async () => {};
	const box = make("nav", { class: "row", "aria-label": t("console.pages") });
	signal.addEventListener("abort", () => turn.abort());
	const steps = (/** @type {string | null} */ next) => fill(box,
		tokens.length > 0 && button(t("console.page_before"), () => go(tokens.slice(0, -1))),
		next && button(t("console.page_after"), () => go([...tokens, next])));
	/** @param {string[]} to */
	const go = to => {
		turn.abort();
		turn = new AbortController();
		tokens = to;
		look = watch(turn.signal, path, data => {
			if (!data.items.length && tokens.length)
				return go(tokens.slice(0, -1)); // the last item of this page was deleted
			draw(data.items);
			steps(data.next);
		}, failed, to.length ? { token: to[to.length - 1] } : wanted);
	};
	/** Shows the first page of the list for this query. @param {Record<string, any>} query */
	const find = query => {
		wanted = query;
		go([]);
	};
	return { box, find, look: () => look() };
}
