// SPDX-License-Identifier: GPL-3.0-or-later
// The original beside the translation: its texts above those of the translation, and its sound with
// a volume of its own.
import { keep_running } from "../shared/awake.js";
import { Socket } from "../shared/socket.js";
import { Stream } from "../shared/stream.js";
import { file_of } from "./way.js";

export class Beside {
	/** @param {import("./live.js").Live} live */
	constructor(live) {
		this.live = live;
		this.texts = false;
		this.volume = 0;
		/** @type {Stream | null} */
		this.stream = null;
		/** @type {import("../shared/sound.js").Sound | null} */
		this.sound = null;
		/** @type {HTMLAudioElement | null} in browsers that cannot decode the sound of a socket */
		this.file = null;
		this.end = new AbortController();
	}

	/** Shows the texts or not, and plays the sound with this volume. @param {boolean} texts @param {number} volume */
	async set(texts, volume) {
		const sounds = this.volume > 0, was = this.texts;
		[this.texts, this.volume] = [texts, volume];
		if (volume > 0 && !this.sound && !this.file)
			await this.open_sound();
		this.sound?.set_volume(this.volume);
		if (this.file)
			this.file.volume = this.volume;
		if (!this.stream || sounds !== volume > 0 || was !== texts)
			this.dial();
	}

	async open_sound() {
		const { Sound } = await import("../shared/sound.js");
		const { place } = this.live;
		if (await Sound.suits()) {
			const sound = this.sound = new Sound();
			keep_running(sound.context, () => sound === this.sound, () => {}, this.end.signal);
		} else if (place) {
			this.file = new Audio(file_of(place.ws_url, place.token, "original"));
			this.file.play().catch(() => {});
		}
	}

	/** Connects, if the listener does not hear the original alone. */
	dial() {
		const { live } = this;
		const other = live.wish.language !== "original";
		this.stream?.stop();
		this.stream = null;
		document.body.classList.toggle("both", this.texts && other);
		if (!other || !(this.texts || this.volume > 0))
			return;
		const plays = this.volume > 0 && !this.file;
		const stream = this.stream = new Stream({ opened: () => {}, lost: () => {},
			ended: () => setTimeout(() => stream.dial("ended"), 5000),
			dial: async () => live.place && new Socket(live.place.ws_url, { token: live.place.token, language: "original",
				audio: plays ? "" : "0", format: plays && "opus" }),
			heard: (type, data) => this.hear(type, data) });
		stream.dial();
	}

	/** @param {string} type @param {any} data */
	hear(type, data) {
		if (type === "validated_transcription" && this.texts)
			this.live.captions.add(data.transcription, true);
		else if (type === "output_audio_data" && !this.live.way.paused)
			this.sound?.play(data);
	}

	close() {
		this.stream?.stop();
		this.end.abort();
		this.file?.pause();
		this.sound?.close();
		document.body.classList.remove("both");
	}
}
