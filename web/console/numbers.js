// Figures of an event: who listened, to what, and what it cost.
import { fill, make, save } from "../shared/dom.js";
import { name_of, number, t } from "../shared/i18n.js";
import { file, read, watch } from "./service.js";
import { button, fail } from "./words.js";

const SVG = "http://www.w3.org/2000/svg", WIDE = 640, HIGH = 160, MOST_BARS = 160;

/** @param {string} name @param {Record<string, string | number>} attributes @param {...Node} children */
function draw_svg(name, attributes, ...children) {
	const it = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(attributes))
		it.setAttribute(key, String(value));
	it.append(...children);
	return it;
}

/** Bars of numbers, from old to new. @param {number[]} values @param {string} label */
function bars(values, label) {
	const most = Math.max(1, ...values), wide = WIDE / Math.max(1, values.length);
	return draw_svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label },
		...values.map((value, i) => draw_svg("rect", { x: i * wide, width: Math.max(1, wide - 1), y: HIGH - HIGH * value / most, height: HIGH * value / most })));
}

/** @param {string} code */
const language_name = code => code === "original" ? t("console.original") : name_of(code);

/** @param {any} stats */
function tiles(stats) {
	const all = [[t("console.participants"), stats.participants_count], [t("console.listening"), stats.now.listeners],
		[t("console.minutes"), Math.round(stats.event_time_minutes)], [t("console.used"), stats.credits_used]];
	return make("div", { class: "tiles" }, ...all.map(([name, value]) =>
		make("section", { class: "card" }, make("h2", null, name), make("p", { class: "large" }, number(value)))));
}

/** @param {any[]} rows */
function by_language(rows) {
	return make("table", null, make("thead", null, make("tr", null, make("th", { scope: "col" }, t("console.language")), make("th", { scope: "col" }, t("console.participants")))),
		make("tbody", null, ...rows.map(({ language, participants }) => make("tr", null, make("th", { scope: "row" }, language_name(language)), make("td", null,
			make("meter", { min: 0, max: Math.max(1, ...rows.map(one => one.participants)), value: participants, "aria-label": language_name(language) }), ` ${number(participants)}`)))));
}

/** Listeners of all languages together, a bar for each time. @param {any[]} points */
function over_time(points) {
	/** @type {Map<string, number>} */
	const sums = new Map();
	for (const { utc_at, listeners } of points)
		sums.set(utc_at, (sums.get(utc_at) || 0) + listeners);
	const values = [...sums].sort(([a], [b]) => a.localeCompare(b)).map(([, n]) => n).slice(-MOST_BARS);
	return values.length > 0 && make("section", null, make("h2", null, t("console.over_time")),
		bars(values, t("console.most_at_once", { count: Math.max(...values) })), make("p", { class: "soft" }, t("console.most_at_once", { count: Math.max(...values) })));
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export function draw_numbers(view, signal, event) {
	const path = `saas/v2/event/${event.event_id}/stats`, body = make("div", null);
	view.append(body, make("div", { class: "row" }, button("CSV", async () =>
		save(`event-${event.event_id}-stats.csv`, "text/csv", await file(`${path}/export`, { format: "csv" })))));
	watch(signal, path, async stats => {
		const points = await read(`${path}/series`, { step: 300 });
		if (!signal.aborted)
			fill(body, tiles(stats), over_time(points), make("h2", null, t("console.by_language")), make("div", { class: "scroll" }, by_language(stats.language_distribution)));
	}, fail);
}
