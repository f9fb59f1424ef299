// SPDX-License-Identifier: GPL-3.0-or-later
// The halls of an event: state, sound and links of each.
import { base } from "../shared/api.js";
import { fill, make, say, show } from "../shared/dom.js";
import { has, name_of, number, t } from "../shared/i18n.js";
import { ask, change, edit, part, read, watch } from "./service.js";
import { may } from "./session.js";
import { arrow, button, button_twice, choice, copyable, fail, field, form, rate, tell } from "./words.js";
import { Ear, join_preview } from "./hall_ear.js";
import { input_fields, source_names, target_boxes } from "./hall_fields.js";

const MOST_EARS = 6; // halls whose sound is received at once

/**
 * Makes a closed section whose content is drawn when it is first opened.
 * @param {string} title @param {(place: HTMLElement) => Promise<void>} draw
 */
function later(title, draw) {
	const place = make("div", null), it = make("details", null, make("summary", null, title), place);
	it.ontoggle = () => {
		if (!it.open || place.firstChild)
			return;
		place.append("…");
		draw(place).catch(error => {
			place.replaceChildren();
			fail(error);
		});
	};
	return it;
}

/** @param {any} warning */
function warning_line(warning) {
	const slug = String(warning.type || "").split("/").pop();
	return make("li", { class: "bad" }, has(`console.problem.${slug}`) ? `${t(`console.problem.${slug}`)} ` : "", warning.detail || warning.title || "");
}

/** @param {any} event @param {any} channel */
const query_of = (event, channel) => new URLSearchParams({ e: event.event_id, ...(channel.stage_id && { s: channel.stage_id }) });

/** @param {any} event @param {any} channel */
function hall_links(event, channel) {
	const query = query_of(event, channel);
	/** @type {Record<string, string>} */
	const code = event.access_code ? { code: event.access_code } : {};
	const first = channel.target_languages.slice(0, 3).join(",") || "original";
	const screen = `${base}screen/?${query}#${new URLSearchParams({ l: first, ...code })}`;
	const listen = `${base}listen/?${query}${event.access_code ? `#${new URLSearchParams(code)}` : ""}`;
	return [make("summary", null, t("console.links")), copyable(t("console.screen"), screen),
		copyable(t("console.obs"), `${screen}&bg=transparent`), copyable(t("console.listen"), listen)];
}

/**
 * Returns the link of the speaker's page, which uses WebRTC if possible, else the socket.
 * @param {any} event @param {any} channel
 */
function speaker_link(event, channel) {
	const place = make("div", null), path = `saas/channel/${channel.channel_id}/speaker-token`;
	const show_link = async (/** @type {Promise<any>} */ asked) => {
		const by_janus = channel.input && channel.input.room;
		const [{ url, token }, { webrtc_url }] = await Promise.all([asked,
			by_janus ? { webrtc_url: null } : join_preview(event, channel).catch(() => ({ webrtc_url: null }))]);
		const known = new URLSearchParams({ ws_url: url, token, ...(webrtc_url && { webrtc_url }), e: event.event_id, ...(channel.stage_id && { s: channel.stage_id }) });
		fill(place, copyable(t("console.speaker"), `${base}speak/#${known}`),
			button_twice(t("console.speaker_new"), t("console.speaker_cut"), () => show_link(change("POST", path, {}))));
	};
	return make("div", null, button(t("console.speaker"), () => show_link(read(path))), make("p", { class: "soft" }, t("console.speaker_how")), place);
}

/**
 * Makes the fields of the spoken language and the target languages.
 * @param {any} languages @param {any} channel
 */
function language_fields(languages, { source_language: source, target_languages: targets }) {
	const spoken = choice("source_language", t("console.spoken"), source_names(languages), source), boxes = target_boxes(languages, () => source, targets);
	spoken.addEventListener("change", ({ target }) => {
		source = /** @type {HTMLSelectElement} */ (target).value;
		boxes.draw();
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
const languages_form = (hall, again) => later(t("console.languages"), async place => {
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
const hall_form = (event, again) => later(t("console.add_hall"), async place => {
	const fields = language_fields(await read("languages"), { source_language: "en", target_languages: event.target_languages });
	/** @type {Record<string, string>} */
	const stages = {}, /** @type {Record<string, string>} */ keys = {};
	fill(place, form(t("console.add_hall"), async ({ name, input_type, input_url }) => {
		stages[name] ||= await stage_for(event, name);
		const data = { type: "event", event_id: event.event_id, stage_id: stages[name], name, input_type, input_url, ...fields.read() }, mark = JSON.stringify(data);
		keys[mark] ||= crypto.randomUUID();
		await ask("POST", "saas/channel", { data, key: keys[mark] });
		place.replaceChildren();
		/** @type {HTMLDetailsElement} */ (place.parentElement).open = false;
		tell(t("console.saved"));
		await again();
	}, field("name", t("console.name"), { required: true, maxLength: 100 }), ...input_fields({}).parts, ...fields.parts));
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
	});
}

/** A hall. Its card is made once, so that open sections stay open and typed text stays. */
class Hall {
	/** @param {any} event @param {any} channel @param {() => any} again @param {AbortSignal} signal */
	constructor(event, channel, again, signal) {
		this.event = event;
		this.channel = channel;
		this.leaves = false; // it is being deleted
		this.ear = new Ear(event, channel, () => this.draw_light());
		const { name } = event.stages.find((/** @type {any} */ one) => one.stage_id === channel.stage_id) || channel;
		const writes = may("channels:write");
		this.light = make("p", { class: "light" });
		this.pair = make("p", null);
		this.listeners = make("p", { class: "listeners soft" });
		this.rates = make("p", { class: "rates soft" });
		/** @type {(channel: any) => void} */
		this.follow_streams = () => {};
		this.wrong = make("div", null);
		this.retry = button(t("console.retry"), async () => (await change("POST", `saas/channel/${channel.channel_id}/retry`, undefined), again()));
		this.links = make("details", null);
		this.element = make("li", { class: "card", "data-channel": channel.channel_id },
			make("h2", { dir: "auto" }, name !== channel.name ? `${name} · ${channel.name}` : name),
			make("div", { class: "row" }, this.light, this.listeners, this.rates), this.pair, this.wrong, this.retry, this.ear.element,
			writes && channel.input_type === "webrtc_push" && speaker_link(event, channel), this.links, later(t("console.streams"), async place => {
				this.follow_streams = (await part(import("./hall_streams.js"))).draw_streams(place, event, channel, again);
				this.follow_streams(this.channel);
			}), later(t("console.recordings"), async place => (await part(import("./recordings.js"))).draw_recordings(place, signal, event, channel)), writes && languages_form(this, again), writes && delete_buttons(this, again));
		this.follow(channel);
	}

	/** @param {any} channel its current record */
	follow(channel) {
		const { target_languages: targets, lifecycle_status: is, input_bitrate: bits } = this.channel = channel;
		const out = channel.outputs.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + (one.bitrate || 0), 0);
		say(this.rates, [bits && `${t("console.in")} ${rate(bits)}`, out && `${t("console.out")} ${rate(out)}`].filter(Boolean).join(" · "));
		this.follow_streams(channel);
		const state = JSON.stringify([is, channel.runtime_status, channel.error, channel.warnings, channel.source_language, targets]);
		if (state === this.element.dataset.state)
			return;
		this.element.dataset.state = state;
		say(this.pair, `${channel.source_language === "auto" ? t("console.detected") : name_of(channel.source_language)} ${arrow()} ${targets.map((/** @type {string} */ code) => name_of(code)).join(", ")}`);
		fill(this.wrong, channel.error && make("p", { class: "bad" }, channel.error),
			channel.warnings.length > 0 && make("ul", null, ...channel.warnings.map(warning_line)));
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
		const { lifecycle_status: is, runtime_status: runs } = this.channel, heard = this.ear.light();
		const told = /** @type {Record<string, string>} */ ({ active: heard || "live", failed: "failed", stopped: heard || "waiting" })[runs];
		const state = is !== "ready" ? is : told || (heard === "break" ? "waiting" : heard || "waiting");
		this.light.className = `light ${state}`;
		say(this.light, t(`console.light.${state}`));
	}

	/** @param {any} stats */
	count(stats) {
		const mine = stats.now.by_channel.filter((/** @type {any} */ row) => row.channel_id === this.channel.channel_id);
		const sum = mine.reduce((/** @type {number} */ n, /** @type {any} */ row) => n + row.listeners, 0);
		say(this.listeners, [t("console.listeners", { count: sum }), ...mine.map((/** @type {any} */ row) =>
			`${row.language === "original" ? t("console.original") : name_of(row.language)} ${number(row.listeners)}`)].join(" · "));
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
		return (await part(import("./hall_streams.js"))).draw_obs(view, signal, event, id);
	const list = make("ul", { class: "plain halls" }), none = make("p", { role: "status" });
	/** @type {Map<string, Hall>} */
	const halls = new Map();
	/** @type {any} */
	let stats = null;
	const { observer, look } = watch_seen(halls, signal);
	view.append(none, list);
	const again = watch(signal, "saas/channels", channels => {
		say(none, channels.length ? "" : t("console.no_halls"));
		for (const one of channels) {
			const hall = halls.get(one.channel_id) || new Hall(event, one, again, signal);
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
	if (may("events:write") && may("channels:write"))
		view.append(hall_form(event, again));
	watch(signal, `saas/v2/event/${event.event_id}/stats`, now => (stats = now, halls.forEach(one => one.count(now))), fail);
}
