// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as SVG. The page shows a table beside each, for users who cannot see the chart.
import { fill, make } from "./dom.js";
import { draw } from "./svg.js";

const HIGH = 220, LEFT = 44, FOOT = 24, HEAD = 10; // pixels
const COLOURS = 5;

/**
 * Returns round numbers from 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten.
 * @param {number} most
 */
export function ticks_of(most) {
	const rough = Math.max(most, 1e-9) / 4, ten = 10 ** Math.floor(Math.log10(rough));
	const step = ten * (/** @type {number} */ ([1, 2, 5, 10].find(n => n * ten >= rough * 0.999)));
	return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** @param {number[]} ticks @param {number} wide @param {(value: number) => string} format */
function axis(ticks, wide, format) {
	const most = ticks[ticks.length - 1] || 1, y = (/** @type {number} */ value) => HEAD + (HIGH - FOOT - HEAD) * (1 - value / most);
	return { y, lines: ticks.flatMap(value => [
		draw("line", { x1: LEFT, x2: wide, y1: y(value), y2: y(value), class: "grid" }),
		draw("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, format(value))]) };
}

/**
 * Draws columns of stacked layers, as wide as there is room, again after each change of that.
 * Pointing at a column shows its values.
 * @param {{ names: string[], label: string, format: (value: number) => string, columns: { name: string, values: number[] }[] }} of
 *   names: of the layers; values: of a column, in the order of names
 */
export function column_chart({ names, columns, label, format }) {
	const sums = columns.map(({ values }) => values.reduce((a, b) => a + b, 0)), ticks = ticks_of(Math.max(1, ...sums));
	const chart = draw("svg", { class: "chart", height: HIGH, role: "img", "aria-label": label, direction: "ltr" });
	new ResizeObserver(([{ contentRect: { width: wide } }]) => {
		const { y, lines } = axis(ticks, wide, format), step = Math.max(0, wide - LEFT) / Math.max(1, columns.length), gap = step > 4 ? 1 : 0;
		const every = Math.ceil(columns.length / Math.max(1, Math.floor((wide - LEFT) / 90)));
		chart.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
		fill(chart, ...lines, ...columns.flatMap(({ name, values }, i) => {
			const x = LEFT + i * step;
			let base = 0;
			const parts = values.map((value, k) => draw("rect", { x, width: Math.max(0.5, step - gap), y: y(base + value), height: y(base) - y(base += value),
				class: `colour${k % COLOURS}` }));
			const told = `${name}: ${format(sums[i])}${names.length > 1 ? names.map((one, k) => values[k] ? ` · ${one} ${format(values[k])}` : "").join("") : ""}`;
			return [draw("g", {}, draw("title", {}, told), draw("rect", { x, width: step, y: HEAD, height: HIGH - FOOT - HEAD, class: "all" }), ...parts),
				i % every === 0 && x + 40 < wide && draw("text", { x: x + step / 2, y: HIGH - 6, "text-anchor": step > 60 ? "middle" : "start" }, name)];
		}));
	}).observe(chart);
	return chart;
}

/** Makes the legend of the layers' colours. @param {string[]} names */
export const legend = names => make("ul", { class: "plain legend" }, ...names.map((name, i) =>
	make("li", { class: `colour${i % COLOURS}` }, make("span", { class: "ink" }, name))));

/**
 * Makes a table inside an element that the keyboard can scroll.
 * @param {string} label @param {string[]} head @param {(string | Node)[][]} rows the first cell of
 * each is its heading
 * @param {number} [bars] index of a column whose numbers are shown as bars
 */
export function data_table(label, head, rows, bars) {
	return make("div", { class: "scroll", tabIndex: 0, role: "group", "aria-label": label }, make("table", { class: "fold" },
		make("thead", null, make("tr", null, ...head.map(text => make("th", { scope: "col" }, text)))),
		make("tbody", null, ...rows.map(([first, ...cells]) => make("tr", null, make("th", { scope: "row", dir: "auto" }, first),
			...cells.map((cell, i) => make("td", { class: i + 1 === bars && "bars", "data-label": head[i + 1] }, cell)))))));
}

/**
 * Makes a number with a bar whose length shows the number.
 * @param {number} value @param {number} most @param {string} text @param {string} label
 */
export const bar_of = (value, most, text, label) => make("span", { class: "bar" },
	make("meter", { min: 0, max: Math.max(most, 1e-9), value, "aria-label": label }), ` ${text}`);
