// SPDX-License-Identifier: GPL-3.0-or-later
// The agenda of an event: what is on, when, in which hall and by whom.
import { now, Problem } from "../shared/api.js";
import { fill, make } from "../shared/dom.js";
import { locale, t } from "../shared/i18n.js";
import { empty, pill } from "./parts.js";
import { edit, watch } from "./service.js";
import { may } from "./session.js";
import { button, button_twice, choice, fail, field, form, tell } from "./words.js";
import { local_of, utc_of } from "./zone.js";

const MOST_SPEAKERS = 50, HOUR = 3600000;

/** @typedef {{ session_id?: string, stage_id: string, title: string, description?: string, utc_start_dt: string,
 *   utc_end_dt: string, speakers: { name: string, title?: string, photo_url?: string }[] }} Session */

/* ---- changes ---- */

/**
 * Replaces a session of the agenda by `next`; the other sessions stay. Throws when the session no
 * longer equals `seen`.
 * @param {string} event_id @param {Session | null} seen null: `next` is new
 * @param {Session | null} next null: delete the session
 */
const put_session = (event_id, seen, next) => edit(`saas/v2/event/${event_id}`, ({ sessions }) => {
	const mine = seen && sessions.find((/** @type {Session} */ one) => one.session_id === seen.session_id);
	if (seen && JSON.stringify(mine) !== JSON.stringify(seen))
		throw Object.assign(new Problem(412, [{ type: "stale-version" }]), { theirs: mine || null });
	const others = sessions.filter((/** @type {Session} */ one) => one !== mine);
	return { sessions: next ? [...others, { ...mine && { session_id: mine.session_id }, ...next }] : others };
});

/** Makes the pointers of a problem relative to the session's form. @param {any} error */
function of_form(error) {
	for (const one of error.errors || [])
		one.pointer = String(one.pointer || "").replace(/^\/data\/sessions\/\d+\//, "/data/");
	return error;
}

/* ---- the form ---- */

/** @param {Session["speakers"]} speakers */
function speakers_box(speakers) {
	const rows = make("div", null);
	const add = (name = "", title = "") => rows.append(make("div", { class: "line speaker" },
		field("speaker", t("console.name"), { value: name, maxLength: 200 }),
		field("speaker_title", t("console.speaker_title"), { value: title, maxLength: 200 })));
	speakers.forEach(({ name, title }) => add(name, title));
	const more = button(t("console.add_speaker"), () => {
		if (rows.children.length < MOST_SPEAKERS)
			add();
		rows.lastElementChild?.querySelector("input")?.focus();
	});
	return make("fieldset", { "data-field": "speakers" }, make("legend", null, t("console.speakers")), rows, more);
}

/** @param {HTMLFormElement} it @param {Session["speakers"]} were whose pictures are kept */
function speakers_of(it, were) {
	const values = new FormData(it), titles = values.getAll("speaker_title").map(String);
	return values.getAll("speaker").map((name, i) => ({ ...were.find(one => one.name === name), name: String(name).trim(), title: titles[i].trim() }))
		.filter(({ name }) => name).map(({ title, ...one }) => ({ ...one, ...title && { title } }));
}

/** @param {any} event @param {Session} session @param {(session: Session) => Promise<any>} save */
function session_form(event, session, save) {
	const zone = event.timezone || "UTC";
	const put = (/** @type {string} */ when) => ({ type: "datetime-local", required: true, value: local_of(when, zone) });
	const halls = Object.fromEntries(event.stages.map((/** @type {any} */ one) => [one.stage_id, one.name]));
	const it = form(t("console.save"), async ({ title, description, stage_id, utc_start_dt, utc_end_dt }) => {
		const next = { title, stage_id, utc_start_dt: utc_of(utc_start_dt, zone), utc_end_dt: utc_of(utc_end_dt, zone),
			...description && { description }, speakers: speakers_of(it, session.speakers) };
		const end = /** @type {HTMLInputElement} */ (it.elements.namedItem("utc_end_dt"));
		end.setCustomValidity(next.utc_end_dt <= next.utc_start_dt ? t("console.end_first") : "");
		if (it.reportValidity())
			await save(next).catch(error => Promise.reject(of_form(error)));
	}, field("title", t("console.event_title"), { value: session.title, required: true, maxLength: 200 }),
	make("div", { class: "fields" }, field("utc_start_dt", t("console.start"), put(session.utc_start_dt)),
		field("utc_end_dt", t("console.end"), put(session.utc_end_dt))),
	make("p", { class: "soft" }, zone), choice("stage_id", t("console.by_hall"), halls, session.stage_id), speakers_box(session.speakers),
	field("description", t("console.description"), {}, make("textarea", { rows: 3, maxLength: 2000, value: session.description || "" })));
	it.oninput = () => /** @type {HTMLInputElement} */ (it.elements.namedItem("utc_end_dt")).setCustomValidity("");
	return it;
}

/* ---- the table ---- */

/** @param {any} event */
function formats(event) {
	const timeZone = event.timezone || "UTC";
	return { day: new Intl.DateTimeFormat(locale(), { dateStyle: "full", timeZone }), time: new Intl.DateTimeFormat(locale(), { timeStyle: "short", timeZone }) };
}

/** @param {Session} session */
const is_now = ({ utc_start_dt: from, utc_end_dt: to }) => Date.parse(from) <= now() && now() < Date.parse(to);

class Agenda {
	/** @param {any} event @param {() => Promise<void>} again */
	constructor(event, again) {
		this.event = event;
		this.again = again;
		this.format = formats(event);
		this.state = make("div", { role: "status" });
		this.body = make("tbody", { role: "rowgroup" });
		this.place = make("div", { class: "card", hidden: true }); // form of a new session
		this.adding = make("div", { class: "row" }, button(t("console.add_session"), () => this.add(), "strong", "plus"));
		/** @type {HTMLElement | null} the open form */
		this.open = null;
		/** @type {Session[]} */
		this.sessions = event.sessions;
		const head = [t("console.when"), t("console.by_hall"), t("console.event_title"), ""];
		this.table = make("table", { role: "table", class: "fold" }, make("thead", { role: "rowgroup" }, make("tr", { role: "row" },
			...head.map(text => text ? make("th", { scope: "col", role: "columnheader" }, text) : make("td", { role: "cell" })))), this.body);
	}

	/** @param {any} event its current record */
	follow(event) {
		this.event = event;
		this.sessions = event.sessions;
		if (!this.open)
			this.draw();
	}

	draw() {
		fill(this.state, !this.sessions.length && empty("clock", t("console.no_sessions"), t("console.no_sessions_how")));
		this.table.hidden = !this.sessions.length;
		const rows = [];
		let last = "";
		for (const one of this.sessions) {
			const day = this.format.day.format(new Date(one.utc_start_dt));
			if (day !== last)
				rows.push(make("tr", { role: "row", class: "day" }, make("th", { role: "rowheader", scope: "rowgroup", colSpan: 4 }, day)));
			last = day;
			rows.push(this.row(one));
		}
		fill(this.body, ...rows);
	}

	/** @param {Session} one */
	row(one) {
		const hall = this.event.stages.find((/** @type {any} */ stage) => stage.stage_id === one.stage_id);
		const cell = (/** @type {string} */ label, /** @type {any[]} */ ...parts) => make("td", { role: "cell", "data-label": label }, ...parts);
		const row = make("tr", { role: "row", "data-session": one.session_id });
		fill(row, cell(t("console.when"), this.format.time.formatRange(new Date(one.utc_start_dt), new Date(one.utc_end_dt)), is_now(one) && make("span", null, " ", pill("live", t("console.now")))),
			cell(t("console.by_hall"), make("span", { dir: "auto" }, hall ? hall.name : "–")),
			cell(t("console.event_title"), make("strong", { dir: "auto" }, one.title), ...one.speakers.map(({ name, title }) =>
				make("div", { dir: "auto", class: "soft" }, [name, title].filter(Boolean).join(", ")))),
			make("td", { role: "cell", class: "acts" }, may("events:write") && this.buttons(one, row)));
		return row;
	}

	/** @param {Session} one @param {HTMLElement} row */
	buttons(one, row) {
		return make("div", { class: "row" }, button(t("console.change"), () => {
			if (this.is_free())
				this.edit(fill_row(row), one, one);
		}, "", "edit"), button_twice(t("console.delete"), t("console.delete_sure"), async () => {
			await put_session(this.event.event_id, one, null);
			await this.done(t("console.deleted"), null);
		}, "bare icon danger"));
	}

	/** True when no form is open. Else focuses the open form. */
	is_free() {
		const input = this.open?.querySelector("input");
		if (input)
			input.focus();
		return !input;
	}

	/**
	 * Opens a session's form in an element.
	 * @param {HTMLElement} place @param {Session} session @param {Session | null} seen
	 */
	edit(place, session, seen) {
		this.open = place;
		const it = session_form(this.event, session, async next => {
			await put_session(this.event.event_id, seen, next).catch(error => {
				seen = "theirs" in error ? error.theirs : seen; // saving again overwrites the other change
				throw error;
			});
			await this.done(t("console.saved"), session);
		});
		it.lastElementChild?.append(button(t("console.back"), () => this.close(session), "bare"));
		fill(place, it);
		place.hidden = false;
		place.querySelector("input")?.focus();
	}

	/** @param {Session | null} session whose form was open */
	close(session) {
		this.open = null;
		fill(this.place);
		this.place.hidden = true;
		this.draw();
		const row = session && session.session_id && this.body.querySelector(`[data-session="${session.session_id}"]`);
		/** @type {HTMLElement | null} */ ((row || this.adding).querySelector("button"))?.focus();
	}

	add() {
		if (!this.is_free())
			return;
		const last = this.sessions[this.sessions.length - 1], start = last ? last.utc_end_dt : this.event.utc_start_dt;
		this.edit(this.place, { title: "", stage_id: last ? last.stage_id : this.event.stages[0].stage_id, utc_start_dt: start,
			utc_end_dt: new Date(Date.parse(start) + HOUR).toISOString(), speakers: [] }, null);
	}

	/** @param {string} text @param {Session | null} session */
	async done(text, session) {
		await this.again();
		this.close(session);
		tell(text);
	}
}

/** Makes one cell over the whole row, for a form. @param {HTMLElement} row */
function fill_row(row) {
	const cell = make("td", { role: "cell", colSpan: 4 });
	fill(row, cell);
	return cell;
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export function draw_agenda(view, signal, event) {
	const path = `saas/v2/event/${event.event_id}`;
	const again = watch(signal, path, now => it.follow(now), fail), it = new Agenda(event, again);
	if (may("events:write"))
		view.append(it.adding, it.place);
	view.append(make("section", { class: "card" }, it.state, make("div", { class: "scroll" }, it.table)));
	it.draw();
}
