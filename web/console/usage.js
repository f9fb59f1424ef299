// SPDX-License-Identifier: GPL-3.0-or-later
// Usage by day, kind, event or channel: a chart, a table, and a CSV file.
import { now } from "../shared/api.js";
import { bar_of, column_chart, data_table, legend } from "../shared/chart.js";
import { fill, make, save, say } from "../shared/dom.js";
import { language, number, t, time } from "../shared/i18n.js";
import { duration, in_credits, show_balance, tile } from "./home.js";
import { in_order } from "./events.js";
import { hours_left } from "./numbers.js";
import { card_head, empty, segments } from "./parts.js";
import { all, read } from "./service.js";
import { may } from "./session.js";
import { button, fail, field } from "./words.js";

const PERIODS = [7, 30, 90, 365], AHEAD = 7, DAY_MS = 86400000, MOST_DAYS = 366; // days
const METERED = ["broadcast", "tts", "s2s", "stt"]; // in the order of their colours

/** @param {number} days ago */
const day = days => new Date(now() - days * DAY_MS).toISOString().slice(0, 10);

/** @param {string} key */
const name_of_kind = key => t(`console.usage.${key}`);

/** @typedef {{ key: string, seconds: number, characters: number, credits: number }} Used */
/** @typedef {{ from: string, to: string, group: string }} Asked `to` is inclusive */

/**
 * Returns a function that gives the name of a group.
 * @param {string} group @param {Used[]} rows @returns {Promise<(key: string) => string>}
 */
async function usage_names(group, rows) {
	const scope = `${group}s:read`, named = group === "event" || group === "channel";
	const found = rows.length && named && may(scope) ? await all(group === "event" ? "saas/v2/events" : "saas/channels") : [];
	const names = new Map(found.map(one => [one.event_id && group === "event" ? one.event_id : one.channel_id, one.title || one.name]));
	const date = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeZone: "UTC" });
	return key => !key ? "–" : group === "day" ? date.format(new Date(key)) : group === "kind" ? name_of_kind(key) : names.get(key) || key;
}

/** @param {Asked} asked */
const days_of = ({ from, to }) => Math.min(MOST_DAYS, Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1));

/** @typedef {{ event: any, day: string, credits: number }} Ahead */

/** Returns what the events that are not over will cost at most. @returns {Promise<Ahead[]>} */
async function costs_ahead() {
	const [{ broadcast }, events] = await Promise.all([read("payments/v2/prices"), may("events:read") ? all("saas/v2/events") : []]);
	return in_order(events).filter(one => one.lifecycle_status !== "finished").map(event => ({ event, day: event.utc_start_dt < day(0) ? day(0) : event.utc_start_dt.slice(0, 10), credits: Math.ceil(hours_left(event, now()) * broadcast) })).filter(one => one.credits);
}

/**
 * Draws a column for each day, including those without use and the next ones.
 * @param {Asked} asked @param {Used[][]} days by kind @param {Ahead[]} ahead
 */
function chart_of_days(asked, days, ahead) {
	const first = Date.parse(asked.from), n = days_of(asked) + (asked.to === day(0) ? AHEAD : 0), names = [...METERED.map(name_of_kind), t("console.status.upcoming")];
	const layers = [...days.map(rows => new Map(rows.map(one => [one.key, one.credits]))), new Map()];
	for (const one of ahead)
		layers[METERED.length].set(one.day, (layers[METERED.length].get(one.day) || 0) + one.credits);
	const short = new Intl.DateTimeFormat(language(), { day: "numeric", month: "short", timeZone: "UTC" });
	const columns = Array.from({ length: n }, (_, i) => new Date(first + i * DAY_MS)).map(at => ({ name: short.format(at), values: layers.map(one => one.get(at.toISOString().slice(0, 10)) || 0) }));
	return make("section", { class: "card" }, card_head(t("console.credits_by_day"), make("div", { class: "push" }, legend(names))),
		make("div", { class: "pad" }, column_chart({ names, columns, label: t("console.credits_by_day"), format: number })));
}

/** @param {Ahead[]} ahead @param {number} balance */
function ahead_card(ahead, balance) {
	const sum = sum_of(ahead);
	return make("section", { class: "card" }, card_head(t("console.status.upcoming")), make("ul", { class: "rows" }, ...ahead.map(({ event, credits }) => make("li", null,
		make("span", { class: "grow" }, make("a", { href: `#/event/${event.event_id}`, dir: "auto" }, event.title), make("small", null, time(event.utc_start_dt, event.timezone))), make("b", { class: "num" }, number(credits)))),
	make("li", null, make("span", { class: "grow" }, make("b", null, t("console.all_together")), make("small", null, t("console.cost_how")), sum > balance && make("small", null, make("span", { class: "bad" }, t("console.forecast_short", { credits: Math.floor(balance) })))), make("b", { class: "num" }, number(sum)))));
}

/** @param {Used[]} rows @param {(key: string) => string} name */
function usage_table(rows, name) {
	const sum = sum_of(rows) || 1, part = new Intl.NumberFormat(language(), { style: "percent" });
	return data_table(t("console.usage"), [t("console.what"), t("console.minutes"), t("console.characters"), t("console.used"), "%"],
		rows.map(one => [name(one.key), number(Math.round(one.seconds / 60)), number(one.characters), number(Math.round(one.credits * 10) / 10), bar_of(one.credits, sum, part.format(one.credits / sum), name(one.key))]));
}

/** @param {{ credits: number }[]} rows */
const sum_of = rows => rows.reduce((sum, one) => sum + one.credits, 0);

/** Quotes a CSV cell so that no spreadsheet reads it as a formula. @param {string | number} value */
const csv_cell = value => `"${String(value).replace(/^(?=[=+\-@\t\r])/, "'").replace(/"/g, '""')}"`;

/** @param {Asked} asked @param {Used[]} rows @param {(key: string) => string} name */
const usage_csv = ({ group }, rows, name) => [[group, "name", "seconds", "characters", "credits"].join(","),
	...rows.map(one => [csv_cell(one.key), csv_cell(name(one.key)), one.seconds, one.characters, one.credits].join(","))].join("\r\n") + "\r\n";

/** @param {HTMLElement} view @param {AbortSignal} signal */
export async function draw_usage(view, signal) {
	const used = tile("usage", t("console.used")), spoken = tile("mic", t("console.minutes")), balance = tile("wallet", t("console.balance"));
	const chart = make("div", { id: "used" }), table = make("div", null), beside = make("div", null), asked = { from: "", to: "", group: "event" }, ahead = await costs_ahead();
	/** @type {Used[]} */
	let rows = [], name = (/** @type {string} */ key) => key;
	const load = async () => {
		const { from, to, group } = asked, start = Date.parse(from), end = Date.parse(to) + DAY_MS;
		/** @type {(group: string, since?: number, until?: number, kind?: string) => Promise<Used[]>} */
		const grouped = (by, since = start, until = end, kind = "") => all("payments/v2/usage", { group: by, from: new Date(since).toISOString(), to: new Date(until).toISOString(), kind, page_size: 100 }, 2000);
		const [kinds, before, found] = await Promise.all([grouped("kind"), grouped("kind", 2 * start - end, start), grouped(group)]), was = sum_of(before);
		const days = await Promise.all(METERED.map(kind => kinds.some(one => one.key === kind) ? grouped("day", start, end, kind) : [])), names = await usage_names(group, found);
		if (from !== asked.from || to !== asked.to || group !== asked.group || signal.aborted)
			return;
		[rows, name] = [group === "day" ? found : found.sort((a, b) => b.credits - a.credits), names];
		fill(used.value, ...in_credits(kinds));
		say(used.note, was ? t("console.compared", { part: new Intl.NumberFormat(language(), { style: "percent", signDisplay: "exceptZero" }).format(sum_of(kinds) / was - 1) }) : "");
		fill(spoken.value, ...duration(Math.round(kinds.reduce((sum, one) => sum + one.seconds, 0) / 60)));
		fill(chart, chart_of_days(asked, days, ahead));
		fill(table, rows.length ? usage_table(rows, name) : empty("usage", t("console.no_usage"), ""));
	};
	const again = () => load().catch(fail);
	const dates = ["from", "to"].map((member, i) => field(member, t(i ? "console.end" : "console.start"), { type: "date", required: true, onchange: (/** @type {Event} */ { target }) => {
		Object.assign(asked, { [member]: /** @type {HTMLInputElement} */ (target).value });
		again();
	} }));
	const period = (/** @type {string} */ days) => {
		Object.assign(asked, { from: day(Number(days) - 1), to: day(0) });
		dates.forEach((one, i) => (/** @type {HTMLInputElement} */ (one.lastElementChild).value = i ? asked.to : asked.from));
		again();
	};
	const groups = segments("group", t("console.by"), { event: t("console.event"), channel: t("console.by_hall"), kind: t("console.by_kind"), day: t("console.by_day") }, asked.group, group => {
		asked.group = group;
		again();
	});
	view.append(make("div", { class: "line" }, segments("period", t("console.period"), Object.fromEntries(PERIODS.map(count => [count, t("console.days", { count })])), "30", period), ...dates),
		make("div", { class: "tiles" }, used.card, spoken.card, balance.card), chart,
		make("div", { class: ahead.length && "two" }, make("section", { class: "card" }, card_head(t("console.went_to"), make("div", { class: "push row" }, groups, button(t("console.save_csv"), () =>
			save(`usage-${asked.from}-${asked.to}-${asked.group}.csv`, "text/csv", usage_csv(asked, rows, name)), "", "save"))), table), beside));
	period("30");
	show_balance(balance, signal, credits => {
		fill(beside, ahead.length > 0 && ahead_card(ahead, credits));
		if (chart.firstChild)
			again(); // more was used
	}).catch(fail);
}
