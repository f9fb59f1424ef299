// SPDX-License-Identifier: GPL-3.0-or-later
// The screen while listening: texts of one language, its sound by the best available way, and the
// state in words.
import { Captions } from "../shared/captions.js";
import { byId, fill, keep, say, stay_awake } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { Stream } from "../shared/stream.js";
import { show_programme } from "./door.js";
import { enter_room, find_place, open_socket } from "./line.js";
import { OnAir } from "./on_air.js";
import { announce, Scroll } from "./scroll.js";
import { Way } from "./way.js";

/**
 * @typedef {object} Wish
 * @property {import("../shared/event.js").PublicEvent} [event]
 * @property {import("../shared/event.js").Event} [view] the opened event
 * @property {URLSearchParams} [link] with the members of a session or a Janus
 * @property {string} language "": the first of the event
 * @property {boolean} sound
 */

export class Live {
	/** @param {Wish} wish @param {{ leave: (why?: string) => void, enter: (wish: Wish) => void }} page @param {import("./early.js").Early | null} early */
	constructor(wish, page, early) {
		this.wish = wish;
		this.page = page;
		this.way = new Way();
		/** @type {import("./way.js").How | undefined} way of the socket that is being opened */
		this.next = undefined;
		this.languages = wish.view && wish.event ? wish.event.languages(wish.view).targets : [];
		this.air = new OnAir();
		this.known = false;
		this.no_room = false;
		this.changed = () => {}; // called when the available languages change
		/** @type {import("../shared/event.js").Place | null} */
		this.place = null;
		/** @type {import("./beside.js").Beside | null} the original */
		this.other = null;
		/** @type {{ close(): void } | null} reads texts until sound has a way */
		this.early = null;
		this.preview = early;
		/** @type {import("./janus.js").Mountpoints | null} */
		this.janus = null;
		/** @type {import("./hls.js").Hls | null} set while rooms and sockets fail */
		this.hls = null;
		this.scroll = new Scroll();
		this.captions = new Captions(byId("log"), byId("partial"), { added: () => this.scroll.follow(), keep: true });
		this.captions.clear();
		this.stream = new Stream({ dial: (refused, reason) => this.dial(refused, reason), heard: (type, data) => this.hear(type, data),
			opened: line => this.opened(line), lost: () => this.tell(), ended: (code, reason) => this.ended(code, reason) });
		this.timer = setInterval(() => this.tell(), 1000);
		this.awake = stay_awake();
	}

	start() {
		const { link, sound } = this.wish;
		this.tell();
		if (sound)
			announce();
		this.early = this.preview?.take(this.wish, (type, data) => this.hear(type, data)) ? this.preview : null;
		if (keep("ever", "both"))
			import("./beside.js").then(({ Beside }) => (this.other ||= new Beside(this)).set(true, 0));
		if (link && !link.get("ws_url"))
			this.use_mountpoints(link.get("webrtc_url") || "", { [this.wish.language]: { id: link.get("mountpoint"), pin: link.get("pin") } });
		else
			this.stream.dial();
	}

	/* ---- the connection ---- */

	/** @param {number} refused @param {string} reason @returns {Promise<import("../shared/socket.js").Line | null>} */
	async dial(refused, reason) {
		if (this.wish.link && refused > (this.known ? 20 : 2))
			return this.leave(t("listen.badlink"));
		if (reason === "no way" || reason === "replaced")
			this.no_room = true;
		let place;
		try {
			place = await find_place(this, refused, reason);
		} catch (error) {
			return this.refuse(/** @type {import("../shared/api.js").Problem} */ (error));
		}
		if (!this.known && place.hls_url && (refused > 0 || place.listen_by)) {
			const hls = await import("./hls.js").catch(() => null);
			hls?.use_hls(this);
			if (hls && place.listen_by)
				return hls.stay_with_hls(this);
		}
		return this.wants_room() && await enter_room(this, place) || open_socket(this, place);
	}

	// Rooms have neither the original nor the sound of a Janus.
	wants_room() {
		return this.wish.sound && !this.no_room && this.wish.language !== "original" && !(this.janus && this.janus.linked);
	}

	end_hls() {
		this.hls?.close();
		this.hls = null;
	}

	/** @param {import("../shared/socket.js").Line} line */
	opened(line) {
		if (this.hls)
			this.captions.clear(); // the new line brings the last texts again
		this.end_hls();
		this.known = true;
		this.early?.close();
		const room = /** @type {import("../shared/room.js").Room} */ (/** @type {unknown} */ (line));
		this.way.use(line.room ? "room" : this.next || "none");
		if (line.room) {
			this.way.play_tracks(room.tracks);
			line.send("set_language", { language: this.wish.language });
		} else if (this.way.how === "file" && this.place)
			this.way.play_file(this.place.ws_url, this.place.token, this.wish.language);
		document.body.dataset.way = this.way.how;
		this.air.state = "waiting";
		line.send("get_task");
		this.tell();
		this.other?.dial();
		say("error", "");
	}

	/**
	 * Shows a refusal of the service.
	 * @param {import("../shared/api.js").Problem} problem @returns {null}
	 */
	refuse(problem) {
		if (problem.slug === "event-finished")
			this.finish();
		else if (problem.slug === "language-not-available")
			return this.leave(t("listen.notserved"));
		else if (problem.status === 404 || problem.slug === "access-code-required")
			return this.leave("");
		return null;
	}

	/** @param {string} why */
	leave(why) {
		this.page.leave(why);
		return null;
	}

	/** @param {number} code @param {string} reason */
	async ended(code, reason) {
		if (reason === "replaced")
			return void this.stream.dial("replaced");
		if (code !== 1000 || !this.wish.event)
			return code === 1000 ? this.finish() : void this.leave(t("listen.ended"));
		this.place = null; // another channel may have the language
		const view = await this.wish.event.read().catch(() => null);
		if (view && view.lifecycle_status === "finished")
			this.finish();
		else
			this.stream.dial("ended");
	}

	// Plays the received sound to its end.
	async finish() {
		this.air.state = "over";
		this.stream.stop();
		this.tell();
		await Promise.all([this.way.drain(), this.hls?.drain()]);
		if (this.janus)
			await this.janus.drain();
		if (this.air.state !== "over")
			return;
		this.end_hls();
		this.way.close();
	}

	/* ---- what comes ---- */

	/** @param {string} type @param {any} data */
	hear(type, data) {
		if (type === "validated_transcription" || type === "translated_transcription")
			this.captions.add(data.transcription);
		else if (/^partial_.*transcription$/.test(type))
			this.captions.show_partial(data.transcription);
		else if (type === "output_audio_data")
			this.way.play(data);
		else if (type === "current_task")
			this.take_task(data);
		else if (type === "channel_state")
			this.take_state(data.state);
		else if (type === "eos" && this.stream.line && this.stream.line.room)
			this.end_room();
		else if (type === "error")
			this.take_error(data);
		else if (type === "warning" && data.code === "TTS_UNAVAILABLE")
			say("error", t("listen.textonly"));
		if (/transcription$|^output_audio/.test(type))
			this.go_live();
	}

	go_live() {
		this.air.heard();
		this.tell();
	}

	/** @param {{ languages?: string[], webrtc?: { url: string, mountpoints: any } }} task */
	take_task({ languages, webrtc }) {
		if (languages && this.wish.link)
			this.languages = languages;
		if (!this.wish.language && this.languages.length > 0)
			this.wish.language = this.languages[0];
		this.go_live();
		this.changed();
		if (webrtc && webrtc.mountpoints && this.wish.sound)
			this.use_mountpoints(webrtc.url, webrtc.mountpoints);
	}

	/** @param {string} is */
	take_state(is) {
		this.air.take(is);
		if (is === "live")
			this.stream.send("get_task");
		this.tell();
	}

	/** @param {{ code: string, desc: string }} error */
	take_error({ code, desc }) {
		if (code !== "NOT_FOUND")
			return say("error", `${code}: ${desc}`);
		clearTimeout(this.poll); // a channel reports by itself when its task starts
		if (this.air.told !== "break")
			this.poll = setTimeout(() => this.stream.send("get_task"), 3000);
	}

	async end_room() {
		const room = /** @type {import("../shared/room.js").Room} */ (/** @type {unknown} */ (this.stream.line));
		room.ontracks = () => {};
		await room.fall_silent();
		if (this.stream.line === /** @type {unknown} */ (room))
			this.ended(1000, "");
	}

	/** @param {string} url @param {any} points */
	async use_mountpoints(url, points) {
		const { Mountpoints } = await import("./janus.js");
		this.janus ||= new Mountpoints(this.way, () => this.place ? this.stream.dial("janus") : this.go_live(), why => say("error", why && t("listen.soundlost", { why })));
		if (!this.place)
			this.way.use("janus");
		this.air.state = this.place ? this.air.state : "waiting";
		this.janus.watch(url, points, this.wish.language);
	}

	/* ---- what is changed ---- */

	/** @param {string} language */
	set_language(language) {
		const was_room = this.wants_room(), by_hls = !!this.hls;
		this.wish.language = language;
		this.captions.partial.textContent = "";
		this.way.hush();
		this.stream.send("set_language", { language });
		if (this.janus)
			this.janus.watch(null, null, language);
		if (by_hls)
			this.place = null;
		this.end_hls();
		this.other?.dial();
		if (this.wants_room() !== was_room || this.way.how === "file" || by_hls)
			this.stream.dial("language");
	}

	/* ---- what is shown ---- */

	tell() {
		const { away } = this.stream;
		const word = this.air.state !== "over" && this.place && !this.stream.open && this.known ? "away" : this.air.state;
		const interrupted = this.way.interrupted && word === "live";
		say("state", interrupted ? t("listen.interrupted") : t(`listen.state.${word}`, { seconds: Math.floor(away / 2) * 2 }));
		if (document.body.dataset.state !== word) {
			document.body.dataset.state = word;
			show_programme(word === "waiting" || word === "break" ? this.wish : {}, byId("partial")).then(() => this.scroll.follow());
		}
		if ("mediaSession" in navigator)
			navigator.mediaSession.playbackState = this.way.paused ? "paused" : "playing";
	}

	stop() {
		this.air.state = "connecting";
		[this.timer, this.poll].forEach(clearTimeout);
		this.stream.stop();
		this.early?.close();
		this.other?.close();
		document.getElementById("programme")?.remove();
		if (this.janus)
			this.janus.close();
		this.end_hls();
		this.way.close();
		this.awake();
		fill(byId("error"));
	}
}
