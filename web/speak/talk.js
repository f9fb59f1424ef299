// SPDX-License-Identifier: GPL-3.0-or-later
// A speaker's connection: the task, the sound by the best available way, and the sound stored while
// there is no connection.
import { t } from "../shared/i18n.js";
import { Socket } from "../shared/socket.js";
import { Stream } from "../shared/stream.js";

const KEPT = 94; // stored pieces: 94 of 320 ms are 30 s
const ENOUGH = 1 << 20; // unsent bytes above which the network is too slow
const COUNT_EACH = 5000; // ms between two requests for the number of listeners

/**
 * @typedef {object} Wish
 * @property {string} ws_url @property {string} token @property {string} from @property {string[]} to
 * @property {string | null} webrtc_url @property {string | null} room @property {string | null} pin
 * @property {boolean} by_janus
 */
/** @typedef {"none" | "connecting" | "running" | "paused" | "ending" | "ended"} State */
/** @typedef {{ in_words: (code: string, text: string) => string, state: (is: State) => void, complain: (text: string) => void, warn: (text: string) => void,
 *   heard: (type: string, data: any) => void, keeping: (seconds: number) => void,
 *   listeners: (by_language: Record<string, number>) => void }} Page */

/** @param {Int16Array} samples */
function base64(samples) {
	let text = "";
	for (const byte of new Uint8Array(samples.buffer))
		text += String.fromCharCode(byte);
	return btoa(text);
}

export class Talk {
	/** @param {Wish} wish @param {import("./microphone.js").Microphone} microphone @param {Page} page */
	constructor(wish, microphone, page) {
		this.wish = wish;
		this.microphone = microphone;
		this.page = page;
		/** @type {State} */
		this.state = "none";
		this.known = this.no_room = this.stalled = false;
		/** @type {Int16Array[]} */
		this.kept = [];
		/** @type {import("./janus.js").JanusRoom | null} */
		this.janus = null;
		this.stream = new Stream({ dial: (refused, reason) => this.dial(refused, reason), heard: (type, data) => this.hear(type, data),
			opened: line => this.opened(line), lost: () => this.lost(), ended: (code, reason) => this.ended(code, reason) });
	}

	/** @param {State} to */
	move(to) {
		this.state = to;
		this.page.state(to);
	}

	start() {
		this.move("connecting");
		this.counting = setInterval(() => ["running", "paused"].includes(this.state) && this.stream.send("get_task"), COUNT_EACH);
		if (this.wish.ws_url)
			this.stream.dial();
		if (this.wish.room)
			this.join_janus();
	}

	/* ---- the connection ---- */

	get in_room() {
		return !!this.stream.line && !!this.stream.line.room;
	}

	/** @param {number} refused @param {string} reason @returns {Promise<import("../shared/socket.js").Line | null>} */
	async dial(refused, reason) {
		if (refused > (this.known ? 20 : 0))
			return this.fail(t("speak.unreached"));
		if (reason === "no way")
			this.no_room = true;
		const { webrtc_url, token, ws_url, room } = this.wish;
		// Sound stored meanwhile is sent by socket.
		if (webrtc_url && !room && !this.no_room && this.kept.length < 4) {
			const { Room } = await import("../shared/room.js");
			if (await Room.admits(webrtc_url, token))
				return new Room(webrtc_url, token, this.microphone.track);
		}
		return new Socket(ws_url, { token });
	}

	/** @param {import("../shared/socket.js").Line} line */
	opened(line) {
		this.known = true;
		this.page.complain("");
		document.body.dataset.way = line.room ? "room" : this.wish.by_janus ? "janus" : "socket";
		if (line.room)
			this.kept = [];
		if (this.state === "connecting")
			this.set_task();
		else if (this.state === "ending")
			this.stop("ended");
	}

	lost() {
		if (this.state === "ending")
			return this.stop("ended");
		this.page.complain(t("speak.lost"));
		if (this.state === "running")
			this.move("connecting");
	}

	/** @param {number} code @param {string} reason */
	ended(code, reason) {
		if (code === 1000 || this.state === "ending")
			this.stop("ended");
		else if (reason === "replaced")
			this.fail(t("speak.replaced"));
		else
			this.fail(this.told || t("speak.ended", { reason }));
	}

	/* ---- the task ---- */

	// In a channel, a task may set only input_stream.
	set_task() {
		const type = this.wish.by_janus || this.in_room ? "webrtc" : "ws";
		const source = type === "webrtc" ? { type } : { type, format: "pcm_s16le", sample_rate: this.microphone.rate, channels: 1 };
		this.stream.send("set_task", {
			input_stream: { content_type: "audio", source },
			output_stream: { content_type: "audio", target: { type } },
			pipeline: { transcription: { source_language: this.wish.from },
				translations: this.wish.to.map(target_language => ({ target_language })) },
			allowed_message_types: ["partial_transcription", "validated_transcription", "translated_transcription"],
		});
		this.stream.send("get_task");
	}

	/** @param {string} type @param {any} data */
	hear(type, data) {
		if (type === "current_task")
			this.take_task(data);
		else if (type === "error")
			this.take_error(data);
		else if (type === "warning")
			this.warn(data);
		else if (type === "eos" && this.in_room)
			this.stop("ended");
		else {
			// Here no pieces are sent: other messages may belong to the speech before.
			if (type === "partial_transcription" && (this.in_room || this.janus))
				this.end_stall();
			this.page.heard(type, data);
		}
	}

	/** @param {{ code: string, message: string }} warning */
	warn({ code, message }) {
		this.stalled = code === "AUDIO_STREAM_STALLED";
		this.page.warn(this.page.in_words(code, message));
	}

	// Called when sound arrives again: removes the message about its loss.
	end_stall() {
		if (this.stalled)
			this.page.warn("");
		this.stalled = false;
	}

	/** @param {{ webrtc?: { url: string, room: string, pin: string }, listeners?: Record<string, number> }} task */
	take_task({ webrtc, listeners }) {
		if (this.state === "connecting")
			this.move("running");
		if (listeners)
			this.page.listeners(listeners);
		this.send_kept();
		if (!webrtc)
			return;
		Object.assign(this.wish, { janus_url: webrtc.url, janus_room: webrtc.room, pin: webrtc.pin });
		this.join_janus(webrtc.url, webrtc.room, webrtc.pin);
	}

	/** @param {{ code: string, desc: string }} error */
	take_error({ code, desc }) {
		const text = this.told = this.page.in_words(code, desc);
		if (code === "NOT_FOUND" && this.state === "connecting")
			setTimeout(() => this.stream.send("get_task"), 1000);
		else if (code === "NOT_FOUND" && this.state === "running" && (this.janus || this.in_room)) {
			this.move("connecting"); // the task ended for lack of sound
			this.set_task();
		} else if (code === "NOT_FOUND")
			return; // the next task begins with "Go on"
		else if (code === "ENGINE_UNAVAILABLE" || (code === "VALIDATION_ERROR" && this.state === "connecting"))
			this.fail(text);
		else
			this.page.complain(text);
	}

	/* ---- the sound ---- */

	/** Sends or stores a piece of sound. @param {Int16Array} samples */
	take_piece(samples) {
		const { line } = this.stream;
		if (this.state !== "running" && this.state !== "connecting")
			return;
		if (this.in_room || this.wish.by_janus || this.wish.room)
			return;
		const socket = /** @type {Socket | null} */ (/** @type {unknown} */ (line));
		if (this.state === "running" && socket && socket.open && this.kept.length === 0) {
			if (socket.waiting < ENOUGH) // else the delay would grow without end
				this.send_piece(samples);
			return;
		}
		this.kept = [...this.kept, samples].slice(-KEPT);
		if (this.known)
			this.page.keeping(Math.round(this.kept.length * 0.32));
	}

	/** @param {Int16Array} samples */
	send_piece(samples) {
		this.stream.send("input_audio_data", { data: base64(samples) });
		this.end_stall();
	}

	send_kept() {
		for (const samples of this.kept)
			this.send_piece(samples);
		this.kept = [];
		this.page.keeping(0);
	}

	/** @param {string | null} [url] @param {string | null} [room] @param {string | null} [pin] */
	async join_janus(url = this.wish.webrtc_url, room = this.wish.room, pin = this.wish.pin) {
		const { JanusRoom } = await import("./janus.js");
		const { track, stream } = this.microphone;
		this.janus ||= new JanusRoom({
			complain: why => this.page.complain(why && t("speak.soundlost", { why })),
			joined: () => this.state === "connecting" && !this.wish.ws_url && this.move("running"),
			ask: () => this.stream.open && (this.stream.send("get_task"), true),
		});
		if (track && stream)
			this.janus.join(url || "", room || "", pin, track, stream);
	}

	/* ---- what the speaker does ---- */

	/** @param {boolean} pause */
	pause(pause) {
		this.microphone.mute(pause);
		if (this.in_room)
			/** @type {import("../shared/room.js").Room} */ (/** @type {unknown} */ (this.stream.line)).mute(pause);
		this.move(pause ? "paused" : this.wish.ws_url ? "connecting" : "running");
		if (pause)
			this.stream.send("pause_task");
		else
			this.set_task();
	}

	end() {
		if (!this.stream.open)
			return this.stop("ended");
		this.stream.send("end_task", { eos_timeout: 5 });
		this.move("ending");
		this.microphone.close();
		if (this.in_room) // a room stays open after its task
			setTimeout(() => this.state === "ending" && this.stop("ended"), 40000);
	}

	/** @param {State} to */
	stop(to) {
		clearInterval(this.counting);
		this.stream.stop();
		this.microphone.close();
		this.kept = [];
		this.page.keeping(0);
		if (this.janus)
			this.janus.close();
		if (this.state !== to)
			this.move(to);
	}

	/** @param {string} text @returns {null} */
	fail(text) {
		this.stop("ended");
		this.page.complain(text);
		return null;
	}
}
