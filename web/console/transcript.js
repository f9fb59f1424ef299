// SPDX-License-Identifier: GPL-3.0-or-later
// The transcript: search, correct, and download as a file.
import { fill, make, save, say } from "../shared/dom.js";
import { direction_of, name_of, t } from "../shared/i18n.js";
import { change, edit, file, pages } from "./service.js";
import { may } from "./session.js";
import { button, choice, field, form, tell } from "./words.js";

const LINES_SHOWN = 200, LINES_AT_ONCE = 100; // lines
/** @type {Record<string, string>} */
const FORMATS = { srt: "application/x-subrip", vtt: "text/vtt", txt: "text/plain", csv: "text/csv" };

/** @param {any} line */
function line_row(line) {
	const it = make("li", { class: "line-row" });
	const shown = () => fill(it, make("p", { lang: line.language, dir: direction_of(line.language), class: "text" }, line.text),
		make("p", { class: "soft small" }, new Date(line.utc_start_at).toLocaleTimeString(), line.speaker && ` · ${line.speaker}`,
			line.original_text && ` · ${t("console.corrected")}`),
		may("channels:write") && button(t("console.correct"), change_it, "bare"));
	const change_it = () => {
		const text = make("textarea", { value: line.text, rows: 3, maxLength: 2000, required: true, lang: line.language, dir: "auto" });
		fill(it, form(t("console.save"), async values => {
			line = { ...line, ...await change("PATCH", `saas/channel/${line.channel_id}/transcript/${line.line_id}`, { text: values.text }) };
			shown();
			tell(t("console.saved"));
		}, field("text", t("console.line"), {}, text)), button(t("console.back"), shown, "bare"));
		text.focus();
	};
	shown();
	return it;
}

/** @param {HTMLElement} view @param {any} event */
function keeping(view, event) {
	const seen = { ...event };
	const it = form(t("console.save"), async ({ transcript }) => {
		await edit(`saas/v2/event/${event.event_id}`, () => ({ transcript }), { seen });
		tell(t("console.saved"));
	}, choice("transcript", t("console.keep"), { off: t("console.keep_off"), organizer: t("console.keep_organizer"), public: t("console.keep_public") }, event.transcript));
	it.classList.add("line");
	view.append(make("section", { class: "card" }, it));
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export async function draw_transcript(view, signal, event) {
	const path = `saas/v2/event/${event.event_id}/transcript`;
	const list = make("ul", { id: "lines" }), state = make("p", { role: "status", class: "soft" }), more = make("div", { class: "row pad" });
	let language = "original", words = "", round = 0;
	/** Reads until LINES_AT_ONCE more lines are found. @param {AsyncGenerator<any[]>} source */
	const read_on = async source => {
		const mine = ++round, wanted = list.children.length + LINES_SHOWN;
		fill(more);
		for (;;) {
			const { value, done } = await source.next().catch(error => {
				fill(more, button(t("console.more"), load)); // start from the beginning
				throw error;
			});
			if (signal.aborted || mine !== round)
				return;
			list.append(...(value || []).filter((/** @type {any} */ one) => one.text.toLowerCase().includes(words.toLowerCase())).map(line_row));
			const count = list.children.length;
			say(state, count || !done ? t("console.lines", { count }) : t("console.no_lines"));
			if (done || count >= wanted)
				return fill(more, !done && button(t("console.more"), () => read_on(source)));
		}
	};
	const load = () => {
		fill(list);
		return read_on(pages(path, { language, page_size: LINES_AT_ONCE }));
	};
	if (may("events:write"))
		keeping(view, event);
	const names = { original: t("console.original"), ...Object.fromEntries(event.output_languages.map((/** @type {string} */ code) => [code, name_of(code)])) };
	const search = form(t("console.find"), async ({ language: wanted, words: typed }) => {
		language = wanted;
		words = typed || "";
		await load();
	}, choice("language", t("console.language"), names), field("words", t("console.said"), { type: "search" }));
	search.onchange = ({ target }) => /** @type {HTMLSelectElement} */ (target).name === "language" && search.requestSubmit();
	search.classList.add("line");
	view.append(make("section", { class: "card" }, make("header", null, state, make("span", { class: "row push" }, ...Object.entries(FORMATS).map(([format, type]) => button(format.toUpperCase(), async () =>
		save(`event-${event.event_id}-${language}.${format}`, type, await file(path, { language, format })), "", "save")))), search, list, more));
	await load();
}
