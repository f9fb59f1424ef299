// What was used, by day, kind, event or channel.
import { fill, make } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { all } from "./service.js";
import { field, form } from "./words.js";
import { choice } from "./create.js";

const DAYS = 30;

/** @param {number} days ago */
const day = days => new Date(Date.now() - days * 86400000).toISOString().slice(0, 10);

/** @param {any[]} rows */
function usage_table(rows) {
	const head = [t("console.what"), t("console.minutes"), t("console.characters"), t("console.used")];
	return make("table", null, make("thead", null, make("tr", null, ...head.map(text => make("th", { scope: "col" }, text)))),
		make("tbody", null, ...rows.map(one => make("tr", null, make("th", { scope: "row" }, one.key || "–"),
			...[Math.round(one.seconds / 60), one.characters, one.credits].map(value => make("td", null, number(value)))))));
}

/** @param {HTMLElement} view */
export async function draw_usage(view) {
	const place = make("div", { class: "scroll", tabIndex: 0, role: "group", "aria-label": t("console.usage") });
	const load = async (/** @type {any} */ { from, to, group }) => {
		const rows = await all("payments/v2/usage", { group, from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` });
		fill(place, rows.length ? usage_table(rows) : t("console.no_usage"));
	};
	const first = { from: day(DAYS), to: day(-1), group: "day" };
	view.append(form(t("console.show"), load, field("from", t("console.start"), { type: "date", required: true, value: first.from }),
		field("to", t("console.end"), { type: "date", required: true, value: first.to }),
		choice("group", t("console.by"), { day: t("console.by_day"), kind: t("console.by_kind"), event: t("console.event"), channel: t("console.by_hall") })), place);
	await load(first);
}
