// SPDX-License-Identifier: GPL-3.0-or-later
// Streams of a hall: its input, with the settings for OBS, and its outputs.
import { fill, make, say, show } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { edit, watch } from "./service.js";
import { may } from "./session.js";
import { button, button_twice, choice, copy_button, copyable, fail, field, form, rate, tell } from "./words.js";

/** Members of an output that the form asks for, by protocol. @type {Record<string, string[]>} */
const FORM = { hls_pull: ["lang_codes", "attendees"], rtmp_push: ["lang_code", "server", "stream_key"],
	srt_push: ["lang_code", "server", "stream_key", "stream_id"], icecast_push: ["lang_code", "server", "mount", "stream_key"], recording: ["lang_codes", "format"] };
/** @type {Record<string, string>} */
const SERVERS = { rtmp_push: "rtmp://live.example.org/app", srt_push: "srt://studio.example.org:9000", icecast_push: "https://radio.example.org:8443" };
const SAID = ["runtime_status", "error", "bitrate", "dropped"]; // members that the service adds; of some protocols also the url

/** Returns an output without the members that the service adds. @param {any} output */
const given = output => Object.fromEntries(Object.entries(output).filter(([name, value]) =>
	value !== null && !SAID.includes(name) && (name !== "url" || output.protocol === "captions_push")));

/** @param {any} output */
const identity = output => JSON.stringify(given(output));

/** @param {string} code */
const heard = code => code === "original" ? t("console.original") : name_of(code);

/** Makes a text that a button shows. @param {string} label @param {string} text */
function secret(label, text) {
	const input = make("input", { name: "secret", type: "password", value: text, readOnly: true, dir: "ltr", autocomplete: "off" });
	const look = button(t("console.show"), () => {
		const shown = input.type === "text";
		input.type = shown ? "password" : "text";
		look.setAttribute("aria-pressed", String(!shown));
	});
	look.setAttribute("aria-pressed", "false");
	return make("div", { class: "row with-button" }, make("label", null, label, input), look, copy_button(() => text));
}

/* ---- in ---- */

/** @param {any} channel */
const has_sender = ({ input }) => !!input && !!(input.server || input.whip_url);
const SENDERS = /** @type {Record<string, string>} */ ({ srt_push: "srt", rtmp_push: "rtmp", webrtc_push: "whip" });

/** @param {any} channel */
function shown_input({ input }) {
	const is = input || {};
	return [is.server && copyable(t("console.server"), is.server), is.stream_id && copyable(t("console.stream_id"), is.stream_id),
		is.stream_key && secret(t("console.stream_key"), is.stream_key),
		...is.whip_url ? whip_fields(is) : [], is.protocol === "hls_pull" && is.url && copyable(t("console.address"), is.url)];
}

/** Returns the state and bit rate of the input. @param {any} channel */
function state_of({ lifecycle_status: is, runtime_status: runs, input_bitrate: bits }) {
	const state = is !== "ready" ? is : /** @type {Record<string, string>} */ ({ active: "live", failed: "failed" })[runs] || "waiting";
	return { look: `light ${state}`, text: [t(`console.light.${state}`), state === "live" && bits && rate(bits)].filter(Boolean).join(" · ") };
}

/** Makes the fields of WHIP, with OBS's name of the second one. @param {any} input */
const whip_fields = ({ whip_url, token }) => [copyable(t("console.server"), whip_url), token && secret("Bearer Token", token)];

/** Makes the fields that OBS asks for. SRT takes all in one line. @param {any} input */
function obs_fields(input) {
	const { protocol, server, stream_id, stream_key } = input;
	if (input.whip_url)
		return whip_fields(input);
	if (protocol !== "srt_push")
		return [copyable(t("console.server"), server), stream_key && secret(t("console.stream_key"), stream_key)];
	return [stream_key ? secret(t("console.server"), `${server}?streamid=${stream_id}&passphrase=${stream_key}`) : copyable(t("console.server"), server)];
}

/**
 * Draws the page for the operator of OBS.
 * @param {HTMLElement} view @param {AbortSignal} signal @param {any} event @param {string} id of
 * the channel
 */
export function draw_obs(view, signal, event, id) {
	const state = make("p", { role: "status" }), wrong = make("p", { class: "bad" });
	const title = make("h2", { dir: "auto" }, t("console.obs_page")), steps = make("div", { class: "pad stack" });
	let seen = "";
	fill(view, make("section", { class: "card" }, make("header", null, title), steps));
	watch(signal, "saas/channels", channels => {
		const channel = channels.find((/** @type {any} */ one) => one.channel_id === id), input = JSON.stringify(channel && channel.input);
		if (!channel)
			return fill(steps, t("console.problem.resource-not-found"));
		const now = state_of(channel);
		state.className = now.look;
		say(state, now.text);
		say(wrong, channel.error || "");
		if (input === seen)
			return;
		seen = input;
		say(title, `${t("console.obs_page")}: ${channel.name}`);
		fill(steps, ...has_sender(channel) ? [make("ol", { class: "steps" }, make("li", null, t("console.obs1")), make("li", null, t(channel.input.whip_url ? "console.obs2_whip" : "console.obs2")),
			make("li", null, t(`console.obs3_${SENDERS[channel.input.protocol]}`), ...obs_fields(channel.input)),
			make("li", null, t("console.obs4")), make("li", null, t("console.obs5"), state, wrong))] : [state, wrong]);
	}, fail, { event_id: event.event_id });
}

/* ---- out ---- */

/** @param {any} output @param {() => any} remove */
function output_row(output, remove) {
	const state = make("p", null), wrong = make("p", { class: "bad" });
	const { protocol, lang_code, lang_codes = [lang_code], url, server, mount = "", format, attendees } = output;
	const address = protocol === "hls_pull" ? url : server && server + mount;
	return { element: make("li", { "data-output": protocol }, make("h4", null, t(`console.output.${protocol}`)),
		make("p", null, [lang_codes.map((/** @type {string} */ code) => heard(code)).join(", "), format, attendees === "first" && `${t("console.hls_for")}: ${t("console.hls_first")}`].filter(Boolean).join(" · ")), state, wrong, address && copyable(t("console.address"), address),
		may("channels:write") && button_twice(t("console.delete"), t("console.delete_sure"), remove)),
	/** @param {any} now */
	follow: ({ runtime_status: runs, bitrate: bits, error }) => {
		const is = /** @type {Record<string, string>} */ ({ active: "live", failed: "failed" })[runs];
		state.className = `light ${is || "waiting"}`;
		say(state, [is ? t(`console.light.${is}`) : t("console.out_waits"), is && bits && rate(bits)].filter(Boolean).join(" · "));
		say(wrong, error || "");
	} };
}

/**
 * Makes the form that adds an output. Typed values stay while another protocol is shown.
 * @param {(how: (outputs: any[]) => any[]) => Promise<void>} write
 */
function output_form(write) {
	const boxes = make("div", { class: "choices" }), select = make("select", null);
	/** @type {Record<string, HTMLElement>} */
	const parts = { lang_codes: make("fieldset", { "data-field": "lang_codes" }, make("legend", null, t("console.languages")), boxes),
		attendees: choice("attendees", t("console.hls_for"), { when_full: t("console.hls_full"), first: t("console.hls_first") }),
		format: choice("format", t("console.format"), { ogg: "Ogg, Opus", wav: "WAV", mp4: "MP4, AAC" }),
		lang_code: field("lang_code", t("console.language"), {}, select),
		server: field("server", t("console.server"), { required: true, maxLength: 2083, dir: "ltr" }), mount: field("mount", t("console.mount"), { required: true, maxLength: 255, placeholder: "/es.mp3", dir: "ltr" }),
		stream_key: field("stream_key", t("console.stream_key"), { type: "password", autocomplete: "new-password", required: true, maxLength: 1024 }), stream_id: field("stream_id", t("console.stream_id"), { maxLength: 512, dir: "ltr" }) };
	const protocols = choice("protocol", t("console.where"), Object.fromEntries(Object.keys(FORM).map(name => [name, t(`console.output.${name}`)])));
	const it = form(t("console.add_output"), async values => {
		let at = 0;
		const mine = FORM[values.protocol].includes("lang_codes") ? { ...values, lang_codes: new FormData(it).getAll("lang_codes") } : values;
		await write(outputs => (at = outputs.length, [...outputs, mine])).catch(error => {
			for (const one of error.errors || [])
				one.pointer = String(one.pointer || "").replace(`/data/outputs/${at}/`, "/data/"); // the form's own pointer
			throw error;
		});
		it.reset();
		suit();
		show(it, false);
		tell(t("console.saved"));
	}, protocols, ...Object.values(parts));
	const suit = () => {
		const { value } = /** @type {HTMLSelectElement} */ (it.elements.namedItem("protocol"));
		for (const [name, part] of Object.entries(parts)) {
			show(part, FORM[value].includes(name));
			part.querySelectorAll("input, select").forEach(one => (/** @type {HTMLInputElement} */ (one).disabled = part.hidden));
		}
		/** @type {HTMLInputElement} */ (it.elements.namedItem("server")).placeholder = SERVERS[value] || "";
	};
	it.addEventListener("change", suit);
	/** @param {string[]} targets */
	const name_languages = targets => {
		const codes = [...targets, "original"], now = select.value;
		const chosen = [.../** @type {NodeListOf<HTMLInputElement>} */ (boxes.querySelectorAll(":checked"))].map(one => one.value);
		fill(select, ...codes.map(code => make("option", { value: code, selected: code === now }, heard(code))));
		fill(boxes, ...codes.map(code => make("label", null, make("input", { type: "checkbox", name: "lang_codes", value: code, checked: chosen.includes(code) }),
			make("span", null, heard(code)))));
		suit();
	};
	return { it, name_languages };
}

/* ---- both ---- */

/**
 * Draws the streams in a hall's card. Call the returned function with each new record of the
 * channel.
 * @param {HTMLElement} place @param {any} event @param {any} channel @param {() => any} again
 */
export function draw_streams(place, event, channel, again) {
	const path = `saas/channel/${channel.channel_id}`;
	const incoming = make("div", null), state = make("p", null), list = make("ul", null), none = make("p", { class: "soft" });
	/** @param {(outputs: any[]) => any[]} how */
	const write = async how => {
		await edit(path, ({ outputs }) => ({ outputs: how(outputs.map(given)) }));
		await again();
	};
	const { it, name_languages } = output_form(write);
	it.hidden = true;
	const bar = make("div", { class: "row" }, button(t("console.add_output"), () => (show(it, it.hidden), it.hidden || it.querySelector("select")?.focus()), "", "plus"));
	show(bar, may("channels:write"));
	fill(place, make("h3", null, t("console.in")), make("p", null, t(`console.input.${channel.input_type}`)), state, incoming,
		make("h3", null, t("console.out")), none, list, bar, it);
	/** @type {Map<string, ReturnType<typeof output_row>>} */
	let rows = new Map();
	let input = "", targets = "";
	/** @param {any[]} outputs */
	const follow_outputs = outputs => {
		const known = rows;
		rows = new Map();
		for (const one of outputs.filter(({ protocol }) => protocol !== "webrtc_push")) {
			const key = identity(one), address = `${key} ${one.url || ""}`;
			const row = known.get(address) || output_row(one, async () => {
				await write(all => all.filter((_, i) => i !== all.findIndex(each => identity(each) === key)));
				tell(t("console.deleted"));
			});
			row.follow(one);
			rows.set(address, row);
		}
		const wanted = [...rows.values()].map(row => row.element);
		if (wanted.length !== list.children.length || wanted.some((one, i) => list.children[i] !== one))
			fill(list, ...wanted);
		say(none, wanted.length ? "" : t("console.no_outputs"));
	};
	return (/** @type {any} */ now) => {
		const in_text = JSON.stringify(now.input), target_text = String(now.target_languages), is = state_of(now);
		if (input !== in_text)
			fill(incoming, ...shown_input(now), has_sender(now) && make("p", null, make("a", { class: "button", href: `#/event/${event.event_id}/halls/${channel.channel_id}` }, t("console.obs_page"))));
		if (targets !== target_text)
			name_languages(now.target_languages);
		[input, targets] = [in_text, target_text];
		state.className = is.look;
		say(state, is.text);
		follow_outputs(now.outputs);
	};
}
