// SPDX-License-Identifier: GPL-3.0-or-later
// Saves the received texts as a file: plain text, SubRip, WebVTT.

/** @typedef {{ start: number, end: number, language: string, text: () => string }} Kept */

/** @param {number} seconds @param {string} point */
function clock(seconds, point) {
	const ms = Math.max(0, Math.round(seconds * 1000));
	const two = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, "0");
	return `${two(ms / 3600000)}:${two(ms / 60000 % 60)}:${two(ms / 1000 % 60)}${point}${String(ms % 1000).padStart(3, "0")}`;
}

/** Returns cues that start with the first text and do not overlap. @param {Kept[]} texts */
function cues(texts) {
	const order = [...texts].sort((a, b) => a.start - b.start);
	return order.map((one, i) => {
		const next = order.slice(i + 1).find(other => other.start > one.start);
		const start = one.start - order[0].start, end = Math.max(one.end - order[0].start, start + 1);
		return { start, end: next ? Math.max(start + 0.1, Math.min(end, next.start - order[0].start)) : end, one };
	});
}

/** @param {Kept[]} texts */
export const as_text = texts => [...texts].sort((a, b) => a.start - b.start).map(one => `${one.text()}\n`).join("");

/** @param {Kept[]} texts */
export const as_srt = texts => cues(texts).map(({ start, end, one }, i) =>
	`${i + 1}\n${clock(start, ",")} --> ${clock(end, ",")}\n${one.text()}\n`).join("\n");

/** @param {Kept[]} texts */
export const as_vtt = texts => `WEBVTT\n\n${cues(texts).map(({ start, end, one }) =>
	`${clock(start, ".")} --> ${clock(end, ".")}\n<lang ${one.language}>${one.text()
		.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")}</lang>\n`).join("\n")}`;
