// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside the halls of an event: how to share it, its listeners, the languages asked for.
import { fill, make, say, show } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { language_of } from "./frame.js";
import { card_head, mark } from "./parts.js";
import { approve, decline } from "./requests.js";
import { watch } from "./service.js";
import { may } from "./session.js";
import { share_card } from "./share.js";
import { button, fail, link } from "./words.js";

const MOST_LANGUAGES = 8, MOST_REQUESTS = 4;

/** @param {any} stats */
function listeners_of(stats) {
	/** @type {Map<string, number>} */
	const sums = new Map();
	for (const { language, listeners } of stats.now.by_channel)
		sums.set(language, (sums.get(language) || 0) + listeners);
	return [...sums].sort(([, a], [, b]) => b - a);
}

/** @param {any} event @param {any} asked @param {() => any} again */
function request_line(event, asked, again) {
	const { language } = asked.payload, name = language_of(language);
	return make("li", null, make("span", { class: "grow" }, make("b", null, name), make("small", null, t("console.asked_by", { count: asked.request_count }),
		asked.served === false && make("span", { class: "bad" }, ` · ${t("console.no_engine")}`))),
	asked.served !== false && button(t("console.approve"), async () => (await approve(event, asked), again())),
	button(t("console.decline_language", { language: name }), async () => (await decline(event, asked), again()), "bare icon", "close"));
}

/** @param {any} event @param {AbortSignal} signal */
export function draw_beside(event, signal) {
	const sum = make("b", { class: "push large" }, "–"), bars = make("ul", { class: "bars" }), count = make("span", { class: "count" }), list = make("ul", { class: "rows" });
	const asked = make("section", { class: "card", hidden: true }, card_head(t("console.asked_for"), count, make("span", { class: "push" }, link(t("console.all"), `#/event/${event.event_id}/requests`, "bare"))), list);
	if (may("events:write")) {
		const again = watch(signal, `saas/v2/event/${event.event_id}/requests`, ({ requests }) => {
			show(asked, requests.length > 0);
			say(count, number(requests.length));
			fill(list, ...requests.slice(0, MOST_REQUESTS).map((/** @type {any} */ one) => request_line(event, one, again)));
		}, fail);
	}
	return { element: make("div", { class: "stack" }, share_card(event), make("section", { class: "card" }, card_head(t("console.listening"), sum), make("div", { class: "pad" }, bars)), asked),
		/** @param {any} stats */
		count: stats => {
			const all = listeners_of(stats), most = Math.max(1, ...all.map(([, n]) => n));
			say(sum, number(stats.now.listeners));
			fill(bars, ...all.length ? all.slice(0, MOST_LANGUAGES).map(([code, n]) => make("li", null, mark(code), make("span", null, language_of(code)), make("b", { class: "num" }, number(n)),
				make("meter", { min: 0, max: most, value: n, "aria-label": language_of(code) }))) : [make("li", { class: "soft" }, t("console.nobody_yet"))]);
		} };
}
