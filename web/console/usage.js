// SPDX-License-Identifier: GPL-3.0-or-later
// Usage by day, kind, event or channel: a chart, a table, and a CSV file.
import { now } from "../shared/api.js";
import { bar_of, column_chart, data_table } from "../shared/chart.js";
import { fill, make, save } from "../shared/dom.js";
import { language, number, t } from "../shared/i18n.js";
import { duration, in_credits, show_balance, tile } from "./home.js";
import { card_head, empty } from "./parts.js";
import { all } from "./service.js";
import { may } from "./session.js";
import { button, choice, fail, field, form } from "./words.js";

const DAYS = 30, DAY_MS = 86400000, MOST_DAYS = 366;

/** @param {number} days ago */
const day = days => new Date(now() - days * DAY_MS).toISOString().slice(0, 10);

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
	return key => !key ? "–" : group === "day" ? date.format(new Date(key)) : names.get(key) || key;
}

/**
 * Makes a column for each day, including those without use.
 * @param {Asked} asked @param {Used[]} rows @param {number} wide
 */
function chart_of_days({ from, to }, rows, wide) {
	const first = Date.parse(from), n = Math.min(MOST_DAYS, Math.max(1, Math.round((Date.parse(to) - first) / DAY_MS) + 1));
	const credits = new Map(rows.map(one => [one.key.slice(0, 10), one.credits]));
	const short = new Intl.DateTimeFormat(language(), { day: "numeric", month: "short", timeZone: "UTC" });
	const columns = Array.from({ length: n }, (_, i) => new Date(first + i * DAY_MS))
		.map(at => ({ name: short.format(at), values: [credits.get(at.toISOString().slice(0, 10)) || 0] }));
	return column_chart({ names: [t("console.used")], columns, label: t("console.used"), wide, format: number });
}

/** @param {Used[]} rows @param {(key: string) => string} name */
function usage_table(rows, name) {
	const most = Math.max(0, ...rows.map(one => one.credits));
	return data_table(t("console.usage"), [t("console.what"), t("console.minutes"), t("console.characters"), t("console.used")],
		rows.map(one => [name(one.key), number(Math.round(one.seconds / 60)), number(one.characters), bar_of(one.credits, most, number(Math.round(one.credits * 10) / 10), name(one.key))]));
}

/** Quotes a CSV cell so that no spreadsheet reads it as a formula. @param {string | number} value */
const csv_cell = value => `"${String(value).replace(/^(?=[=+\-@\t\r])/, "'").replace(/"/g, '""')}"`;

/** @param {Asked} asked @param {Used[]} rows @param {(key: string) => string} name */
const usage_csv = ({ group }, rows, name) => [[group, "name", "seconds", "characters", "credits"].join(","),
	...rows.map(one => [csv_cell(one.key), csv_cell(name(one.key)), one.seconds, one.characters, one.credits].join(","))].join("\r\n") + "\r\n";

/** @param {HTMLElement} view @param {AbortSignal} signal */
export async function draw_usage(view, signal) {
	const used = tile("usage", t("console.used")), spoken = tile("mic", t("console.minutes")), balance = tile("wallet", t("console.balance"));
	const place = make("div", { id: "used", class: "stack wide" });
	const load = async (/** @type {any} */ asked) => {
		const { from, to, group } = asked, end = new Date(Date.parse(to) + DAY_MS).toISOString();
		/** @type {(group: string) => Promise<Used[]>} */
		const grouped = by => all("payments/v2/usage", { group: by, from: `${from}T00:00:00Z`, to: end, page_size: 100 }, 2000);
		const days = await grouped("day"), rows = group === "day" ? days : await grouped(group);
		const name = await usage_names(group, rows);
		if (group !== "day")
			rows.sort((a, b) => b.credits - a.credits);
		fill(used.value, ...in_credits(days));
		fill(spoken.value, ...duration(Math.round(days.reduce((sum, one) => sum + one.seconds, 0) / 60)));
		fill(place, ...rows.length ? [make("section", { class: "card" }, card_head(t("console.credits_by_day")), make("div", { class: "pad" }, chart_of_days(asked, days, Math.min(1120, Math.max(260, (place.clientWidth || 640) - 34))))),
			make("section", { class: "card" }, card_head(t("console.went_to"), make("span", { class: "push" }, button(t("console.save_csv"), () =>
				save(`usage-${from}-${to}-${group}.csv`, "text/csv", usage_csv(asked, rows, name)), "", "save"))), usage_table(rows, name))] : [make("section", { class: "card" }, empty("usage", t("console.no_usage"), ""))]);
	};
	const first = { from: day(DAYS), to: day(0), group: "event" };
	const asking = form(t("console.show"), load, field("from", t("console.start"), { type: "date", required: true, value: first.from }),
		field("to", t("console.end"), { type: "date", required: true, value: first.to }),
		choice("group", t("console.by"), { event: t("console.event"), channel: t("console.by_hall"), kind: t("console.by_kind"), day: t("console.by_day") }));
	asking.classList.add("line");
	view.append(asking, make("div", { class: "tiles" }, used.card, spoken.card, balance.card), place);
	show_balance(balance, signal).catch(fail);
	await load(first);
}
