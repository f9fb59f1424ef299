// SPDX-License-Identifier: GPL-3.0-or-later
// The first screen: live halls, tasks that wait, figures, and the next events.
import { now } from "../shared/api.js";
import { byId, fill, make, say } from "../shared/dom.js";
import { locale, number, t, time } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";
import { event_table, in_order, is_live } from "./events.js";
import { language_of, languages_told } from "./frame.js";
import { card_head, empty, head } from "./parts.js";
import { all, part, read, watch } from "./service.js";
import { may } from "./session.js";
import { fail, link } from "./words.js";

const WAITS_OF = 20; // events whose language requests are counted
const NEXT = 6, WEEK_MS = 7 * 86400000, DAY_MS = 86400000;

/** @param {string} sign @param {string} title */
export function tile(sign, title) {
	const value = make("p", { class: "large" }, "…"), note = make("p", { class: "note" });
	return { value, note, card: make("section", { class: "card tile" }, make("h2", null, icon(sign), title), value, note) };
}

/* ---- figures ---- */

/** @param {number} minutes */
export const duration = minutes => minutes >= 60 ? [t("console.h_min", { h: Math.floor(minutes / 60), min: minutes % 60 })] : [number(minutes), " ", make("small", null, t("console.min"))];

/** The credits of all rows of usage. @param {{ credits: number }[]} rows */
export const in_credits = rows => [number(Math.round(rows.reduce((sum, one) => sum + one.credits, 0))), " ", make("small", null, t("console.credits_word"))];

/** @param {{ value: HTMLElement, note: HTMLElement }} at @param {AbortSignal} signal @param {(credits: number) => void} [changed] */
export async function show_balance({ value, note }, signal, changed = () => {}) {
	const prices = await read("payments/v2/prices");
	watch(signal, "payments/v2/balance", ({ credits }) => {
		changed(credits);
		fill(value, number(Math.floor(credits)), " ", make("small", null, t("console.credits_word")));
		say(note, prices.broadcast > 0 ? t("console.hours", { hours: Math.max(0, Math.floor(10 * credits / prices.broadcast) / 10) }) : "");
	}, fail);
}

/** @param {ReturnType<typeof tile>} spoken @param {ReturnType<typeof tile>} used */
async function show_usage(spoken, used) {
	const today = new Date(now()).toISOString().slice(0, 10), month = today.slice(0, 7);
	const days = await all("payments/v2/usage", { group: "day", from: `${month}-01T00:00:00Z`, to: new Date(now() + DAY_MS).toISOString(), page_size: 100 });
	const mine = days.find(one => one.key.startsWith(today)), minutes = Math.round((mine ? mine.seconds : 0) / 60);
	fill(spoken.value, ...duration(minutes));
	say(spoken.note, mine ? t("console.credits", { credits: Math.round(mine.credits) }) : t("console.nothing_today"));
	fill(used.value, ...in_credits(days));
}

/** @param {HTMLElement} view @param {AbortSignal} signal */
function figures(view, signal) {
	const heard = tile("headphones", t("console.listening")), spoken = tile("mic", t("console.spoken_today"));
	const month = new Intl.DateTimeFormat(locale(), { month: "long", timeZone: "UTC" }).format(now());
	const used = tile("usage", t("console.used_in", { month })), balance = tile("wallet", t("console.balance"));
	const pays = may("balance:read");
	view.append(make("div", { class: "tiles" }, may("events:read") && heard.card, ...pays ? [spoken.card, used.card, balance.card] : []));
	if (pays) {
		show_balance(balance, signal).catch(fail);
		show_usage(spoken, used).catch(fail);
	}
	return { count: (/** @type {number} */ count, /** @type {number} */ halls) => {
		say(heard.value, number(count));
		say(heard.note, halls ? t("console.halls_live", { count: halls }) : "");
	} };
}

/* ---- what waits ---- */

/** @param {string} sign @param {string} tone @param {string} title @param {string} text @param {Node | false} act */
const task = (sign, tone, title, text, act) => make("li", null, make("span", { class: `sign ${tone}` }, icon(sign)),
	make("span", { class: "grow" }, make("b", { dir: "auto" }, title), make("small", { dir: "auto" }, text)), act);

/** @param {any[]} events @returns {Promise<HTMLElement[]>} */
async function waiting(events) {
	const open = events.filter(event => event.lifecycle_status !== "finished").slice(0, WAITS_OF);
	const asked = await Promise.all(open.map(async event => {
		const { requests } = await read(`saas/v2/event/${event.event_id}/requests`);
		return requests.length && task("ask", "", t("console.wait.requests", { count: requests.length }), event.title,
			link(t("console.look_at"), `#/event/${event.event_id}/requests`));
	}));
	const broken = may("channels:read") ? (await all("saas/channels")).filter(one => one.lifecycle_status === "failed") : [];
	const silent = may("webhooks:read") ? (await all("saas/webhooks")).filter(one => one.disabled_reason && one.disabled_reason !== "owner") : [];
	return /** @type {HTMLElement[]} */ ([...broken.map(one => task("mic", "bad", t("console.wait.hall", { name: one.name }), one.error || "", one.event_id && link(t("console.look_at"), `#/event/${one.event_id}`))),
		...asked, ...silent.map(one => task("hook", "bad", t("console.wait.webhook", { name: "" }), one.url, link(t("console.look_at"), "#/webhooks")))].filter(Boolean));
}

/** Shows tasks, and above them the halls without sound. */
function task_list() {
	const list = make("ul", { class: "rows" }), count = make("span", { class: "count" });
	let found = [/** @type {HTMLElement} */ (make("li", { class: "soft" }, "…"))];
	/** @type {Map<string, HTMLElement>} */
	const quiet = new Map();
	const see = () => {
		const tasks = [...quiet.values(), ...found];
		fill(list, ...tasks.length ? tasks : [make("li", { class: "soft" }, t("console.nothing_waits"))]);
		fill(count, tasks.length);
		count.hidden = !list.querySelector(".sign");
	};
	see();
	return { card: make("section", { class: "card" }, card_head(t("console.waits"), count), list),
		/** @param {HTMLElement[]} tasks */ set: tasks => (found = tasks, see()),
		/** @param {any} event @param {any} channel @param {boolean} is */ silent: (event, channel, is) => {
			if (is === quiet.has(channel.channel_id))
				return;
			if (is)
				quiet.set(channel.channel_id, task("mic", "warn", t("console.hall_silent", { name: channel.name }), event.title, link(t("console.look_at"), `#/event/${event.event_id}`)));
			else
				quiet.delete(channel.channel_id);
			see();
		} };
}

/* ---- live halls ---- */

/** @param {any} channel */
const pair_told = ({ source_language: from, target_languages: to }) => `${language_of(from)} → ${languages_told(to)}`;

/** @param {any} event @param {AbortSignal} signal @param {ReturnType<typeof task_list>} tasks */
function live_card(event, signal, tasks) {
	const list = make("ul", { class: "live-list" }), base = `#/event/${event.event_id}`;
	/** @type {Map<string, any>} */
	const rows = new Map();
	const channels = event.stages.flatMap((/** @type {any} */ stage) => stage.channels.map((/** @type {any} */ one) => ({ ...one, event_id: event.event_id, name: stage.name, lifecycle_status: "ready" })));
	const draw_rows = (/** @type {typeof import("./hall_ear.js")} */ { Ear, state_of_hall }) => channels.forEach((/** @type {any} */ channel) => {
		const light = make("span", { class: "pill" }), heard = make("span", { class: "heard" }), row = make("li", null), ear = new Ear(event, channel, () => {
			const { state, tone, text } = state_of_hall(channel, ear);
			light.className = `pill ${tone}`;
			row.className = state;
			say(light, text);
			tasks.silent(event, channel, state === "silent");
		});
		fill(row, make("div", { class: "where" }, make("b", { dir: "auto" }, channel.name), make("small", { class: "soft" }, make("br"), pair_told(channel))), ear.wave ? ear.wave.element : make("span", null), ear.lines || make("span", null), light, heard);
		rows.set(channel.channel_id, { row, heard });
		list.append(row);
		ear.changed();
		ear.start();
		signal.addEventListener("abort", () => ear.stop());
	});
	part(import("./hall_ear.js")).then(it => signal.aborted || draw_rows(it)).catch(fail);
	return { card: make("section", { class: "card" }, card_head(t("console.live"), make("a", { class: "pill live", href: base, dir: "auto" }, event.title),
		make("span", { class: "soft small" }, t("console.until", { time: time(event.utc_end_dt, event.timezone) })),
		make("span", { class: "push row" }, link(t("console.open"), base))), list),
	/** @param {any} stats */
	count: stats => rows.forEach(({ heard }, id) => {
		const n = stats.now.by_channel.filter((/** @type {any} */ one) => one.channel_id === id).reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.listeners, 0);
		fill(heard, icon("headphones"), number(n), make("span", { class: "hidden-text" }, ` ${t("console.listening")}`));
	}) };
}

/** @param {HTMLElement} place @param {AbortSignal} signal @param {ReturnType<typeof task_list>} tasks @param {(count: number, halls: number) => void} counted */
function live_part(place, signal, tasks, counted) {
	let shown = "", turn = new AbortController();
	signal.addEventListener("abort", () => turn.abort());
	return (/** @type {any[]} */ events) => {
		const live = events.filter(is_live), key = JSON.stringify(live.map(one => [one.event_id, one.stages.map((/** @type {any} */ stage) => stage.channels.map((/** @type {any} */ it) => it.channel_id))]));
		if (key === shown)
			return;
		shown = key;
		turn.abort();
		turn = new AbortController();
		/** @type {Map<string, any>} */
		const sums = new Map();
		const cards = live.map(event => {
			const one = live_card(event, turn.signal, tasks);
			watch(turn.signal, `saas/v2/event/${event.event_id}/stats`, stats => {
				one.count(stats);
				sums.set(event.event_id, stats);
				const known = [...sums.values()];
				counted(known.reduce((sum, it) => sum + it.now.listeners, 0), known.reduce((sum, it) => sum + it.channels_live_count, 0));
			}, fail);
			return one.card;
		});
		if (!live.length)
			counted(0, 0);
		fill(place, ...cards.length ? cards : [make("section", { class: "card" }, card_head(t("console.live")), empty("voice", t("console.nothing_live"), t("console.nothing_live_how"),
			may("events:write") && link(t("console.new"), "#/new", "", "plus")))]);
	};
}

/** @param {any[]} events */
function told_today(events) {
	const live = events.filter(is_live).length, soon = events.filter(one => Date.parse(one.utc_start_dt) > now() && Date.parse(one.utc_start_dt) < now() + WEEK_MS).length;
	return [new Intl.DateTimeFormat(locale(), { weekday: "long", day: "numeric", month: "long" }).format(now()), t("console.events_now", { live, soon })];
}

/** @param {HTMLElement} view @param {AbortSignal} signal */
export async function draw_home(view, signal) {
	const live = make("div", { class: "stack" }), tasks = task_list();
	head({ title: t("console.home"), acts: [may("events:write") && link(t("console.new"), "#/new", "strong", "plus")] });
	if (!may("events:read")) {
		figures(view, signal);
		return view.append(make("p", null, t("console.no_scope")));
	}
	view.append(make("div", { class: "two even" }, live, tasks.card));
	const sums = figures(view, signal), table = event_table(), none = make("div", null);
	view.append(make("section", { class: "card" }, card_head(t("console.next"), make("span", { class: "push" }, link(t("console.all_events_link"), "#/events", "bare"))), table.element, none));
	const show_live = live_part(live, signal, tasks, sums.count);
	watch(signal, "saas/v2/events", data => {
		const events = Array.isArray(data) ? data : data.items, next = in_order(events).filter(one => !is_live(one) && one.lifecycle_status !== "finished" && Date.parse(one.utc_end_dt) > now());
		fill(byId("meta"), ...told_today(events).map(text => make("span", null, text))); // the acts stay, with the focus
		show_live(events);
		table.element.hidden = !next.length;
		table.draw(next.slice(0, NEXT));
		fill(none, !next.length && empty("event", t("console.nothing_next"), t("console.no_events_how"), may("events:write") && link(t("console.new"), "#/new", "", "plus")));
		waiting(events).then(tasks.set, fail);
	}, fail);
}
