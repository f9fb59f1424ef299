// SPDX-License-Identifier: GPL-3.0-or-later
// A stream to try: sends the microphone to a session or a hall and shows every message of the
// socket.
import { fill, make, show } from "../shared/dom.js";
import { language, name_of, t } from "../shared/i18n.js";
import { Microphone } from "../speak/microphone.js";
import { source_names } from "./hall_fields.js";
import { card_head } from "./parts.js";
import { ask, change, read } from "./service.js";
import { may } from "./session.js";
import { button, choice, field, form, tell } from "./words.js";

const MOST_MESSAGES = 200;
const LONG_TEXT = 400; // longest base64 text that is shown, in characters
const END_S = 5;       // s until the rest of the speech is translated

/** @param {Int16Array} samples */
function base64_of(samples) {
	let text = "";
	for (const byte of new Uint8Array(samples.buffer))
		text += String.fromCharCode(byte);
	return btoa(text);
}

/** Formats a message; sound is replaced by its length. @param {any} message */
const readable = message => JSON.stringify(message, (_, value) => typeof value === "string" && value.length > LONG_TEXT && /^[\w+/]+=*$/.test(value) ?
	`<${t("console.play_bytes", { count: Math.floor(value.length * 3 / 4) })}>` : value, 2);

/** The newest messages, newest first. Successive messages with sound are one line. */
class Messages {
	constructor() {
		this.list = make("ul", { class: "plain" });
		this.element = make("div", { class: "messages", tabIndex: 0, role: "group", "aria-label": t("console.play_messages") }, this.list);
		this.clock = new Intl.DateTimeFormat(language(), { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });
		this.last = "";
		this.times = 1;
	}

	/** @param {"sent" | "received" | "closed"} way @param {string} type @param {any} message */
	add(way, type, message) {
		const is = `${way} ${type}`, text = readable(message), again = is === this.last && /audio_data$/.test(type);
		this.times = again ? this.times + 1 : 1;
		this.last = is;
		const row = make("li", { class: way }, make("details", null, make("summary", null,
			make("time", null, this.clock.format(new Date())), ` ${t(`console.play_${way}`)} `, make("code", null, type), this.times > 1 && ` × ${this.times}`),
		make("pre", { dir: "ltr" }, text)));
		if (again)
			this.list.firstElementChild?.replaceWith(row);
		else
			this.list.prepend(row);
		while (this.list.children.length > MOST_MESSAGES)
			this.list.lastElementChild?.remove();
	}

	clear() {
		fill(this.list);
		this.last = "";
	}
}

class Playground {
	/** @param {(on: boolean) => void} changed */
	constructor(changed) {
		this.changed = changed;
		this.messages = new Messages();
		/** @type {WebSocket | null} */
		this.socket = null;
		this.session = "";
		this.running = false;
		this.microphone = new Microphone({ piece: samples => this.running && this.send({ message_type: "input_audio_data", data: { data: base64_of(samples) } }),
			gone: () => this.stop(), advice: () => {} });
	}

	/** @param {{ url: string, token: string, session?: string, from: string, to?: string }} at */
	async start({ url, token, session = "", from, to }) {
		this.session = session;
		try {
			await this.microphone.open({ noise: false, echo: false });
		} catch (error) {
			tell(t("console.no_microphone", { why: /** @type {Error} */ (error).message }), true);
			return this.stop();
		}
		const socket = this.socket = new WebSocket(`${url}?${new URLSearchParams({ token })}`);
		socket.onmessage = ({ data }) => this.take(JSON.parse(data));
		socket.onclose = ({ code, reason }) => (this.messages.add("closed", String(code), { code, reason }), this.stop());
		socket.onopen = () => {
			this.send({ message_type: "set_task", data: {
				input_stream: { content_type: "audio", source: { type: "ws", format: "pcm_s16le", sample_rate: this.microphone.rate, channels: 1 } },
				output_stream: { content_type: "audio", target: { type: "ws", format: "pcm_s16le" } },
				pipeline: { transcription: { source_language: from }, translations: to ? [{ target_language: to }] : [] } } });
			this.send({ message_type: "get_task", data: {} });
		};
		this.changed(true);
	}

	/** @param {any} message */
	take(message) {
		this.messages.add("received", message.message_type, message);
		this.running ||= message.message_type === "current_task";
		if (message.message_type === "error" && message.data.code === "NOT_FOUND" && !this.running)
			setTimeout(() => this.send({ message_type: "get_task", data: {} }), 2000);
	}

	/** @param {any} message */
	send(message) {
		if (!this.socket || this.socket.readyState !== WebSocket.OPEN)
			return;
		this.socket.send(JSON.stringify(message));
		this.messages.add("sent", String(message.message_type), message);
	}

	/** Ends the input; the rest of the speech is still translated. */
	end() {
		this.microphone.close();
		this.send({ message_type: "end_task", data: { eos_timeout: END_S } });
	}

	stop() {
		this.running = false;
		this.microphone.close();
		if (this.socket) {
			this.socket.onclose = this.socket.onmessage = null;
			this.socket.close();
		}
		this.socket = null;
		if (this.session)
			ask("DELETE", `session-storage/sessions/${this.session}`).catch(() => {}); // without this, the session ends by itself later
		this.session = "";
		this.changed(false);
	}
}

/**
 * Makes the choice of places to speak: a session, or a hall. A hall with a speaker is disabled.
 * @param {any[]} channels
 */
function places(channels) {
	const halls = channels.filter(one => one.lifecycle_status === "ready" && one.input && one.input.token);
	const select = make("select", null, may("sessions:write") && make("option", { value: "" }, t("console.play_session")), ...halls.map(one =>
		make("option", { value: one.channel_id, disabled: one.runtime_status === "active" }, one.runtime_status === "active" ? t("console.play_busy", { name: one.name }) : one.name)));
	return field("where", t("console.play_where"), {}, select);
}

/** @param {string} where a hall, or "" @param {string} from @param {string} to */
async function place_of(where, from, to) {
	if (where) {
		const { input } = await read(`saas/channel/${where}`);
		return { url: input.url, token: input.token, from, to };
	}
	const { id, ws_url, publisher } = await change("POST", "session-storage/session", { subscriber_count: 0 });
	return { url: ws_url, token: publisher, session: id, from, to };
}

/** @param {Playground} it */
function message_form(it) {
	const text = make("textarea", { rows: 3, dir: "ltr", spellcheck: false, value: '{"message_type":"get_task","data":{}}' });
	return form(t("console.play_send"), () => {
		try {
			it.send(JSON.parse(text.value));
		} catch {
			tell(t("console.play_json"), true);
		}
	}, field("message", t("console.play_message"), {}, text));
}

/** @param {HTMLElement} view @param {AbortSignal} signal */
export async function draw_playground(view, signal) {
	const [languages, channels] = await Promise.all([read("languages"), may("channels:write") ? read("saas/channels") : []]);
	const targets = Object.fromEntries(languages.target.map((/** @type {any} */ { code }) => [code, name_of(code)]));
	const it = new Playground(on => {
		show(starting, !on);
		show(talking, on);
	});
	const starting = form(t("console.play_start"), async ({ where, from, to }) => it.start(await place_of(where || "", from, to)), places(channels),
		make("div", { class: "fields" }, choice("from", t("console.spoken"), source_names(languages), "en"), choice("to", t("console.targets"), targets, "es")));
	const talking = message_form(it);
	talking.hidden = true;
	talking.lastElementChild?.append(button(t("console.play_stop"), () => it.end()));
	signal.addEventListener("abort", () => it.stop());
	addEventListener("pagehide", () => it.stop(), { signal });
	fill(view, card_head(t("console.playground"), make("span", { class: "soft small" }, t("console.play_how"))), make("div", { class: "pad stack" }, starting, talking,
		make("div", { class: "row apart" }, make("h3", null, t("console.play_messages")), button(t("console.play_clear"), () => it.messages.clear(), "bare")), it.messages.element));
}
