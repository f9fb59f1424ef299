// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of an event, for a new one and for one that is edited; how it is edited, ended, deleted.
import { now } from "../shared/api.js";
import { fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { sure, undoable } from "./parts.js";
import { change, edit } from "./service.js";
import { button, choice, fail, field, form, link, tell } from "./words.js";
import { local_of, utc_of } from "./zone.js";

const CODE = 6, LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"; // length and characters of an access code; the characters do not look alike

/** Makes an access code that can be read aloud. */
const random_code = () => [...crypto.getRandomValues(new Uint8Array(CODE))].map(byte => LETTERS[byte % LETTERS.length]).join("");

const EVENT_MS = 8 * 3600000, MOST_MS = 31 * 86400000; // proposed length of an event; the longest that moves with its beginning

/**
 * Returns the end for a new beginning: it moves along; it is proposed if there is none or it is too early.
 * @param {Record<string, string>} about @param {string} before the last beginning
 */
function end_for({ start, end }, before) {
	const [from, to, was] = [start, end, before].map(text => Date.parse(`${text}Z`)), moves = to > was && to - was < MOST_MS;
	return !start || !moves && to > from ? end : new Date(from + (moves ? to - was : EVENT_MS)).toISOString().slice(0, 16);
}

/**
 * Makes the fields that an event has by itself. `about` follows what is typed.
 * @param {Record<string, string>} about @param {() => void} changed
 */
export function event_fields(about, changed) {
	const put = (/** @type {string} */ name) => ({ value: about[name] || "" });
	const zones = Object.fromEntries(Intl.supportedValuesOf("timeZone").concat("UTC").map(zone => [zone, zone]));
	const code = field("access_code", t("console.code"), { ...put("access_code"), minLength: CODE, maxLength: 64, pattern: "[!-~]*" });
	const keeps = make("input", { type: "checkbox", role: "switch", name: "kept", checked: about.transcript !== "off" }), open = make("input", { type: "checkbox", role: "switch", name: "open", checked: about.transcript === "public" });
	const kept = [make("label", { class: "check" }, keeps, make("span", null, make("b", null, t("console.keep_mine")), make("small", null, t("console.keep_mine_how")))),
		make("label", { class: "check" }, open, make("span", null, make("b", null, t("console.keep_all"))))];
	kept.forEach(one => one.addEventListener("change", ({ target }) => {
		if (target === open && open.checked)
			keeps.checked = true;
		if (!keeps.checked)
			open.checked = false;
		about.transcript = open.checked ? "public" : keeps.checked ? "organizer" : "off";
		changed();
	}));
	const fields = make("div", { class: "fields", oninput: (/** @type {Event} */ { target }) => {
		const { name, value } = /** @type {HTMLInputElement} */ (target), end = /** @type {HTMLInputElement} */ (fields.querySelector("[name=end]")), before = about.start;
		about[name] = value;
		if (name === "start")
			end.value = about.end = end_for(about, before);
		end.setCustomValidity("");
		changed();
	} }, field("title", t("console.event_title"), { ...put("title"), required: true, minLength: 3, maxLength: 100 }),
	field("start", t("console.start"), { ...put("start"), type: "datetime-local", required: true }), field("end", t("console.end"), { ...put("end"), type: "datetime-local", required: true }),
	choice("timezone", t("console.zone"), zones, about.timezone), field("location", t("console.place"), { ...put("location"), maxLength: 255 }),
	choice("event_type", t("console.where"), { "in-person": t("console.in_person"), online: t("console.online") }, about.event_type),
	make("div", { class: "line" }, code, button(t("console.random_code"), () => {
		const input = /** @type {HTMLInputElement} */ (code.lastElementChild);
		input.value = random_code();
		input.dispatchEvent(new Event("input", { bubbles: true }));
	})));
	/** True when the end is after the beginning. @param {HTMLFormElement} it */
	const check = it => {
		const wrong = utc_of(about.end, about.timezone) <= utc_of(about.start, about.timezone);
		/** @type {HTMLInputElement} */ (it.elements.namedItem("end")).setCustomValidity(wrong ? t("console.end_first") : "");
		return it.reportValidity();
	};
	return { fields, kept, check };
}

/** Returns an event as the form has it. @param {any} event @returns {Record<string, any>} */
const as_typed = ({ title, event_type, location, access_code, transcript, timezone, utc_start_dt, utc_end_dt }) => ({ title, event_type, location: location || "", access_code: access_code || "", transcript, timezone,
	start: local_of(utc_start_dt, timezone), end: local_of(utc_end_dt, timezone) });

/** @param {HTMLElement} view @param {AbortSignal} _ @param {any} event */
export function draw_edit(view, _, event) {
	const about = as_typed(event), seen = as_typed(event), fields = event_fields(about, () => {}), back = `#/event/${event.event_id}`;
	const it = form(t("console.save"), async () => {
		if (!fields.check(it))
			return;
		await edit(`saas/v2/event/${event.event_id}`, () => about, { seen, fields: as_typed, members: ({ start, end, ...rest }) => ({
			...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, value === "" ? null : value])),
			...(start || rest.timezone) && { utc_start_dt: utc_of(about.start, about.timezone) }, ...(end || rest.timezone) && { utc_end_dt: utc_of(about.end, about.timezone) } }) });
		tell(t("console.saved"));
		location.hash = back;
	}, fields.fields, ...fields.kept);
	it.lastElementChild?.append(link(t("console.back"), back, "bare"));
	fill(view, make("section", { class: "card" }, it));
}

/** Ends an event, after a question, and ten seconds in which it can be undone. @param {any} event @param {number} listeners */
export async function end_event(event, listeners) {
	if (await sure(t("console.end_event_q", { name: event.title }), t("console.end_event"), t("console.end_event_how", { count: listeners })))
		undoable(t("console.ended", { name: event.title }), () => edit(`saas/v2/event/${event.event_id}`, () => ({ utc_end_dt: new Date(now()).toISOString() })).catch(fail), () => {});
}

const ONE_WEEK = 7 * 86400000;

/** Makes an event like another one, with the same weekday and time in the next weeks, and opens its form. @param {any} event */
export async function copy_event({ event_id, title, utc_start_dt }) {
	const start = Date.parse(utc_start_dt), weeks = Math.max(1, Math.ceil((now() - start) / ONE_WEEK));
	const made = await change("POST", `saas/v2/event/${event_id}/copy`, { utc_start_dt: new Date(start + weeks * ONE_WEEK).toISOString() });
	location.hash = `#/event/${made.event_id}/edit`;
	tell(t("console.copied_event", { name: title }));
}

/** Ids of events that are deleted unless it is undone. @type {Set<string>} */
export const leaving = new Set();

/** Deletes an event, with ten seconds to undo it. @param {any} event @param {() => void} changed */
export function delete_event({ event_id, title }, changed) {
	leaving.add(event_id);
	changed();
	undoable(t("console.deleted_name", { name: title }), () => change("DELETE", `saas/v2/event/${event_id}`, undefined).catch(error => {
		leaving.delete(event_id);
		fail(error);
	}), () => (leaving.delete(event_id), changed()));
}
