// SPDX-License-Identifier: GPL-3.0-or-later
// The screen for developers: keys and webhooks, a stream to try, and the requests of this page as commands.
import { make } from "../shared/dom.js";
import { language, t } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";
import { sent, sent_told } from "./curl.js";
import { card_head, head } from "./parts.js";
import { keys_part } from "./keys.js";
import { draw_playground } from "./playground.js";
import { may } from "./session.js";
import { hooks_part } from "./webhooks.js";
import { copy_button, fail, keyed } from "./words.js";

/** @param {string} text */
function bare_copy(text) {
	const it = copy_button(() => text);
	it.classList.add("bare");
	return it;
}

/** @param {AbortSignal} signal */
function list_requests(signal) {
	const list = make("ul", { class: "rows", id: "sent" });
	const clock = new Intl.DateTimeFormat(language(), { timeStyle: "medium" });
	const row = (/** @type {import("./curl.js").Sent} */ one) => make("li", null, make("details", { class: "grow" },
		make("summary", { class: "row" }, make("b", { class: one.status && one.status < 400 ? "good num" : "bad num" }, one.status || "–"), make("code", { class: "grow" }, `${one.method} ${one.path}`),
			make("span", { class: "soft small num" }, `${one.times > 1 ? `× ${one.times} · ` : ""}${clock.format(one.at)}`)),
		make("pre", { dir: "ltr", tabIndex: 0, role: "group", "aria-label": t("console.asked") }, one.command)), bare_copy(one.command));
	const draw = () => keyed(list, sent, one => one.command, row);
	sent_told.run = draw;
	signal.addEventListener("abort", () => (sent_told.run = () => {}));
	draw();
	return list;
}

/** @param {HTMLElement} view @param {AbortSignal} signal */
export async function draw_developer(view, signal) {
	const place = make("section", { class: "card" });
	head({ title: t("console.developer"), acts: [make("a", { class: "button", href: "../docs" }, icon("glossary"), t("console.reference"))] });
	for (const { parts, again } of [...may("keys:read") ? [keys_part()] : [], ...may("webhooks:read") ? [hooks_part()] : []]) {
		view.append(...parts);
		again().catch(fail);
	}
	view.append(place, make("section", { class: "card" }, card_head(t("console.asked"), make("span", { class: "soft small" }, t("console.asked_how"))), list_requests(signal)));
	if (may("sessions:write") || may("channels:write"))
		await draw_playground(place, signal).catch(fail);
}
