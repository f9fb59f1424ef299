// SPDX-License-Identifier: GPL-3.0-or-later
// The transcript: search, correct, and download as a file.
import { now } from "../shared/api.js";
import { fill, make, nap, save, say, show } from "../shared/dom.js";
import { direction_of, locale, name_of, t } from "../shared/i18n.js";
import { is_live } from "./events.js";
import { plain } from "./palette.js";
import { empty } from "./parts.js";
import { change, edit, file, pages, read } from "./service.js";
import { may } from "./session.js";
import { button, choice, fail, field, form, link, tell } from "./words.js";

const LINES_SHOWN = 200, LINES_AT_ONCE = 100; // lines
/** @type {Record<string, string>} */
const FORMATS = { docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", srt: "application/x-subrip", vtt: "text/vtt", txt: "text/plain", csv: "text/csv", "json-times": "application/json" };
const LINES_EVERY = 3000, LATELY = 5 * 60000; // ms

/** @param {string} at */
const clock = at => new Intl.DateTimeFormat(locale(), { timeStyle: "medium" }).format(new Date(at));

const lately = () => new Date(now() - LATELY).toISOString();

/** @param {any} line */
function line_row(line) {
	const it = make("li", { class: "line-row" });
	const shown = () => fill(it, make("p", { lang: line.language, dir: direction_of(line.language), class: "text" }, line.text),
		make("p", { class: "soft small" }, clock(line.utc_start_at), line.speaker && ` · ${line.speaker}`,
			line.original_text && ` · ${t("console.corrected")}`),
		may("channels:write") && button(t("console.correct"), change_it, "bare"));
	const change_it = () => {
		const text = make("textarea", { value: line.text, rows: 3, maxLength: 2000, required: true, lang: line.language, dir: "auto" });
		fill(it, form(t("console.save"), async values => {
			line = { ...line, ...await change("PATCH", `saas/channel/${line.channel_id}/transcript/${line.line_id}`, { text: values.text, speaker: values.speaker || null }) };
			shown();
			tell(t("console.saved"));
		}, field("text", t("console.line"), {}, text), field("speaker", t("console.speaker_name"), { value: line.speaker || "", maxLength: 100 })), button(t("console.back"), shown, "bare"));
		text.focus();
	};
	shown();
	return it;
}

/** The form that says for whom lines are kept. @param {any} event @param {() => void} changed */
function keeping(event, changed) {
	const seen = { ...event };
	const it = form(t("console.save"), async ({ transcript }) => {
		await edit(`saas/v2/event/${event.event_id}`, () => ({ transcript }), { seen });
		event.transcript = transcript;
		tell(t("console.saved"));
		changed();
	}, choice("transcript", t("console.keep"), { off: t("console.keep_off"), organizer: t("console.keep_organizer"), public: t("console.keep_public") }, event.transcript));
	it.classList.add("line");
	return it;
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export async function draw_transcript(view, signal, event) {
	const path = `saas/v2/event/${event.event_id}/transcript`;
	const list = make("ul", { id: "lines" }), state = make("p", { role: "status", class: "soft" }), none = make("div", { role: "status" });
	const [more, earlier] = [1, 2].map(() => make("div", { class: "row pad" }));
	let since = "", language = "original", stage_id = "", words = "", round = 0;
	/** @type {Set<string>} */
	const seen = new Set();
	let last = "";
	const add = (/** @type {any[]} */ lines) => list.append(...lines.filter(one => {
		const fresh = !seen.has(one.line_id);
		seen.add(one.line_id);
		last = one.utc_start_at > last ? one.utc_start_at : last;
		return fresh && plain(`${one.text} ${one.speaker || ""}`).includes(plain(words));
	}).map(line_row));
	const tell_count = (whole = true) => {
		const count = list.children.length;
		say(state, since ? t("console.lines_since", { time: clock(since), count }) : !whole ? t("console.first_lines", { count }) : count ? t("console.lines", { count }) : t("console.no_lines"));
		const nothing = whole && !count && !since && !words && !stage_id && language === "original", over = event.lifecycle_status === "finished";
		if (nothing !== !!none.firstChild) // else its button would lose the focus
			fill(none, nothing && empty("text", t("console.no_lines"), over ? "" : t("console.no_lines_how"), !over && first_step()));
		show(head, !nothing);
		show(search, !nothing);
	};
	const first_step = () => event.transcript !== "off" ? link(t("console.halls"), `#/event/${event.event_id}`, "", "mic") : keeps && button(t("console.keep_mine"), () => {
		/** @type {any} */ (keeps.elements).transcript.value = "organizer";
		keeps.requestSubmit();
	});
	/** Shows lines that come until the event is over. @param {number} mine */
	const follow = async mine => {
		while (event.lifecycle_status !== "finished" && !signal.aborted && mine === round) {
			await nap(LINES_EVERY);
			for await (const lines of document.hidden ? [] : pages(path, { language, stage_id, from: last, page_size: LINES_AT_ONCE })) {
				if (signal.aborted || mine !== round)
					return;
				add(lines);
				tell_count();
			}
		}
	};
	/** Reads until LINES_SHOWN more lines are found; all recent ones. @param {AsyncGenerator<any[]>} source */
	const read_on = async source => {
		const mine = ++round, wanted = since ? Infinity : list.children.length + LINES_SHOWN;
		fill(more);
		for (;;) {
			const { value, done } = await source.next().catch(error => {
				fill(more, button(t("console.more"), load)); // start from the beginning
				throw error;
			});
			if (signal.aborted || mine !== round)
				return;
			add(value || []);
			tell_count(done);
			if (done)
				return void follow(mine).catch(error => error.slug === "network" || fail(error));
			if (list.children.length >= wanted)
				return fill(more, button(t("console.more"), () => read_on(source)));
		}
	};
	/** Leaves the first lines of a live event out. */
	const find = async () => {
		since = !words && is_live(event) && (await read(path, { language, stage_id, page_size: 1 })).items.length ? lately() : "";
		await load();
	};
	const load = () => {
		fill(list);
		seen.clear();
		last = since;
		fill(earlier, since && button(t("console.from_beginning"), () => (since = "", load())));
		return read_on(pages(path, { language, stage_id, from: since, page_size: LINES_AT_ONCE }));
	};
	const keeps = may("events:write") && keeping(event, () => none.firstChild && (fill(none), tell_count()));
	const names = { original: t("console.original"), ...Object.fromEntries(event.output_languages.map((/** @type {string} */ code) => [code, name_of(code)])) };
	const search = form(t("console.find"), async ({ language: wanted, stage, words: typed }) => {
		language = wanted;
		stage_id = stage || "";
		words = typed || "";
		await find();
	}, choice("language", t("console.language"), names), event.stages.length > 1 && choice("stage", t("console.hall_word"), { "": t("console.all_halls"), ...Object.fromEntries(event.stages.map((/** @type {any} */ one) => [one.stage_id, one.name])) }), field("words", t("console.said"), { type: "search" }));
	search.onchange = ({ target }) => target instanceof HTMLSelectElement && search.requestSubmit();
	search.classList.add("line");
	const head = make("header", null, state, make("span", { class: "row push" }, ...Object.entries(FORMATS).map(([format, type]) => button(format.split("-")[0].toUpperCase(), async () =>
		save(`event-${event.event_id}-${language}.${format.replace("-times", "")}`, type, await file(path, { language, stage_id, format })), "", "save"))));
	fill(view, keeps && make("section", { class: "card" }, keeps), make("section", { class: "card" }, head, search, none, earlier, list, more));
	await find();
}
