// SPDX-License-Identifier: GPL-3.0-or-later
// Creates an event on one page, with a preview of what its attendees see. This tab keeps the typed
// values. Each request has an idempotency key, so that a creation that stopped half-way can continue
// and creates nothing twice.
import { fill, keep, make, say } from "../shared/dom.js";
import { name_of, number, t, time } from "../shared/i18n.js";
import { copy_event, event_fields } from "./event_form.js";
import { INPUTS, input_fields, source_names } from "./hall_fields.js";
import { language_select } from "./language_select.js";
import { card_head, head, phone_of } from "./parts.js";
import { all, ask, read } from "./service.js";
import { may } from "./session.js";
import { button, choice, field, form } from "./words.js";
import { utc_of } from "./zone.js";

const MOST_HALLS = 50, MOST_BEFORE = 4, MS_OF_HOUR = 3600000;

/**
 * @typedef {object} Draft
 * @property {Record<string, string>} about fields of the event
 * @property {{ name: string, source: string, type: string, url: string }[]} halls
 * @property {string[]} targets
 * @property {Record<string, string>} keys Idempotency-Key of each thing to create
 * @property {any} [event] the event that was created
 * @property {number} [made] number of halls created so far
 */

/** @returns {Draft} */
function draft_of_tab() {
	const kept = keep("tab", "draft");
	return kept ? JSON.parse(kept) : { about: { event_type: "in-person", transcript: "organizer", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
		halls: [{ name: t("console.hall"), source: "en", type: INPUTS[0], url: "" }], targets: [], keys: {} };
}

/** @param {Draft} draft */
const save_draft = draft => keep("tab", "draft", JSON.stringify(draft));

/** @param {Draft} draft @param {string} what @param {string} path @param {any} data */
async function make_once(draft, what, path, data) {
	const mark = `${what} ${JSON.stringify(data)}`;
	draft.keys[mark] = draft.keys[mark] || crypto.randomUUID();
	save_draft(draft);
	return (await ask("POST", path, { data, key: draft.keys[mark] })).data;
}

/** @param {Draft} draft */
async function create(draft) {
	const { start, end, timezone, ...about } = Object.fromEntries(Object.entries(draft.about).filter(([, value]) => value));
	draft.event = draft.event || await make_once(draft, "event", "saas/v2/event", { ...about, timezone, utc_start_dt: utc_of(start, timezone),
		utc_end_dt: utc_of(end, timezone), target_languages: draft.targets, stages: draft.halls.map(({ name }) => ({ name })) });
	save_draft(draft);
	const { event_id, stages } = draft.event;
	for (let i = draft.made || 0; i < stages.length; draft.made = ++i) {
		const { stage_id, name } = stages[i], { source, type, url } = draft.halls[i], targets = draft.targets.filter(code => code !== source);
		await make_once(draft, "hall", "saas/channel", { type: "event", event_id, stage_id, name, source_language: source, target_languages: targets,
			...type !== INPUTS[0] && { input_type: type }, ...type === "hls_pull" && { input_url: url } }).catch(error => {
			for (const one of error.errors || [])
				one.pointer = String(one.pointer || "").replace(/^\/data\/input_\w+/, whole => whole + i);
			throw error;
		});
	}
	keep("tab", "draft", null);
	location.hash = `#/event/${event_id}/halls`;
}

/** Draws the rows of halls. @param {Draft} draft @param {Record<string, string>} sources @param {() => void} changed */
function halls_part(draft, sources, changed) {
	const place = make("div", { class: "stack" });
	const draw = () => fill(place, ...draft.halls.map((hall, i) => {
		const input = input_fields(hall, String(i)), row = make("fieldset", { class: "line", disabled: i < (draft.made || 0), oninput: () => {
			const value = (/** @type {string} */ name) => /** @type {any} */ (row.querySelector(`[name=${name}${i}]`)).value;
			Object.assign(hall, { name: value("hall"), source: value("source"), ...input.read() });
			changed();
		} }, field(`hall${i}`, t("console.hall_n", { n: i + 1 }), { value: hall.name, required: true, maxLength: 100, readOnly: !!draft.event }),
		choice(`source${i}`, t("console.spoken"), sources, hall.source), ...input.parts,
		!draft.event && draft.halls.length > 1 && button(t("console.remove", { name: hall.name }), () => (draft.halls.splice(i, 1), draw(), changed()), "bare icon", "trash"));
		return row;
	}), !draft.event && draft.halls.length < MOST_HALLS && make("div", { class: "row" }, button(t("console.add_hall"), () => {
		draft.halls.push({ ...draft.halls[draft.halls.length - 1], name: "" });
		draw();
		changed();
		/** @type {HTMLElement} */ (place.querySelector(`[name=hall${draft.halls.length - 1}]`)).focus();
	}, "", "plus")));
	draw();
	return { place, draw };
}

/** @param {Draft} draft */
function hours_of({ about: { start, end, timezone } }) {
	const hours = start && end ? (Date.parse(utc_of(end, timezone)) - Date.parse(utc_of(start, timezone))) / MS_OF_HOUR : 0;
	return Math.max(0, hours);
}

/** @param {HTMLElement} view */
export async function draw_new(view) {
	const draft = draft_of_tab(), [languages, prices] = await Promise.all([read("languages"), may("balance:read") ? read("payments/v2/prices") : null]);
	if (!view.isConnected)
		return; // another screen is shown by now
	const shown = make("div", { class: "phone-box" }), cost = make("b", { class: "push large" }), targets = language_select(languages, () => draft.halls.map(one => one.source), draft.targets);
	const changed = () => {
		draft.targets = targets.chosen();
		save_draft(draft);
		const { about, halls: rooms } = draft;
		fill(shown, phone_of(about.title || t("console.event_title"), [about.start && time(utc_of(about.start, about.timezone), about.timezone), about.location].filter(Boolean).join(" · "),
			draft.targets.map(code => name_of(code, true)), rooms.map(one => one.name)));
		say(cost, prices ? number(Math.ceil(hours_of(draft) * rooms.length * prices.broadcast)) : "");
	};
	const about = event_fields(draft.about, changed);
	const halls = halls_part(draft, source_names(languages), changed);
	const it = form(draft.event ? t("console.go_on") : t("console.create"), () => about.check(it) && create(draft).catch(error => (halls.draw(), Promise.reject(error))),
		make("div", { class: "stack" },
			make("section", { class: "card" }, card_head(t("console.step1")), make("div", { class: "pad" }, about.fields)),
			make("section", { class: "card" }, card_head(t("console.halls"), make("span", { class: "soft small" }, t("console.no_halls_how"))),
				make("div", { class: "pad" }, halls.place)),
			make("section", { class: "card" }, card_head(t("console.targets")), make("div", { class: "pad" }, targets.box)),
			make("section", { class: "card" }, card_head(t("console.kept_title")), make("div", { class: "pad stack" }, ...about.kept))),
		make("div", { class: "stack stick" }, make("section", { class: "card" }, card_head(t("console.attendees_see")), shown),
			make("section", { class: "card" }, card_head(t("console.step4"), cost, prices && make("small", { class: "soft" }, t("console.credits_word"))), make("div", { class: "pad stack", id: "finish" },
				make("p", { class: "soft" }, t("console.cost_how"))))));
	it.classList.add("two");
	targets.box.addEventListener("change", changed);
	const last = /** @type {HTMLElement} */ (it.lastElementChild);
	last.firstElementChild?.classList.add("big");
	it.querySelector("#finish")?.append(last);
	head({ title: t("console.new"), crumb: ["#/events", t("console.events")], meta: [t("console.draft_kept")],
		acts: [button(t("console.discard"), () => (keep("tab", "draft", null), draw_new(view)), "bare")] });
	fill(view, it);
	changed();
	if (draft.event || !may("events:read"))
		return;
	const before = (await all("saas/v2/events", { page_size: 50 }, 50)).sort((a, b) => b.utc_start_dt.localeCompare(a.utc_start_dt)).slice(0, MOST_BEFORE);
	if (before.length)
		it.firstElementChild?.prepend(make("section", { class: "card" }, card_head(t("console.like_before"), make("span", { class: "soft small" }, t("console.like_before_how"))),
			make("div", { class: "pad row" }, ...before.map(event => button(event.title, () => copy_event(event), "", "copy")))));
}
