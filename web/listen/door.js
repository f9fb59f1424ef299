// SPDX-License-Identifier: GPL-3.0-or-later
// The screen before listening: finds the event, waits until it opens, and asks for code and
// language.
import { Problem } from "../shared/api.js";
import { byId, fill, keep, make, nap, say, show } from "../shared/dom.js";
import { best_of, name_of, t, time } from "../shared/i18n.js";

/** @typedef {import("../shared/event.js").PublicEvent} PublicEvent */
/** @typedef {import("../shared/event.js").Event} Event */

const AGAIN = 10000; // ms between two requests while an event is not open

// Runs when the page is idle: dates need data of Intl, which a slow phone loads in a fifth of a second.
const later = window.requestIdleCallback || setTimeout;

/** Shows the names of the event and the hall. @param {Partial<import("./live.js").Wish>} wish */
export function show_view({ event, view }) {
	if (!event || !view)
		return;
	document.title = view.title;
	say("title", view.title);
	const hall = view.stages.find(one => one.stage_id === event.stage) || view.stages[0];
	const on = () => document.body.classList.contains("on");
	say("where", on() ? hall.name : view.location || "");
	later(() => on() || say("where", [view.location, time(view.utc_start_dt, undefined, view.utc_end_dt)]
		.filter(Boolean).map(one => `\u2068${one}\u2069`).join(" · "))); // isolate each name, as its writing direction may differ
	say("host", [location.host, view.join_code?.replace(/(\d{3})(?=\d{3}$)/, "$1\u00a0")].filter(Boolean).join(" · "));
}

/** Returns the reader's language, if it is offered, and the one to begin with. @param {{ targets: string[], spoken: string[] }} offered @param {string | null | undefined} preferred */
export function first_language({ targets, spoken }, preferred) {
	const mine = best_of([...targets, ...spoken], [preferred || "", keep("ever", "language") || "", ...navigator.languages]);
	const first = mine && !targets.includes(mine) ? "original" : mine || targets[0] || "original";
	return { mine, first: preferred === "original" || targets.includes(preferred || "") ? /** @type {string} */ (preferred) : first };
}

export class Door {
	/** @param {(wish: import("./live.js").Wish) => void} enter */
	constructor(enter) {
		this.enter = enter;
		this.round = 0;
		/** @type {import("./live.js").Live | null} */
		this.live = null;
		/** @type {import("./live.js").Wish} */
		this.wish = { language: "", sound: true };
		byId("code_form").onsubmit = this.prevent(() => {
			if (this.event)
				this.event.code = byId("code").value.trim();
			this.look();
		});
		byId("choice").onsubmit = this.prevent(() => this.go(true));
		byId("read").onclick = () => this.go(false);
		byId("missing").onclick = () => this.wishes(({ offer_wishes }, event) => offer_wishes(event, event.languages(/** @type {Event} */ (this.wish.view)).targets, code => this.came(code)));
	}

	/** @param {() => void} then */
	prevent(then) {
		return (/** @type {Event & { preventDefault(): void }} */ event) => (event.preventDefault(), then());
	}

	/** @param {PublicEvent} event @param {string | null} language @param {string} [why] */
	open(event, language, why) {
		this.event = event;
		this.preferred = language;
		this.why = why;
		return this.look();
	}

	/**
	 * Shows a link of a session or a Janus, which contains everything needed.
	 * @param {URLSearchParams} link @param {string} [why]
	 */
	open_link(link, why) {
		this.wish = { language: link.get("language") || "", sound: true, link };
		say("notice", why || "");
		for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#choice fieldset, #missing")))
			part.hidden = true;
		show("choice", true);
	}

	// Requests the event again and again until it is open.
	async look() {
		for (const mine = ++this.round; mine === this.round && this.event; await nap(AGAIN))
			try {
				if (this.show_event(await this.event.read()))
					return;
			} catch (error) {
				if (this.show_problem(/** @type {Problem} */ (error)))
					return;
			}
	}

	/** Shows a problem. Returns true when retrying does not help. @param {Problem} problem */
	show_problem(problem) {
		const code = problem.slug === "access-code-required";
		const none = problem.status === 404 || problem.status === 422;
		show("code_form", code);
		show("choice", false);
		show("other", none);
		const wrong = code && this.event && this.event.code;
		say("notice", code ? t(wrong ? "listen.wrongcode" : "listen.needscode") :
			none ? t("listen.unknown") :
			problem.status === 429 ? t("listen.toooften") : t("listen.unreached"));
		if (code) {
			keep("tab", `code ${this.event && this.event.id}`, null);
			byId("code").focus();
		}
		return code || none;
	}

	/** Shows the event. Returns true when the listener can enter. @param {Event} event */
	show_event(event) {
		if (!this.event)
			return true;
		show("code_form", false);
		this.wish = { event: this.event, view: event, language: "", sound: true };
		const { targets, spoken, any } = this.event.languages(event);
		const is = event.lifecycle_status;
		const lacks = this.preferred && this.preferred !== "original" && !best_of([...targets, ...spoken], [this.preferred]);
		const over = is === "finished", early = is === "upcoming", none = !any || is === "setup_required";
		const live = this.event.stages(event).some(one => one.status === "live");
		document.body.dataset.state = live ? "live" : "";
		say("state", live ? t("listen.state.live") : "");
		say("notice", over ? t("listen.finished") : early ? t("listen.early", { time: time(event.utc_start_dt) }) :
			none ? t("listen.preparing") : this.why || (lacks ? t("listen.notserved") : ""));
		show("choice", !over && !none);
		show("other", over);
		byId("listen").disabled = byId("read").disabled = early;
		if (!over && !none)
			this.offer(event, targets, spoken);
		show_view(this.wish);
		show("missing", event.listener_language_mode !== "off");
		if (early || none)
			show_programme(this.wish, byId("notice"));
		if (keep("tab", `asked ${this.event.id}`))
			this.wishes(({ wait_for }, event_) => wait_for(event_, code => this.came(code)));
		return over || !(early || none);
	}

	/** Runs with the part that asks for languages. @param {(part: typeof import("./wishes.js"), event: PublicEvent) => void} run */
	wishes(run) {
		const { event } = this;
		if (event)
			import("./wishes.js").then(part => run(part, event));
	}

	/** A language that was asked for is there. @param {string} language */
	came(language) {
		this.wishes(({ tell_came }, event) => tell_came(language, async () => {
			const { live } = this;
			if (live)
				return live.page.enter({ ...live.wish, view: await event.read(), language });
			fill(byId("languages")); // the language is chosen anew
			this.open(event, language);
		}));
	}

	/** @param {string} name @param {string} value @param {string} text @param {string} language @param {boolean} checked @param {string | false} [note] */
	pick(name, value, text, language, checked, note) {
		return make("label", { class: "pick" }, make("input", { type: "radio", name, value, checked }),
			make("span", { lang: language || null, dir: "auto" }, text), note && make("small", null, note));
	}

	/** @param {Event} event @param {string[]} targets @param {string[]} spoken */
	offer(event, targets, spoken) {
		const event_ = /** @type {PublicEvent} */ (this.event);
		const now = byId("choice").elements.language;
		const was = now && now.value;
		const { mine, first } = first_language({ targets, spoken }, this.preferred);
		const order = [...targets].sort((a, b) => Number(b === first) - Number(a === first));
		const checked = was === "original" || targets.includes(was) ? was : first;
		const stages = event.stages.filter(one => one.channels.length > 0);
		const several = stages.length > 1;
		byId("halls").parentElement.hidden = !several;
		fill(byId("halls"), ...several ? stages.map((one, i) => this.pick("stage", one.stage_id, one.name, "",
			event_.stage ? one.stage_id === event_.stage : i === 0)) : []);
		for (const input of byId("halls").querySelectorAll("input"))
			input.onchange = () => {
				event_.stage = input.value;
				this.show_event(event);
			};
		if (several && !event_.stage) {
			event_.stage = stages[0].stage_id;
			return this.show_event(event);
		}
		const one = spoken.length === 1 && spoken[0] !== "auto" ? spoken[0] : "";
		fill(byId("languages"), ...order.map(code => this.pick("language", code, name_of(code, true), code, code === checked, code === mine && t("listen.mine"))),
			this.pick("language", "original", one ? name_of(one, true) : t("listen.original"), one, checked === "original", one && t("listen.original")));
		this.wish.language = checked;
	}

	/** @param {boolean} sound */
	go(sound) {
		const picked = byId("choice").elements.language;
		if (picked && picked.value) {
			this.wish.language = picked.value;
			if (picked.value !== "original")
				keep("ever", "language", picked.value);
		}
		this.round++;
		byId("audio").play().catch(() => {}); // some browsers allow later playback only after play() in a click
		this.enter({ ...this.wish, sound });
	}
}

/** Shows the texts that wait to be spoken, after an element. @param {Partial<import("./live.js").Wish>} wish @param {HTMLElement} element */
export async function show_programme({ event, view }, element) {
	const said = document.body.dataset.state;
	document.getElementById("programme")?.remove();
	if (!event || !view || !(view.sessions?.length || view.cover_image_url))
		return;
	const { programme } = await import("./programme.js");
	const list = await programme(view, event.stage);
	if (list && said === document.body.dataset.state && !document.getElementById("programme"))
		element.after(list);
}
