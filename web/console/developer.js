// SPDX-License-Identifier: GPL-3.0-or-later
// The screen for developers: a stream to try, and the requests of this page as commands.
import { make } from "../shared/dom.js";
import { language, t } from "../shared/i18n.js";
import { sent, sent_told } from "./curl.js";
import { draw_playground } from "./playground.js";
import { may } from "./session.js";
import { copy_button, fail, keyed } from "./words.js";

/** @param {AbortSignal} signal */
function list_requests(signal) {
	const list = make("ul", { class: "plain", id: "sent" });
	const clock = new Intl.DateTimeFormat(language(), { timeStyle: "medium" });
	const draw = () => keyed(list, sent, one => one.method, one => make("li", { class: "card" },
		make("p", { class: "soft" }, `${clock.format(one.at)} · ${one.status || "–"}${one.times > 1 ? ` · × ${one.times}` : ""}`),
		make("pre", { dir: "ltr", tabIndex: 0, role: "group", "aria-label": t("console.asked") }, one.command), copy_button(() => one.command)));
	sent_told.run = draw;
	signal.addEventListener("abort", () => (sent_told.run = () => {}));
	draw();
	return list;
}

/** @param {HTMLElement} view @param {AbortSignal} signal */
export async function draw_developer(view, signal) {
	const place = make("section", null);
	view.append(place, make("section", null, make("h2", null, t("console.asked")), make("p", { class: "soft" }, t("console.asked_how")), list_requests(signal)));
	if (may("sessions:write") || may("channels:write"))
		await draw_playground(place, signal).catch(fail);
}
