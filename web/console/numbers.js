// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of an event: listeners by language and time, its cost, and the expected cost.
import { now } from "../shared/api.js";
import { bar_of, column_chart, data_table, legend } from "../shared/chart.js";
import { fill, make, save } from "../shared/dom.js";
import { language, name_of, number, t } from "../shared/i18n.js";
import { card_head } from "./parts.js";
import { file, read, watch } from "./service.js";
import { may } from "./session.js";
import { button, fail } from "./words.js";

const COLUMNS = 120, MOST_NAMES = 4;       // columns and languages of the chart; further languages are summed
const SERIES_STEPS = [60, 300, 600, 900, 1800, 3600]; // s
const AGAIN = 30000;                       // ms between two requests for the chart
const HOUR_MS = 3600000;

/** @param {string} code */
const language_name = code => code === "original" ? t("console.original") : name_of(code);

/* ---- what it will cost ---- */

/**
 * Returns the total length of time spans; overlaps count once.
 * @param {number[][]} times from and to, ms
 */
function length_of(times) {
	let sum = 0, end = 0;
	for (const [from, to] of times.sort(([a], [b]) => a - b)) {
		sum += Math.max(0, to - Math.max(from, end));
		end = Math.max(end, to);
	}
	return sum;
}

/**
 * Returns the hours of speech that remain: by the agenda for a hall that has one, else until the
 * event ends.
 * @param {any} event @param {number} now ms
 */
export function hours_left(event, now) {
	let sum = 0;
	for (const { stage_id, channels } of event.stages) {
		const on = event.sessions.filter((/** @type {any} */ one) => one.stage_id === stage_id);
		const times = (on.length ? on : [event]).map((/** @type {any} */ one) => [Math.max(now, Date.parse(one.utc_start_dt)), Date.parse(one.utc_end_dt)])
			.filter((/** @type {number[]} */ [from, to]) => to > from);
		sum += length_of(times) * channels.filter((/** @type {any} */ one) => one.lifecycle_status !== "deleting").length;
	}
	return sum / HOUR_MS;
}

/** @param {string} title @param {number} value @param {...(Node | false)} more */
const figure = (title, value, ...more) => make("section", { class: "card tile" }, make("h2", null, title), make("p", { class: "large" }, number(value)), ...more);

/** @param {any} event @param {{ prices: any, balance: any }} money */
function forecast(event, { prices, balance }) {
	if (!prices || event.lifecycle_status === "finished")
		return null;
	const hours = hours_left(event, now()), credits = Math.ceil(hours * prices.broadcast);
	const told = { hours: Math.round(hours * 10) / 10 };
	return figure(t("console.forecast"), credits,
		make("p", { class: "soft" }, event.sessions.length ? t("console.forecast_agenda", told) : t("console.forecast_end", told)),
		!!balance && balance.credits < credits && make("p", { class: "bad" }, t("console.forecast_short", { credits: Math.floor(balance.credits) })));
}

/** @param {any} stats @param {HTMLElement | null} ahead_of_it */
const tiles = (stats, ahead_of_it) => make("div", { class: "tiles" }, figure(t("console.participants"), stats.participants_count),
	figure(t("console.listening"), stats.now.listeners), figure(t("console.minutes"), Math.round(stats.event_time_minutes)),
	figure(t("console.used"), stats.credits_used), ahead_of_it);

/* ---- who listened ---- */

/** @param {any[]} rows */
function by_language(rows) {
	const most = Math.max(1, ...rows.map(one => one.participants));
	return !rows.length ? make("p", { class: "soft pad" }, t("console.nobody_yet")) : data_table(t("console.by_language"), [t("console.language"), t("console.participants")],
		rows.map(({ language: code, participants: n }) => [language_name(code), bar_of(n, most, number(n), language_name(code))]));
}

/** @param {any} event */
function step_of(event) {
	const end = Math.min(now(), Date.parse(event.utc_end_dt)), seconds = Math.max(0, end - Date.parse(event.utc_start_dt)) / 1000;
	return SERIES_STEPS.find(one => seconds / one <= COLUMNS) || 3600;
}

/**
 * Makes the columns from the first time to the last, including those without listeners.
 * @param {any[]} points @param {number} step s
 */
function series_columns(points, step) {
	/** @type {Map<string, number>} */
	const sums = new Map();
	for (const { language: code, listeners } of points)
		sums.set(code, (sums.get(code) || 0) + listeners);
	const codes = [...sums].sort(([, a], [, b]) => b - a).map(([code]) => code), named = codes.slice(0, MOST_NAMES);
	const ms = step * 1000, [from, to] = [points[0], points[points.length - 1]].map(one => one ? Date.parse(one.utc_at) : 0);
	const first = Math.max(from, to - (2 * COLUMNS - 1) * ms);
	const columns = Array.from({ length: points.length ? Math.round((to - first) / ms) + 1 : 0 }, (_, i) =>
		({ at: first + i * ms, values: Array(named.length + (codes.length > named.length ? 1 : 0)).fill(0) }));
	for (const { utc_at, language: code, listeners } of points) {
		const column = columns[Math.round((Date.parse(utc_at) - first) / ms)], k = named.indexOf(code);
		if (column)
			column.values[k < 0 ? named.length : k] += listeners;
	}
	return { columns, names: [...named.map(language_name), ...codes.length > named.length ? [t("console.others")] : []] };
}

/** Makes the chart and its table. The table stays open when it is redrawn. @param {any} event */
function over_time(event) {
	const chart = make("div", null), table = make("div", null);
	const as_table = make("details", { hidden: true }, make("summary", null, t("console.as_table")), table);
	const section = make("section", { class: "card" }, card_head(t("console.over_time")), make("div", { class: "pad stack" }, chart, as_table));
	const days = Date.parse(event.utc_end_dt) - Date.parse(event.utc_start_dt) > 20 * HOUR_MS;
	const format = new Intl.DateTimeFormat(language(), { timeZone: event.timezone, timeStyle: "short", ...days && { dateStyle: "short" } });
	const draw = (/** @type {any[]} */ points) => {
		const { columns, names } = series_columns(points, step_of(event));
		const most = Math.max(0, ...columns.map(({ values }) => values.reduce((a, b) => a + b, 0)));
		const told = columns.map(({ at, values }) => ({ name: format.format(at), values }));
		as_table.hidden = !columns.length;
		if (!columns.length)
			return fill(chart, make("p", { class: "soft" }, t("console.nobody_yet")));
		fill(chart, column_chart({ names, columns: told, label: t("console.most_at_once", { count: most }), format: number }), legend(names),
			make("p", { class: "soft" }, t("console.most_at_once", { count: most })));
		fill(table, data_table(t("console.over_time"), [t("console.when"), t("console.all_together"), ...names],
			told.map(({ name, values }) => [name, number(values.reduce((a, b) => a + b, 0)), ...values.map(number)])));
	};
	return { section, draw };
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export async function draw_numbers(view, signal, event) {
	const path = `saas/v2/event/${event.event_id}/stats`, body = make("div", null), languages = make("div", null), times = over_time(event);
	const may_ask = may("balance:read");
	const [prices, balance] = await Promise.all(["prices", "balance"].map(what => may_ask ? read(`payments/v2/${what}`).catch(fail) : null));
	let looked = 0;
	view.append(body, times.section, make("section", { class: "card" }, card_head(t("console.by_language"), make("span", { class: "push" }, button(t("console.save_csv"), async () =>
		save(`event-${event.event_id}-stats.csv`, "text/csv", await file(`${path}/export`, { format: "csv" })), "", "save"))), languages));
	watch(signal, path, async stats => {
		fill(body, tiles(stats, forecast(event, { prices, balance })));
		fill(languages, by_language(stats.language_distribution));
		if (Date.now() < looked + AGAIN)
			return;
		looked = Date.now();
		const points = await read(`${path}/series`, { step: step_of(event) });
		if (!signal.aborted)
			times.draw(points);
	}, fail);
}
