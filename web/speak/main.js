// SPDX-License-Identifier: GPL-3.0-or-later
// The speaker's page. The fragment of the address has ws_url, token, from, to, and webrtc_url of
// the gateway; webrtc to send the sound through a Janus; or webrtc_url, room and pin of a Janus
// without a socket; e and s of an event, whose name is shown.
import { base } from "../shared/api.js";
import { Captions } from "../shared/captions.js";
import { byId, fill, keep, make, say, show, stay_awake } from "../shared/dom.js";
import { has, load, name_of, number, t } from "../shared/i18n.js";
import { PublicEvent } from "../shared/event.js";
import { offer_ui } from "../shared/ui.js";
import { Check } from "./check.js";
import { Microphone } from "./microphone.js";
import { Talk } from "./talk.js";

const link = new URLSearchParams(location.hash.slice(1));
const FIELDS = ["ws_url", "token", "from", "to"];
addEventListener("hashchange", () => location.reload());
// The page's policy refused an address. Not every browser closes a socket for this reason.
document.addEventListener("securitypolicyviolation", event => {
	if (event.effectiveDirective === "connect-src" && talk)
		talk.fail(t("speak.stranger"));
});

/** @type {Talk | null} */
let talk = null;
/** @type {(() => void) | null} */
let sleep = null;
/** @type {Record<string, number>} seconds of speech by language */
const spoken = {};

await load("speak");
const captions = new Captions(byId("log"), byId("partial"), { added: () => byId("captions").scrollTop = byId("captions").scrollHeight });
const microphone = new Microphone({
	piece: samples => (check.take_piece(samples), talk && talk.take_piece(samples)),
	gone: replace_microphone,
	interrupted: is => {
		document.body.dataset.microphone = is ? "interrupted" : "";
		show("wake", is && !!microphone.stream);
		if (talk)
			say("state", state_text(talk.state));
	},
	advice: word => {
		say("advice", word ? t(`speak.advice.${word}`) : "");
		byId("advice").className = word ? "bad" : "";
	},
});
const check = new Check(microphone, () => {
	const wanted = wish();
	return { ...wanted, from: link.get("from") || hall.from || wanted.from, to: wanted.to.length > 0 ? wanted.to : hall.to };
});
/** Languages of the hall, which the link does not name. */
let hall = { from: "", to: /** @type {string[]} */ ([]) };
let began = 0; // when the speaker went on the air

/* ---- what is shown ---- */

/** @param {import("./talk.js").State} is */
const state_text = is => (is === "running" || is === "connecting") && document.body.dataset.microphone ? t("speak.interrupted") : t(`speak.state.${is}`);

/** @param {import("./talk.js").State} is */
function show_state(is) {
	document.body.dataset.state = is;
	say("state", state_text(is));
	began = is === "none" || is === "ended" ? 0 : began || (is === "running" ? Date.now() : 0);
	const on = is === "running" || is === "connecting" || is === "ending";
	say("start", t(is === "paused" ? "speak.resume" : on ? "speak.pause" : "speak.start"));
	byId("start").disabled = is === "connecting" || is === "ending";
	byId("end").disabled = is === "none" || is === "ending" || is === "ended";
	if (is === "ended") {
		say("advice", "");
		say("listeners", "");
		if (sleep)
			sleep();
		sleep = null;
	}
}

/** @param {string} type @param {any} data */
function show_text(type, data) {
	if (type === "partial_transcription")
		captions.show_partial(data.transcription);
	else if (type === "validated_transcription")
		captions.add(data.transcription, true, false);
	else if (type === "translated_transcription")
		captions.add(data.transcription, false, true);
	else if (type === "output_audio_data") {
		spoken[data.language] = (spoken[data.language] || 0) + data.data.length * 3 / 4 / 48000;
		say("spoken", t("speak.spoken", { list: Object.entries(spoken)
			.map(([code, seconds]) => `${name_of(code)} ${seconds.toFixed(1)} s`).join(", ") }));
	}
}

/**
 * Shows the number of listeners by language, the most first.
 * @param {Record<string, number>} by_language
 */
function show_listeners(by_language) {
	const all = Object.entries(by_language).sort(([, one], [, other]) => other - one);
	const count = all.reduce((sum, [, n]) => sum + n, 0);
	say("listeners", count === 0 ? t("speak.nobody") : t(count === 1 ? "speak.listens" : "speak.listen", { count,
		list: all.map(([code, n]) => `${name_of(code)} ${number(n)}`).join(", ") }));
}

async function show_devices() {
	const all = await microphone.devices(), now = byId("device").value || keep("ever", "device");
	fill(byId("device"), make("option", { value: "" }, t("speak.usual")),
		...all.map((one, i) => make("option", { value: one.deviceId, selected: one.deviceId === now }, one.label || String(i + 1))));
}

async function show_event() {
	const id = link.get("e");
	if (!id)
		return;
	const event = await new PublicEvent(id, link.get("s"), byId("code").value || link.get("code") || "").read().catch(error =>
		void show("code_form", /** @type {import("../shared/api.js").Problem} */ (error).slug === "access-code-required"));
	if (!event)
		return;
	show("code_form", false);
	const stage = event.stages.find(one => one.stage_id === link.get("s"));
	say("title", [event.title, stage && stage.name].filter(Boolean).join(" · "));
	document.title = event.title;
	const mine = /streaming-api\/([0-9a-f]{8})\//.exec(link.get("ws_url") || "");
	const channel = event.stages.flatMap(one => one.channels).find(one => mine && one.channel_id.startsWith(mine[1]));
	if (channel)
		hall = { from: channel.source_language || "", to: channel.target_languages };
	if (channel && !link.has("to"))
		show_pair(hall.from, hall.to);
}

/** @param {string} from @param {string[]} to */
function show_pair(from, to) {
	if (from && from !== "auto")
		say("pair", t("speak.pair", { from: name_of(from), to: to.map(code => name_of(code.trim())).join(", ") }));
}

/** A code of the service in words, or else its text. @param {string} code @param {string} text */
const in_words = (code, text) => has(`speak.code.${code}`) ? t(`speak.code.${code}`) : text;

/* ---- what the speaker does ---- */

/** @returns {import("./talk.js").Wish} */
function wish() {
	const [ws_url, token, from, to] = FIELDS.map(name => byId(name).value.trim());
	return { ws_url, token, from, to: to.split(",").map((/** @type {string} */ code) => code.trim()).filter(Boolean),
		webrtc_url: link.get("webrtc_url"), room: link.get("room"), pin: link.get("pin"),
		by_janus: link.has("webrtc") || (link.has("webrtc_url") && link.has("room")) };
}

async function open_microphone(device = byId("device").value) {
	try {
		await microphone.open({ device, noise: byId("noise").checked, echo: byId("echo").checked });
		show_devices();
		return true;
	} catch (error) {
		const { message } = /** @type {Error} */ (error);
		say("error", message === "https" ? t("speak.https") : t("speak.nomicrophone", { why: message }));
		return false;
	}
}

async function start() {
	say("error", "");
	say("warning", "");
	const wanted = wish();
	if (!wanted.ws_url && !wanted.room)
		return say("error", t("speak.noaddress"));
	check.end();
	microphone.close();
	const mine = talk = new Talk(wanted, microphone, {
		in_words,
		state: show_state,
		complain: text => say("error", text),
		warn: text => say("warning", text),
		heard: show_text,
		listeners: show_listeners,
		keeping: seconds => {
			show("offline", seconds > 0);
			say("offline", seconds > 0 ? t("speak.keeping", { seconds }) : "");
		},
	});
	mine.move("connecting");
	if (!await open_microphone())
		return mine.stop("ended");
	if (mine.state !== "connecting")
		return microphone.close();
	sleep ||= stay_awake();
	show("form", false);
	try {
		mine.start();
	} catch {
		mine.fail(t("speak.noaddress"));
	}
}

/** Opens another microphone. True when the speech continues with it. @param {string} [device] */
async function reopen_microphone(device) {
	microphone.close();
	if (!talk || !await open_microphone(device))
		return false;
	microphone.mute(talk.state === "paused");
	if (talk.in_room)
		talk.stream.dial("microphone");
	return true;
}

async function change_microphone() {
	keep("ever", "device", byId("device").value || null);
	if (talk && microphone.stream && !["none", "ended"].includes(talk.state))
		await reopen_microphone();
	else if (microphone.stream) {
		check.end();
		microphone.close();
		await open_microphone();
	}
}

// Uses the default microphone after the chosen one was unplugged or taken by a call.
async function replace_microphone() {
	if (!microphone.stream)
		return;
	if (!talk || ["none", "ended"].includes(talk.state)) {
		microphone.close();
		return say("error", t("speak.gone"));
	}
	if (!await reopen_microphone("") && talk)
		talk.fail(t("speak.gone"));
}

byId("start").onclick = () => {
	if (talk && (talk.state === "running" || talk.state === "paused"))
		talk.pause(talk.state === "running");
	else
		start();
};
byId("end").onclick = () => talk && talk.state === "connecting" ? talk.end() : byId("question").showModal();
byId("back").onclick = () => byId("question").close();
byId("break").onclick = () => {
	byId("question").close();
	if (talk && talk.state === "running")
		talk.pause(true);
};
byId("finished").onclick = () => {
	byId("question").close();
	if (talk)
		talk.end();
};
byId("form").onsubmit = (/** @type {Event} */ event) => {
	event.preventDefault();
	const [code] = byId("short").value.match(/[0-9a-z]{10}\s*$/) || [];
	if (code)
		location.href = new URL(`s/${code.trim()}`, base).href;
	else if (byId("short").value)
		say("error", t("speak.nolink"));
};
byId("code_form").onsubmit = (/** @type {Event} */ event) => (event.preventDefault(), show_event());
byId("check").onclick = async () => {
	say("error", "");
	if (!microphone.stream && !await open_microphone())
		return;
	check.run();
};
for (const id of ["device", "noise", "echo"])
	byId(id).onchange = change_microphone;
navigator.mediaDevices?.addEventListener("devicechange", show_devices);
setInterval(() => byId("level").value = microphone.level(), 100);
setInterval(() => say("since", began ? t("speak.since", { minutes: Math.floor((Date.now() - began) / 60000) }) : ""), 1000);
offer_ui(byId("ui"));

for (const name of FIELDS)
	byId(name).value = link.get(name) || (name === "from" ? "en" : "");
const linked = (link.has("webrtc_url") && link.has("room")) || (link.has("ws_url") && link.has("token"));
show("form", !linked);
if (linked && link.has("to"))
	show_pair(byId("from").value, byId("to").value.split(","));
if (/\/s\/[^/]*$/.test(location.pathname)) // the answer to a short link that leads nowhere
	say("error", t("speak.badlink"));
document.body.dataset.state = "none";
show_devices();
show_event();
