// SPDX-License-Identifier: GPL-3.0-or-later
// The first screen: live halls, the next event, and tasks that wait.
import { now } from "../shared/api.js";
import { fill, make, say } from "../shared/dom.js";
import { number, t, time } from "../shared/i18n.js";
import { all, read, watch } from "./service.js";
import { may } from "./session.js";
import { button, fail, form, field, keyed } from "./words.js";

const WAITS_OF = 20; // events whose language requests are counted

/** @param {string} title */
function tile(title) {
	const body = make("div", null, "…");
	return { body, card: make("section", { class: "card" }, make("h2", null, title), body) };
}

/** @param {any} event */
const link_to = event => make("a", { href: `#/event/${event.event_id}`, dir: "auto" }, event.title);

/** @param {any} event */
export const status_of = event => t(`console.status.${event.lifecycle_status}`);

/** @param {HTMLElement} body @param {AbortSignal} signal */
async function show_balance(body, signal) {
	const prices = await read("payments/v2/prices");
	watch(signal, "payments/v2/balance", ({ credits }) => fill(body,
		make("p", { class: "large" }, t("console.credits", { credits })),
		prices.broadcast > 0 && make("p", null, t("console.hours", { hours: Math.max(0, Math.floor(10 * credits / prices.broadcast) / 10) }))), fail);
}

/** @param {any[]} events */
function live_halls(events) {
	const halls = events.flatMap(event => event.stages.filter((/** @type {any} */ stage) => stage.status === "live")
		.map((/** @type {any} */ stage) => make("li", null, link_to(event), ` · ${stage.name}`)));
	return halls.length ? make("ul", { class: "plain" }, ...halls) : make("p", null, t("console.nothing_live"));
}

/** @param {any[]} events */
function next_event(events) {
	const next = events.filter(event => Date.parse(event.utc_start_dt) > now())
		.sort((a, b) => a.utc_start_dt.localeCompare(b.utc_start_dt))[0];
	return next ? make("p", null, link_to(next), make("br"), time(next.utc_start_dt, next.timezone)) : make("p", null, t("console.nothing_next"));
}

/** @param {any[]} events @returns {Promise<HTMLElement[]>} */
async function waiting(events) {
	const open = events.filter(event => event.lifecycle_status !== "finished").slice(0, WAITS_OF);
	const asked = await Promise.all(open.map(async event => {
		const { requests } = await read(`saas/v2/event/${event.event_id}/requests`);
		return requests.length && make("li", null, make("a", { href: `#/event/${event.event_id}/requests` },
			t("console.wait.requests", { count: requests.length })), " · ", make("span", { dir: "auto" }, event.title));
	}));
	const broken = may("channels:read") ? (await all("saas/channels")).filter(one => one.lifecycle_status === "failed") : [];
	const silent = may("webhooks:read") ? (await all("saas/webhooks")).filter(one => one.disabled_reason && one.disabled_reason !== "owner") : [];
	return /** @type {HTMLElement[]} */ ([...asked,
		...broken.map(one => make("li", { class: "bad" }, t("console.wait.hall", { name: one.name }))),
		...silent.map(one => make("li", { class: "bad" }, t("console.wait.webhook", { name: one.url })))].filter(Boolean));
}

/** @param {any} event */
const event_row = event => make("li", { class: "card" }, make("h3", null, link_to(event)),
	make("p", null, `${status_of(event)} · ${time(event.utc_start_dt, event.timezone)}`));

/** @param {HTMLElement} view @param {AbortSignal} signal */
function list_events(view, signal) {
	const list = make("ul", { class: "plain", id: "events" }), count = make("p", { role: "status", class: "soft" });
	let words = "";
	const draw = (/** @type {any[]} */ events) => {
		keyed(list, events, one => one.event_id, event_row);
		say(count, events.length ? "" : t("console.no_events"));
	};
	view.append(make("section", null, make("div", { class: "row apart" }, make("h2", null, t("console.events")),
		may("events:write") && make("a", { class: "button strong", href: "#/new" }, t("console.new"))),
		form(t("console.find"), async ({ q }) => {
			words = q || "";
			draw(await all("saas/v2/events", words ? { q: words } : {}));
		}, field("q", t("console.words"), { type: "search", maxLength: 200 })), count, list));
	/** @param {any[]} first of the list @param {boolean} more */
	return (first, more) => {
		if (words)
			return;
		draw(first);
		if (more)
			say(count, t("console.more_events"));
	};
}

/** @param {HTMLElement} view @param {AbortSignal} signal */
export async function draw_home(view, signal) {
	const balance = tile(t("console.balance")), live = tile(t("console.live")), next = tile(t("console.next")), waits = tile(t("console.waits"));
	view.append(make("div", { class: "tiles" }, balance.card, live.card, next.card, waits.card));
	if (may("balance:read"))
		show_balance(balance.body, signal).catch(fail);
	else
		balance.card.remove();
	if (!may("events:read"))
		return view.append(make("p", null, t("console.no_scope")));
	const show_list = list_events(view, signal);
	const look = async (/** @type {any[]} */ events) => {
		const found = await waiting(events);
		fill(waits.body, found.length ? make("ul", { class: "plain" }, ...found) : t("console.nothing_waits"));
	};
	watch(signal, "saas/v2/events", (data, whole) => {
		const events = Array.isArray(data) ? data : data.items;
		fill(live.body, live_halls(events));
		fill(next.body, next_event(events));
		show_list(events, !!(whole.pagination_token || data.next));
		look(events).catch(fail);
	}, fail);
	waits.card.append(button(t("console.look"), async () => look(await all("saas/v2/events", {}, WAITS_OF))));
}
