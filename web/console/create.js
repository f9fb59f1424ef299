// SPDX-License-Identifier: GPL-3.0-or-later
// Creates an event in four steps. This tab keeps the typed values. Each request has an idempotency
// key, so that a creation that stopped half-way can continue and creates nothing twice.
import { fill, keep, make } from "../shared/dom.js";
import { name_of, t, time } from "../shared/i18n.js";
import { ask, read } from "./service.js";
import { INPUTS, input_fields, source_names, target_boxes } from "./hall_fields.js";
import { arrow, button, choice, field, form, point_out } from "./words.js";
import { utc_of } from "./zone.js";

const STEPS = 4;
const CODE = 6, LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"; // length and characters of an access code; the characters do not look alike

/** Makes an access code that can be read aloud. */
const random_code = () => [...crypto.getRandomValues(new Uint8Array(CODE))].map(byte => LETTERS[byte % LETTERS.length]).join("");

/**
 * @typedef {object} Draft
 * @property {number} step
 * @property {Record<string, string>} about fields of the event
 * @property {string[]} halls names
 * @property {{ type: string, url?: string }[]} [inputs] one for each hall, see INPUTS; without it,
 * each hall has the first of INPUTS
 * @property {string} source @property {string[]} targets
 * @property {Record<string, string>} keys Idempotency-Key of each thing to create
 * @property {any} [event] the event that was created
 * @property {number} [made] number of halls created so far
 */

/** @returns {Draft} */
function draft_of_tab() {
	const kept = keep("tab", "draft");
	return kept ? JSON.parse(kept) : { step: 1, about: { event_type: "in-person", timezone:
		Intl.DateTimeFormat().resolvedOptions().timeZone }, halls: [t("console.hall")], source: "en", targets: [], keys: {} };
}

/** @param {Draft} draft */
const save_draft = draft => keep("tab", "draft", JSON.stringify(draft));

/** @param {Draft} draft @param {() => void} next */
function step_about(draft, next) {
	const { about } = draft, put = (/** @type {string} */ name) => ({ value: about[name] || "" });
	const zones = Object.fromEntries(Intl.supportedValuesOf("timeZone").concat("UTC").map(zone => [zone, zone]));
	const code = field("access_code", t("console.code"), { ...put("access_code"), minLength: CODE, maxLength: 64, pattern: "[!-~]*" });
	const it = form(t("console.on"), values => {
		draft.about = /** @type {any} */ (values);
		const wrong = utc_of(values.end, values.timezone) <= utc_of(values.start, values.timezone);
		const end = /** @type {HTMLInputElement} */ (it.elements.namedItem("end"));
		end.setCustomValidity(wrong ? t("console.end_first") : "");
		if (it.reportValidity())
			next();
	}, field("title", t("console.event_title"), { ...put("title"), required: true, minLength: 3, maxLength: 100 }),
	choice("event_type", t("console.where"), { "in-person": t("console.in_person"), online: t("console.online") }, about.event_type),
	field("start", t("console.start"), { ...put("start"), type: "datetime-local", required: true }),
	field("end", t("console.end"), { ...put("end"), type: "datetime-local", required: true }),
	choice("timezone", t("console.zone"), zones, about.timezone),
	field("location", t("console.place"), { ...put("location"), maxLength: 255 }),
	code, make("div", { class: "row" }, button(t("console.random_code"), () => {
		const input = /** @type {HTMLInputElement} */ (code.lastElementChild);
		input.value = random_code();
		input.dispatchEvent(new Event("input", { bubbles: true }));
	})));
	it.oninput = () => {
		/** @type {HTMLInputElement} */ (it.elements.namedItem("end")).setCustomValidity("");
		draft.about = /** @type {any} */ (Object.fromEntries(new FormData(it)));
		save_draft(draft);
	};
	return it;
}

/** @param {Draft} draft @param {() => void} next @param {() => void} again */
function step_halls(draft, next, again) {
	const { event, made = 0, inputs = [] } = draft;
	const rows = draft.halls.map((value, i) => {
		const name = field(`hall${i}`, t("console.hall_n", { n: i + 1 }), { value, required: true, maxLength: 100, readOnly: !!event }), input = input_fields(inputs[i] || {}, String(i));
		return { name: /** @type {HTMLInputElement} */ (name.lastElementChild), input, box: make("fieldset", { class: "bare fields", disabled: i < made }, name, ...input.parts) };
	});
	const it = form(t("console.on"), next, ...rows.map(one => one.box),
		!event && make("div", { class: "row" }, draft.halls.length < 50 && button(t("console.add_hall"), () => (draft.halls.push(""), again())),
			draft.halls.length > 1 && button(t("console.drop_hall"), () => (draft.halls.pop(), inputs.splice(draft.halls.length), again()))));
	it.oninput = () => {
		draft.halls = rows.map(one => one.name.value);
		draft.inputs = rows.map(one => one.input.read());
		save_draft(draft);
	};
	return it;
}

/** @param {Draft} draft @param {() => void} next @param {any} languages */
function step_languages(draft, next, languages) {
	const boxes = target_boxes(languages, () => draft.source, draft.targets);
	const it = form(t("console.on"), next, choice("source", t("console.spoken"), source_names(languages), draft.source),
		make("fieldset", null, make("legend", null, t("console.targets")), boxes.box));
	it.oninput = event => {
		const { name, value } = /** @type {HTMLSelectElement} */ (event.target);
		draft.targets = boxes.chosen();
		if (name === "source") {
			draft.source = value;
			boxes.draw();
		}
		save_draft(draft);
	};
	return it;
}

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
		utc_end_dt: utc_of(end, timezone), target_languages: draft.targets, stages: draft.halls.map(name => ({ name })) });
	save_draft(draft);
	const { event_id, stages } = draft.event;
	for (let i = draft.made || 0; i < stages.length; draft.made = ++i) {
		const { stage_id, name } = stages[i], { type = INPUTS[0], url } = (draft.inputs || [])[i] || {};
		await make_once(draft, "hall", "saas/channel", { type: "event", event_id, stage_id, name, source_language: draft.source, target_languages: draft.targets,
			...type !== INPUTS[0] && { input_type: type }, ...type === "hls_pull" && { input_url: url } });
	}
	keep("tab", "draft", null);
	location.hash = `#/event/${event_id}/halls`;
}

/**
 * @param {Draft} draft @param {any} prices @param {(error: any) => void} mend shows the step of the
 * refused input
 */
function step_cost(draft, prices, mend) {
	const { about, halls } = draft, hours = (Date.parse(utc_of(about.end, about.timezone)) - Date.parse(utc_of(about.start, about.timezone))) / 3600000;
	return form(draft.event ? t("console.go_on") : t("console.create"), () => create(draft).catch(error => {
		const mine = (error.errors || []).filter((/** @type {any} */ one) => /^\/data\/input_/.test(one.pointer));
		for (const one of mine)
			one.pointer += draft.made || 0;
		if (!mine.length)
			throw error;
		mend(error);
	}), make("h3", { dir: "auto" }, about.title), make("p", null, time(utc_of(about.start, about.timezone), about.timezone)),
		make("p", { dir: "auto" }, halls.join(" · ")),
		make("p", null, [draft.source === "auto" ? t("console.detected") : name_of(draft.source), draft.targets.map(code => name_of(code)).join(", ")].join(` ${arrow()} `)),
		make("p", { class: "large" }, t("console.cost", { credits: Math.ceil(hours * halls.length * prices.broadcast) })),
		make("p", { class: "soft" }, t("console.cost_how")));
}

/** @param {HTMLElement} view */
export async function draw_new(view) {
	const draft = draft_of_tab();
	const [languages, prices] = await Promise.all([read("languages"), read("payments/v2/prices")]);
	const go = (/** @type {number} */ step) => {
		draft.step = step;
		save_draft(draft);
		const next = () => go(step === 2 && draft.event ? STEPS : step + 1), again = () => go(step);
		const steps = [step_about, step_halls, (/** @type {any} */ d, /** @type {any} */ n) => step_languages(d, n, languages), () => step_cost(draft, prices, error => {
			go(2);
			point_out(/** @type {HTMLFormElement} */ (view.querySelector("form")), error);
		})];
		const title = make("h2", { tabIndex: -1 }, t("console.step", { step, steps: STEPS }), " ",
			[t("console.step1"), t("console.halls"), t("console.languages"), t("console.step4")][step - 1]);
		fill(view, title, steps[step - 1](draft, next, again), make("div", { class: "row" },
			step > 1 && !draft.event && button(t("console.back"), () => go(step - 1)),
			button(t("console.discard"), () => (keep("tab", "draft", null), draw_new(view)))));
		title.focus();
	};
	go(draft.step);
}
