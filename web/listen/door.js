// SPDX-License-Identifier: GPL-3.0-or-later
// The screen before listening: finds the event, waits until it opens, and asks for code and
// language.
import { Problem } from "../shared/api.js";
import { byId, fill, keep, make, nap, say, show } from "../shared/dom.js";
import { best_of, name_of, t, time } from "../shared/i18n.js";

/** @typedef {import("../shared/event.js").PublicEvent} PublicEvent */
/** @typedef {import("../shared/event.js").Event} Event */

const AGAIN = 10000; // ms between two requests while an event is not open

/** Codes of languages that a listener may ask for. */
const WISHES = ("ar bg bn ca cs da de el en es et fa fi fr gu he hi hr hu id it ja ko lt lv mr ms nl no pa pl pt ro ru sk sl sq sr " +
	"sv sw ta te th tl tr uk ur vi zh").split(" ");

export class Door {
	/** @param {(wish: import("./live.js").Wish) => void} enter */
	constructor(enter) {
		this.enter = enter;
		this.round = 0;
		/** @type {import("./live.js").Wish} */
		this.wish = { language: "", sound: true };
		byId("code_form").onsubmit = this.prevent(() => {
			if (this.event)
				this.event.code = byId("code").value.trim();
			this.look();
		});
		byId("choice").onsubmit = this.prevent(() => this.go(true));
		byId("read").onclick = () => this.go(false);
		byId("missing").onclick = () => this.offer_wishes();
		byId("request").onsubmit = this.prevent(() => this.ask());
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
		show("code_form", code);
		show("choice", false);
		const wrong = code && this.event && this.event.code;
		say("notice", code ? t(wrong ? "listen.wrongcode" : "listen.needscode") :
			problem.status === 404 || problem.status === 422 ? t("listen.unknown") :
			problem.status === 429 ? t("listen.toooften") : t("listen.unreached"));
		if (code) {
			keep("tab", `code ${this.event && this.event.id}`, null);
			byId("code").focus();
		}
		return code || problem.status === 404 || problem.status === 422;
	}

	/** Shows the event. Returns true when the listener can enter. @param {Event} event */
	show_event(event) {
		if (!this.event)
			return true;
		show("code_form", false);
		document.title = event.title;
		say("title", event.title);
		const halls = this.event.stages(event);
		say("where", [halls.length === 1 && event.stages.length > 1 ? halls[0].name : "", event.location,
			time(event.utc_start_dt)].filter(Boolean).map(one => `\u2068${one}\u2069`).join(" · ")); // isolate each name, as its writing direction may differ
		const { targets, spoken, any } = this.event.languages(event);
		const is = event.lifecycle_status;
		const lacks = this.preferred && this.preferred !== "original" && !best_of([...targets, ...spoken], [this.preferred]);
		const over = is === "finished", early = is === "upcoming", none = !any || is === "setup_required";
		say("notice", over ? t("listen.finished") : early ? t("listen.early", { time: time(event.utc_start_dt) }) :
			none ? t("listen.preparing") : this.why || (lacks ? t("listen.notserved") : ""));
		show("choice", !over && !none);
		byId("listen").disabled = byId("read").disabled = early;
		if (!over && !none)
			this.offer(event, targets, spoken);
		show("missing", event.listener_language_mode !== "off");
		return over || !(early || none);
	}

	/** @param {string} name @param {string} value @param {string} text @param {string} language @param {boolean} checked */
	pick(name, value, text, language, checked) {
		return make("label", { class: "pick" }, make("input", { type: "radio", name, value, checked }),
			make("span", { lang: language || null, dir: "auto" }, text));
	}

	/** @param {Event} event @param {string[]} targets @param {string[]} spoken */
	offer(event, targets, spoken) {
		const event_ = /** @type {PublicEvent} */ (this.event);
		const now = byId("choice").elements.language;
		const was = now && now.value;
		const preferred = [this.preferred || "", keep("ever", "language") || "", ...navigator.languages];
		const mine = best_of([...targets, ...spoken], preferred);
		const first = mine && !targets.includes(mine) ? "original" : mine;
		const order = [...targets].sort((a, b) => Number(b === first) - Number(a === first));
		const checked = [was, this.preferred, first, order[0], "original"].find(one => one === "original" || targets.includes(one || "")) || "original";
		const stages = event.stages.filter(one => one.channels.length > 0);
		const several = stages.length > 1 && !stages.some(one => one.stage_id === event_.stage && !this.chose);
		byId("halls").parentElement.hidden = !several;
		fill(byId("halls"), ...several ? stages.map((one, i) => this.pick("stage", one.stage_id, one.name, "",
			event_.stage ? one.stage_id === event_.stage : i === 0)) : []);
		for (const input of byId("halls").querySelectorAll("input"))
			input.onchange = () => {
				this.chose = true;
				event_.stage = input.value;
				this.show_event(event);
			};
		if (several && !event_.stage) {
			this.chose = true;
			event_.stage = stages[0].stage_id;
			return this.show_event(event);
		}
		fill(byId("languages"), ...order.map(code => this.pick("language", code, name_of(code, true), code, code === checked)),
			this.pick("language", "original", t("listen.original"), "", checked === "original"));
		this.wish = { event: event_, view: event, language: checked, sound: true };
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

	/* ---- a language that is missing ---- */

	offer_wishes() {
		const there = this.wish.view && this.event ? this.event.languages(this.wish.view).targets : [];
		const names = WISHES.filter(code => !there.includes(code)).map(code => ({ code, name: name_of(code) }))
			.sort((a, b) => a.name.localeCompare(b.name));
		const mine = best_of(names.map(one => one.code), navigator.languages);
		fill(byId("wish"), ...names.map(({ code, name }) => make("option", { value: code, selected: code === mine }, `${name} (${code})`)));
		show("request", true);
		byId("wish").focus();
	}

	async ask() {
		if (!this.event)
			return;
		const language = byId("wish").value;
		try {
			say("asked", t("listen.askedby", { language: name_of(language), count: await this.event.ask_for(language) }));
		} catch (error) {
			const { slug } = /** @type {Problem} */ (error);
			say("asked", t(slug === "language-already-available" ? "listen.already" : slug === "listener-requests-off" ||
				slug === "language-limit-reached" ? "listen.nomore" : "listen.unreached"));
		}
	}
}
