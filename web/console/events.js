// SPDX-License-Identifier: GPL-3.0-or-later
// The events of the account, as a table.
import { now } from "../shared/api.js";
import { fill, make, say } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { copy_event, delete_event, leaving } from "./event_form.js";
import { empty, head, marks, menu, pill, table_of } from "./parts.js";
import { all, watch } from "./service.js";
import { may } from "./session.js";
import { button, fail, form, field, keyed, link } from "./words.js";

/** @type {Record<string, string>} */
const TONES = { live: "live", setup_required: "warn" };

/** @param {any} event */
export const is_live = event => event.lifecycle_status === "live";

/** @param {any} event */
export const event_pill = event => pill(TONES[event.lifecycle_status] || "", t(`console.status.${event.lifecycle_status}`));

/** @param {any} event */
export const times_of = event => time(event.utc_start_dt, event.timezone, event.utc_end_dt);

/** Live ones first, then those that come, the next one first, then those that are over. @param {any[]} events */
export function in_order(events) {
	const rank = (/** @type {any} */ one) => is_live(one) ? 0 : one.lifecycle_status === "finished" || Date.parse(one.utc_end_dt) < now() ? 2 : 1;
	return [...events].sort((a, b) => rank(a) - rank(b) || (rank(a) === 2 ? -1 : 1) * a.utc_start_dt.localeCompare(b.utc_start_dt));
}

/** @param {any} event */
const languages_of_event = event => [...new Set(event.stages.flatMap((/** @type {any} */ one) => one.channels)
	.flatMap((/** @type {any} */ one) => one.target_languages || []).concat(event.target_languages || []))];

/** The button of the next step with an event. @param {any} event */
function next_act(event) {
	const base = `#/event/${event.event_id}`, halls = event.stages.some((/** @type {any} */ one) => one.channels.length);
	return is_live(event) ? link(t("console.open"), base) : !halls && may("channels:write") ? link(t("console.add_hall"), base) :
		event.lifecycle_status === "finished" ? link(t("console.transcript"), `${base}/transcript`) : link(t("console.share"), base, "", "qr");
}

/** @param {any} event @param {() => void} again */
function event_row(event, again) {
	const base = `#/event/${event.event_id}`, cell = (/** @type {string} */ label, /** @type {any} */ part, look = "") => make("td", { class: look, "data-label": label }, part);
	return make("tr", null, make("td", null, make("a", { href: base, dir: "auto" }, event.title), event.location && make("small", { dir: "auto" }, event.location)),
		cell(t("console.when"), time(event.utc_start_dt, event.timezone)), cell(t("console.halls"), event.stages.length, "n"),
		cell(t("console.languages"), marks(languages_of_event(event), 4)), cell(t("console.is"), event_pill(event)),
		make("td", { class: "acts" }, make("div", { class: "row" }, next_act(event), menu(t("console.more_for", { name: event.title }),
			may("events:write") && link(t("console.edit"), `${base}/edit`, "", "edit"), may("events:write") && button(t("console.copy_event"), () => copy_event(event), "", "copy"), link(t("console.numbers"), `${base}/numbers`, "", "usage"),
			may("events:write") && button(t("console.delete"), () => delete_event(event, again), "danger", "trash")))));
}

/** Makes a table of events; draw() fills it. */
export function event_table() {
	const { element, list } = table_of([t("console.event"), t("console.when"), t("console.halls"), t("console.languages"), t("console.is")], 2);
	list.id = "events";
	/** @type {any[]} */
	let shown = [];
	const draw = (events = shown) => {
		shown = events;
		keyed(list, events.filter(one => !leaving.has(one.event_id)), one => one.event_id, one => event_row(one, () => draw()));
	};
	return { element, draw };
}

/** @param {HTMLElement} view @param {AbortSignal} signal */
export function draw_events(view, signal) {
	const table = event_table(), none = make("div", null), more = make("p", { role: "status", class: "soft small pad" });
	let words = "";
	const draw = (/** @type {any[]} */ events) => {
		table.element.hidden = !events.length;
		fill(none, !events.length && empty("event", t("console.no_events"), words ? "" : t("console.no_events_how"), !words && may("events:write") && link(t("console.new"), "#/new", "strong", "plus")));
		table.draw(in_order(events));
	};
	head({ title: t("console.events"), acts: [may("events:write") && link(t("console.new"), "#/new", "strong", "plus")] });
	const search = form(t("console.find"), async ({ q }) => {
		words = q || "";
		say(more, "");
		draw(await all("saas/v2/events", words ? { q: words } : {}));
	}, field("q", t("console.words"), { type: "search", maxLength: 200 }));
	search.classList.add("line", "pad");
	fill(view, make("section", { class: "card" }, search, table.element, none, more));
	watch(signal, "saas/v2/events", (data, whole) => {
		if (words)
			return;
		draw(Array.isArray(data) ? data : data.items);
		say(more, whole.pagination_token || data.next ? t("console.more_events") : "");
	}, fail);
}
