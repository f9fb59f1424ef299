// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses how the sound comes: as tracks of a room, over the socket, as an endless file, by a
// Janus, or by HLS; and plays it.
import { keep_running, on_signs } from "../shared/awake.js";
import { byId } from "../shared/dom.js";

/** @typedef {"none" | "room" | "socket" | "file" | "janus" | "hls"} How */

const LATE = 1.5, LOST = 6; // s of a file's unplayed sound: from LATE on it is played faster, from LOST on it is skipped

/**
 * Returns the address of an endless file of a language.
 * @param {string} ws_url @param {string} token @param {string} language
 */
export function file_of(ws_url, token, language) {
	const kind = byId("audio").canPlayType('audio/ogg; codecs="opus"') === "probably" ? "ogg" : "mp3";
	return `${ws_url.replace(/^ws(.*\/streaming-api)\/.*$/, `http$1/listen.${kind}`)}?${new URLSearchParams({ token, language })}`;
}

export class Way {
	constructor() {
		/** @type {How} */
		this.how = "none";
		/** @type {HTMLAudioElement} */
		this.audio = byId("audio");
		/** @type {import("../shared/sound.js").Sound | null} */
		this.sound = null;
		/** @type {typeof import("../shared/sound.js").Sound | null} */
		this.Sound = null;
		this.volume = 1;
		this.paused = this.interrupted = false; // paused by the listener; interrupted by a call, an alarm or the browser
		this.file = "";
		this.failed = 0; // seconds during which the file failed
		this.timer = setInterval(() => this.catch_up(), 1000);
		this.stop = new AbortController();
		on_signs(() => this.audio.paused && (this.audio.srcObject || this.file) && this.resume(), this.stop.signal);
	}

	/** Returns the best way for this browser without a room. @returns {Promise<How>} */
	async otherwise() {
		this.Sound ||= (await import("../shared/sound.js")).Sound;
		return await this.Sound.suits() ? "socket" : "file";
	}

	/** @param {How} how */
	use(how) {
		if (how !== "socket" && this.sound) {
			this.sound.close();
			this.sound = null;
			this.interrupted = false;
		}
		if (how !== this.how && how !== "room" && how !== "janus")
			this.audio.srcObject = null;
		if (how !== "file" && this.file) {
			this.file = "";
			this.audio.removeAttribute("src");
		}
		this.how = how;
		if (how === "socket" && !this.sound && this.Sound)
			this.follow(this.sound = new this.Sound());
		this.set_volume(this.volume);
	}

	/** @param {import("../shared/sound.js").Sound} sound */
	follow(sound) {
		keep_running(sound.context, () => sound === this.sound && !this.paused, is => this.interrupted = is, this.stop.signal);
	}

	/**
	 * Plays the tracks of a room. A change of languages keeps the track.
	 * @param {MediaStreamTrack[]} tracks
	 */
	play_tracks(tracks) {
		const now = /** @type {MediaStream | null} */ (this.audio.srcObject);
		if (now && String(now.getTracks().map(({ id }) => id)) === String(tracks.map(({ id }) => id)))
			return;
		this.audio.srcObject = new MediaStream(tracks);
		this.resume();
	}

	/**
	 * Plays the audio over plain HTTP.
	 * @param {string} ws_url @param {string} token @param {string} language
	 */
	play_file(ws_url, token, language) {
		this.audio.src = this.file = file_of(ws_url, token, language);
		this.resume();
	}

	// Requests the file again after a failure; plays late sound faster, or skips it.
	catch_up() {
		const { buffered, currentTime, error, ended } = this.audio;
		if (this.how !== "file" || this.paused)
			return;
		if (error || ended) {
			if (++this.failed % 3 === 0)
				this.pause(false);
			return;
		}
		if (buffered.length === 0)
			return;
		const end = buffered.end(buffered.length - 1), late = end - currentTime;
		this.audio.playbackRate = late > LATE ? 1.15 : 1;
		if (late > LOST)
			this.audio.currentTime = end - 0.5;
	}

	/** @param {any} piece of output_audio_data */
	play(piece) {
		if (this.how === "socket" && this.sound && !this.paused)
			this.sound.play(piece);
	}

	resume() {
		if (!this.paused)
			this.audio.play().catch(() => {});
	}

	/** @param {boolean} pause */
	pause(pause) {
		this.paused = pause;
		if (this.sound)
			this.sound.pause(pause);
		if (pause)
			return this.audio.pause();
		if (this.file) // resume at the live position
			this.audio.src = this.file;
		this.resume();
	}

	/** @param {number} volume */
	set_volume(volume) {
		this.volume = volume;
		this.audio.volume = volume;
		if (this.sound)
			this.sound.set_volume(volume);
	}

	hush() {
		if (this.sound)
			this.sound.hush();
	}

	/** Plays the received sound to its end. @returns {Promise<void>} */
	async drain() {
		for (let i = 0; i < 100 && this.sound && this.sound.playing; i++)
			await new Promise(done => setTimeout(done, 100));
	}

	close() {
		clearInterval(this.timer);
		this.stop.abort();
		this.use("none");
		this.audio.srcObject = null;
		this.audio.pause();
	}
}
