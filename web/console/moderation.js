// SPDX-License-Identifier: GPL-3.0-or-later
// The moderation of a hall: lines that wait before they go out, blocked words, and the stop.
import { nap, fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { mark } from "./parts.js";
import { change, edit, read } from "./service.js";
import { may } from "./session.js";
import { button, fail, field, form, tell } from "./words.js";

const HELD_EVERY = 1000, MOST_HOLD = 20;

/** @param {any} channel @returns {Record<string, any>} */
const as_typed = ({ hold_seconds, blocked_words }) => ({ hold_seconds, blocked_words: [...blocked_words || []] });

/** @param {any} line that waits @param {string} path */
function held_row(line, path) {
	const decide = (/** @type {any} */ data) => change("POST", `${path}/${line.transcription_id}`, data);
	const text = make("textarea", { name: "held", rows: 2, value: line.new_text || line.text, lang: line.language, dir: "auto", "aria-label": t("console.held_text") });
	const row = make("li", { "data-key": line.transcription_id }, mark(line.language), make("span", { class: "grow" }, text), make("div", { class: "row" },
		button(t("console.held_pass"), async () => {
			await decide(text.value === line.text ? { action: "pass" } : { action: "text", text: text.value });
			row.remove();
		}, "", "check"), button(t("console.held_drop"), async () => {
			await decide({ action: "drop" });
			row.remove();
		}, "danger bare", "trash")));
	return row;
}

/** Shows the lines that wait, as long as the section is open. @param {HTMLElement} list @param {AbortSignal} signal @param {() => any} channel its current record */
async function follow_held(list, signal, channel) {
	for (; !signal.aborted; await nap(HELD_EVERY)) {
		if (!list.checkVisibility() || document.hidden)
			continue;
		const path = `saas/channel/${channel().channel_id}/held`;
		const lines = channel().hold_seconds ? await read(path).catch(error => (error.slug === "network" || error.status === 404 || fail(error), [])) : [];
		const there = new Map([.../** @type {HTMLCollectionOf<HTMLElement>} */ (list.children)].map(one => [one.dataset.key, one]));
		const rows = lines.filter((/** @type {any} */ one) => !one.action).map((/** @type {any} */ one) => there.get(one.transcription_id) || held_row(one, path));
		if (rows.length !== list.children.length || rows.some((/** @type {Node} */ one, /** @type {number} */ i) => one !== list.children[i]))
			fill(list, ...rows);
	}
}

/** @param {HTMLElement} place @param {AbortSignal} signal @param {() => any} channel its current record @param {() => any} again */
export function draw_moderation(place, signal, channel, again) {
	const list = make("ul", { class: "rows held" }), path = `saas/channel/${channel().channel_id}`;
	fill(place, make("div", { role: "log", "aria-label": t("console.held") }, list));
	follow_held(list, signal, channel).catch(fail);
	if (!may("channels:write"))
		return;
	const seen = as_typed(channel());
	place.append(form(t("console.save"), async ({ hold_seconds, blocked }) => {
		const wanted = { hold_seconds: Number(hold_seconds || 0), blocked_words: [...new Set(String(blocked || "").split("\n").map(one => one.trim()).filter(Boolean))] };
		await edit(path, () => wanted, { seen, fields: as_typed });
		tell(t("console.saved"));
		await again();
	}, field("hold_seconds", t("console.hold"), { type: "number", min: 0, max: MOST_HOLD, value: String(seen.hold_seconds || 0) }), make("p", { class: "soft small" }, t("console.hold_how")),
	field("blocked", t("console.blocked"), { rows: 4, value: seen.blocked_words.join("\n") }, /** @type {any} */ (make("textarea", null))), make("p", { class: "soft small" }, t("console.blocked_how"))));
}

/** The button that stops a hall at once, or lets it go on. @param {any} channel @param {() => any} again */
export const stop_button = ({ channel_id, utc_stopped_at: is }, again) => button(t(is ? "console.resume" : "console.stop_now"), async () => {
	await change("POST", `saas/channel/${channel_id}/${is ? "resume" : "stop"}`, undefined);
	tell(t(is ? "console.resumed" : "console.stopped"));
	await again();
}, is ? "" : "danger", is ? "play" : "stop");
