// SPDX-License-Identifier: GPL-3.0-or-later
// The halls of an event: state, sound and links of each.
import { fill, make, say, show } from "../shared/dom.js";
import { has, number, t } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";
import { language_of } from "./frame.js";
import { draw_beside } from "./hall_beside.js";
import { hall_links, panel, speaker_link } from "./hall_links.js";
import { input_fields, source_names } from "./hall_fields.js";
import { draw_obs, draw_streams } from "./hall_streams.js";
import { language_select } from "./language_select.js";
import { draw_moderation, stop_button } from "./moderation.js";
import { empty, marks, menu } from "./parts.js";
import { draw_recordings } from "./recordings.js";
import { ask, change, edit, part, read, watch } from "./service.js";
import { may } from "./session.js";
import { arrow, button, button_twice, choice, fail, field, form, rate, tell } from "./words.js";

const MOST_EARS = 6; // halls whose sound is received at once

/** Makes a button that opens a section. @param {string} sign @param {HTMLDetailsElement} it @param {string} [text] */
const opener = (sign, it, text = it.firstElementChild?.textContent || "") => button(text, () => {
	it.open = true;
	it.scrollIntoView({ block: "nearest" });
	/** @type {HTMLElement} */ (it.firstElementChild).focus();
}, "", sign);

/** @param {any} warning */
function warning_line(warning) {
	const slug = String(warning.type || "").split("/").pop();
	return make("li", { class: "note-box warn" }, icon("alert"), make("span", { class: "grow" }, has(`console.problem.${slug}`) ? `${t(`console.problem.${slug}`)} ` : "", warning.detail || warning.title || ""));
}

/**
 * Makes the fields of the spoken language and the target languages.
 * @param {any} languages @param {any} channel
 */
function language_fields(languages, { source_language: source, target_languages: targets }) {
	const spoken = choice("source_language", t("console.spoken"), source_names(languages), source), boxes = language_select(languages, () => [source], targets);
	spoken.addEventListener("change", ({ target }) => {
		source = /** @type {HTMLSelectElement} */ (target).value;
	});
	return { parts: [spoken, make("fieldset", { "data-field": "target_languages" }, make("legend", null, t("console.targets")), boxes.box)],
		read: () => ({ source_language: source, target_languages: boxes.chosen() }) };
}

/** Returns a channel's languages as the form has them, sorted. @param {any} channel */
const languages_of = ({ source_language, target_languages }) => ({ source_language, target_languages: [...target_languages].sort() });

/**
 * Returns the members to change. Languages that the hall had keep their order.
 * @param {any} changed @param {any} channel
 */
function members_of_languages({ target_languages: wanted, ...rest }, { target_languages: had }) {
	return !wanted ? rest : { ...rest, target_languages: [...new Set([...had, ...wanted])].filter(code => wanted.includes(code)) };
}

/** @param {Hall} hall @param {() => any} again */
const languages_form = (hall, again) => panel(t("console.languages"), async place => {
	const languages = await read("languages"), { channel } = hall, fields = language_fields(languages, channel), seen = languages_of(channel);
	fill(place, form(t("console.save"), async () => {
		await edit(`saas/channel/${channel.channel_id}`, () => languages_of(fields.read()), { seen, fields: languages_of, members: members_of_languages });
		tell(t("console.saved"));
		await again();
	}, ...fields.parts));
});

/**
 * Returns the stage for a hall of this name: one without a hall, or a new one.
 * @param {any} event @param {string} name @returns {Promise<string>}
 */
async function stage_for(event, name) {
	const path = `saas/v2/event/${event.event_id}`, has = (/** @type {any} */ one) => one.name === name && !one.channels.length;
	const now = await read(path), { stages } = now.stages.some(has) ? now : await edit(path, was => ({ stages: [...was.stages, { name }] }));
	event.stages = stages;
	return stages.find(has).stage_id;
}

/**
 * Makes the form for another hall. A second attempt continues after the steps that succeeded.
 * @param {any} event @param {() => any} again
 */
const hall_form = (event, again) => panel(t("console.add_hall"), async place => {
	/** @type {HTMLElement} */ (place.parentElement).classList.add("card");
	const fields = language_fields(await read("languages"), { source_language: "en", target_languages: event.target_languages });
	/** @type {Record<string, string>} */
	const stages = {}, /** @type {Record<string, string>} */ keys = {};
	fill(place, form(t("console.save"), async ({ name, input_type, input_url }) => {
		stages[name] ||= await stage_for(event, name);
		const data = { type: "event", event_id: event.event_id, stage_id: stages[name], name, input_type, input_url, ...fields.read() }, mark = JSON.stringify(data);
		keys[mark] ||= crypto.randomUUID();
		await ask("POST", "saas/channel", { data, key: keys[mark] });
		place.replaceChildren();
		/** @type {HTMLDetailsElement} */ (place.parentElement).open = false;
		tell(t("console.saved"));
		await again();
	}, field("name", t("console.name"), { required: true, maxLength: 100 }), ...input_fields({}).parts, ...fields.parts));
	/** @type {HTMLElement} */ (place.querySelector("[name=name]")).focus();
});

/** @param {Hall} hall @param {() => any} again */
function delete_buttons(hall, again) {
	return button_twice(t("console.delete"), t("console.delete_sure"), async () => {
		hall.leaves = true;
		hall.listen(false);
		await change("DELETE", `saas/channel/${hall.channel.channel_id}`, undefined).catch(error => {
			hall.leaves = false;
			throw error;
		});
		tell(t("console.deleted"));
		await again();
	}, "danger");
}

/** A hall. Its card is made once, so that open sections stay open and typed text stays. */
class Hall {
	/** @param {any} event @param {any} channel @param {() => any} again @param {AbortSignal} signal @param {typeof import("./hall_ear.js")} ears */
	constructor(event, channel, again, signal, { Ear, state_of_hall }) {
		this.event = event;
		this.channel = channel;
		this.leaves = false; // it is being deleted
		this.state_of = state_of_hall;
		this.ear = new Ear(event, channel, () => this.draw_light());
		const { name } = event.stages.find((/** @type {any} */ one) => one.stage_id === channel.stage_id) || channel;
		this.name = name !== channel.name ? `${name} · ${channel.name}` : name;
		this.light = make("span", { class: "pill light" });
		this.pair = make("span", { class: "soft small row" });
		this.listeners = make("span", { class: "listeners heard soft push" });
		this.rates = make("span", { class: "rates soft small" });
		/** @type {(channel: any) => void} */
		this.follow_streams = () => {};
		this.wrong = make("ul", { class: "stack" });
		this.retry = button(t("console.retry"), async () => (await change("POST", `saas/channel/${channel.channel_id}/retry`, undefined), again()));
		this.links = make("div", null);
		this.stop = make("span", null);
		this.again = again;
		this.element = this.card(this.sections(again, signal), again);
		this.follow(channel);
	}

	/** The closed sections of the card. @param {() => any} again @param {AbortSignal} signal */
	sections(again, signal) {
		const { event, channel } = this, writes = may("channels:write");
		return { speaker: may("channels:run") && channel.input_type === "webrtc_push" && speaker_link(channel, () => /^(live|silent|break)$/.test(this.state_of(this.channel, this.ear).state)),
			links: panel(t("console.links"), async place => fill(place, this.links)),
			streams: panel(t("console.streams"), async place => {
				this.follow_streams = draw_streams(place, event, channel, again);
				this.follow_streams(this.channel);
			}),
			moderation: panel(t("console.moderation"), async place => draw_moderation(place, signal, () => this.channel, again)),
			recordings: panel(t("console.recordings"), async place => draw_recordings(place, signal, event, channel)),
			languages: writes && languages_form(this, again) };
	}

	/** @param {ReturnType<Hall["sections"]>} parts @param {() => any} again */
	card({ speaker, links, streams, moderation, recordings, languages }, again) {
		return make("li", { class: "card hall", "data-channel": this.channel.channel_id },
			make("header", null, make("h2", { dir: "auto" }, this.name), this.light, this.listeners, menu(t("console.more_for", { name: this.name }),
				languages && opener("globe", languages), make("a", { class: "button", href: `#/event/${this.event.event_id}/speech` }, icon("voice"), t("console.speech")),
				opener("settings", streams), opener("text", moderation), opener("save", recordings), may("channels:write") && delete_buttons(this, again))),
			this.ear.element, this.wrong, make("footer", null, speaker && opener("mic", speaker, t("console.speaker_short")), opener("screen", links, t("console.links_short")), ...this.ear.controls, this.stop,
				this.retry, make("span", { class: "push row" }, this.rates, this.pair)),
			speaker, links, streams, moderation, recordings, languages);
	}

	/** @param {any} channel its current record */
	follow(channel) {
		const { target_languages: targets, lifecycle_status: is, input_bitrate: bits } = this.channel = channel;
		const out = channel.outputs.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + (one.bitrate || 0), 0);
		say(this.rates, [bits && `${t("console.in")} ${rate(bits)}`, out && `${t("console.out")} ${rate(out)}`].filter(Boolean).join(" · "));
		this.follow_streams(channel);
		const state = JSON.stringify([is, channel.runtime_status, channel.error, channel.warnings, channel.source_language, targets, channel.utc_stopped_at]);
		if (state === this.element.dataset.state)
			return;
		this.element.dataset.state = state;
		fill(this.pair, `${language_of(channel.source_language)} ${arrow()}`, marks(targets),
			make("span", { class: "hidden-text" }, targets.map((/** @type {string} */ code) => language_of(code)).join(", ")));
		fill(this.wrong, channel.error && make("li", { class: "note-box bad" }, icon("alert"), make("span", { class: "grow" }, channel.error)), ...channel.warnings.map(warning_line));
		this.wrong.classList.toggle("pad", this.wrong.children.length > 0);
		fill(this.stop, may("channels:run") && is === "ready" && stop_button(channel, this.again));
		show(this.retry, may("channels:write") && is !== "ready" && is !== "deleting");
		fill(this.links, ...hall_links(this.event, channel));
		this.ear.follow(channel);
		show(this.ear.element, this.can_be_heard);
		this.draw_light();
	}

	get can_be_heard() {
		return !this.leaves && this.channel.lifecycle_status === "ready" && this.event.lifecycle_status !== "finished";
	}

	draw_light() {
		const { state, tone, text } = this.state_of(this.channel, this.ear);
		this.light.className = `pill light ${tone} ${state}`;
		this.element.className = `card hall ${state}`;
		say(this.light, text);
	}

	/** @param {any} stats */
	count(stats) {
		const mine = stats.now.by_channel.filter((/** @type {any} */ row) => row.channel_id === this.channel.channel_id);
		const sum = mine.reduce((/** @type {number} */ n, /** @type {any} */ row) => n + row.listeners, 0);
		fill(this.listeners, icon("headphones"), make("span", { "aria-hidden": "true" }, number(sum)), make("span", { class: "hidden-text" }, [t("console.listeners", { count: sum }),
			...mine.map((/** @type {any} */ row) => `${language_of(row.language)} ${number(row.listeners)}`)].join(" · ")));
	}

	/** @param {boolean} seen */
	listen(seen) {
		if (seen && this.can_be_heard)
			this.ear.start();
		else
			this.ear.stop();
	}
}

/** Receives the sound of the halls in view, MOST_EARS at most; of none while the page is hidden.
 * @param {Map<string, Hall>} halls @param {AbortSignal} signal
 */
function watch_seen(halls, signal) {
	/** @type {Set<Element>} */
	const seen = new Set();
	const look = () => {
		const wanted = signal.aborted || document.hidden ? [] : [...halls.values()].filter(one => seen.has(one.element)).slice(0, MOST_EARS);
		for (const one of halls.values())
			one.listen(wanted.includes(one));
	};
	const observer = new IntersectionObserver(entries => {
		for (const { target, isIntersecting } of entries)
			isIntersecting ? seen.add(target) : seen.delete(target);
		look();
	});
	document.addEventListener("visibilitychange", look, { signal });
	signal.addEventListener("abort", () => (observer.disconnect(), look()));
	return { observer, look };
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event @param {string} [id] of the channel that OBS sends to */
export async function draw_halls(view, signal, event, id) {
	if (id)
		return draw_obs(view, signal, event, id);
	const list = make("ul", { class: "stack halls" }), none = make("div", { role: "status" }), ears = await part(import("./hall_ear.js"));
	/** @type {Map<string, Hall>} */
	const halls = new Map();
	/** @type {any} */
	let stats = null;
	const { observer, look } = watch_seen(halls, signal), beside = draw_beside(event, signal);
	const again = watch(signal, "saas/channels", channels => {
		fill(none, !channels.length && make("section", { class: "card" }, empty("mic", t("console.no_halls"), t("console.no_halls_how"))));
		for (const one of channels) {
			const hall = halls.get(one.channel_id) || new Hall(event, one, again, signal, ears);
			hall.follow(one);
			halls.set(one.channel_id, hall);
		}
		for (const [id, hall] of halls)
			if (!channels.some((/** @type {any} */ one) => one.channel_id === id)) {
				hall.listen(false);
				hall.element.remove();
				halls.delete(id);
			}
		for (const hall of halls.values())
			if (!hall.element.parentNode) {
				list.append(hall.element);
				observer.observe(hall.element);
			}
		look();
		if (stats)
			halls.forEach(one => one.count(stats));
	}, fail, { event_id: event.event_id });
	const add = may("events:write") && may("channels:write") && hall_form(event, again), adds = add && make("div", { class: "row" }, opener("plus", add));
	if (add && adds)
		add.addEventListener("toggle", () => show(adds, !add.open));
	fill(view, make("div", { class: "two" }, make("div", { class: "stack" }, none, list, adds, add), beside.element));
	watch(signal, `saas/v2/event/${event.event_id}/stats`, now => (stats = now, halls.forEach(one => one.count(now)), beside.count(now)), fail);
}
