// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a hall's sound level and its last line in both languages. They come by preview sockets,
// which are not counted as listeners and are open only while the card is in view.
import { post } from "../shared/api.js";
import { Captions } from "../shared/captions.js";
import { fill, make, say } from "../shared/dom.js";
import { path_of } from "../shared/event.js";
import { name_of, t } from "../shared/i18n.js";
import { Socket } from "../shared/socket.js";
import { Stream } from "../shared/stream.js";
import { mark, wave } from "./parts.js";
import { button } from "./words.js";

const LOWEST = 0.01;   // the loudest packet of speech is above this
const SILENT_MS = 10000; // ms without sound after which the hall is shown as silent
const TICK = 250;      // ms
const FLOOR = 60;      // dB below full scale where the wave begins
const GOOD = 0.4, LOUD = 0.97, JUDGED = 12; // levels of good sound, and how many of the last ones are judged
const PACKET = 20000;  // microseconds
const OPUS = { codec: "opus", sampleRate: 48000, numberOfChannels: 1 };

/** Splits a message into Opus packets; each follows its length. @param {string} data base64 */
function packets_of(data) {
	const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0)), view = new DataView(bytes.buffer), all = [];
	for (let at = 0; at + 2 < bytes.length; at += 2 + view.getUint16(at))
		all.push(bytes.subarray(at + 2, at + 2 + view.getUint16(at)));
	return all;
}

/** Reports how loud the sound is. */
class Loudness {
	/** @param {(peak: number) => void} told 0 to 1, for each packet */
	constructor(told) {
		this.told = told;
		this.stamp = 0;
		this.open();
	}

	static suits() {
		return "AudioDecoder" in window;
	}

	open() {
		const mine = this.decoder = new AudioDecoder({ output: sound => {
			const samples = new Float32Array(sound.numberOfFrames);
			sound.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
			sound.close();
			this.told(samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0));
		}, error: () => mine === this.decoder && this.open() });
		mine.configure(OPUS);
	}

	/** @param {{ format?: string, data: string }} piece of output_audio_data */
	take({ format, data }) {
		for (const packet of format === "opus" && this.decoder ? packets_of(data) : [])
			this.decoder?.decode(new EncodedAudioChunk({ type: "key", timestamp: this.stamp += PACKET, data: packet }));
	}

	close() {
		if (this.decoder && this.decoder.state !== "closed")
			this.decoder.close();
		this.decoder = undefined;
	}
}

/** Joins a hall as a listener that is not counted. @param {any} event @param {any} channel */
export const join_preview = (event, channel) => post(`${path_of(event.event_id)}/join`,
	{ language: "original", kind: "preview", channel_id: channel.channel_id }, { open: true, query: { code: event.access_code } });

/**
 * The state of a hall, in words.
 * @param {any} channel @param {Ear} ear @returns {{ state: string, tone: string, text: string }}
 */
export function state_of_hall({ lifecycle_status: is, runtime_status: runs, utc_stopped_at: stopped }, ear) {
	if (stopped)
		return { state: "stopped", tone: "bad", text: t("console.light.stopped") };
	const heard = ear.light(), told = /** @type {Record<string, string>} */ ({ active: heard || "live", failed: "failed", stopped: heard || "waiting" })[runs];
	const state = is !== "ready" ? is : told || (heard === "break" ? "waiting" : heard || "waiting");
	const tone = /** @type {Record<string, string>} */ ({ silent: "warn", failed: "bad", live: "live" })[state] || "";
	return { state, tone, text: t(`console.light.${state}`, { seconds: ear.silent_for }) };
}

export class Ear {
	/**
	 * @param {any} event @param {any} channel @param {() => void} changed called when light()
	 * may return another value
	 */
	constructor(event, channel, changed) {
		this.event = event;
		this.channel = channel;
		this.changed = changed;
		this.state = ""; // "live", "break", or "" until known
		this.heard_at = 0;
		/** @type {Stream[]} */
		this.streams = [];
		/** @type {import("../shared/sound.js").Sound | null} while the organiser listens in */
		this.sound = null;
		this.element = this.draw();
	}

	draw() {
		this.wave = wave();
		/** @type {number[]} the last levels */
		this.levels = [];
		this.level = make("span", null);
		this.source = this.captions();
		this.target = this.captions();
		this.codes = [make("dt", { class: "source" }), make("dt", null)];
		this.lines = make("dl", { class: "said" }, this.codes[0], make("dd", { class: "soft" }, this.source.list, " ", this.source.partial), this.codes[1], make("dd", { class: "new" }, this.target.list));
		this.choice = make("select", { name: "heard", "aria-label": t("console.language"), onchange: () => this.choose() });
		this.button = button(t("console.preview"), () => this.listen_in(!this.sound), "", "headphones");
		this.button.setAttribute("aria-pressed", "false");
		this.name_languages();
		return make("div", { class: "ear pad stack" }, Loudness.suits() && make("div", null, this.wave.element,
			make("div", { class: "row apart small soft" }, this.level, make("span", null, t("console.last_seconds", { seconds: 20 })))), this.lines);
	}

	/** The controls to listen in. */
	get controls() {
		return [Loudness.suits() && this.button, this.choice];
	}

	captions() {
		return new Captions(make("div", { class: "line-of" }), make("p", { class: "soft going" }), { most: 1 });
	}

	name_languages() {
		const { target_languages: codes } = this.channel, now = this.choice?.value;
		if (this.codes)
			fill(this.codes[0], mark(this.channel.source_language === "auto" ? "original" : this.channel.source_language));
		if (this.choice)
			fill(this.choice, ...(codes.length ? codes : ["original"]).map((/** @type {string} */ code) =>
				make("option", { value: code, selected: code === now }, code === "original" ? t("console.original") : name_of(code))));
		if (this.codes)
			fill(this.codes[1], this.language !== "original" && mark(this.language));
	}

	/** "live", "silent" or "break"; "" until known. */
	light() {
		return this.state === "live" && Loudness.suits() && Date.now() > this.heard_at + SILENT_MS ? "silent" : this.state;
	}

	get language() {
		return this.choice ? this.choice.value : "original";
	}

	get running() {
		return this.streams.length > 0;
	}

	start() {
		if (this.running)
			return;
		this.loudness = Loudness.suits() ? new Loudness(peak => this.measure(peak)) : undefined;
		const original = this.stream(() => ["original", !!this.loudness], (type, data) => this.hear_original(type, data));
		this.streams = this.language === "original" ? [original] :
			[original, this.stream(() => [this.language, !!this.sound], (type, data) => this.hear_target(type, data))];
		this.timer = setInterval(() => this.tick(), TICK);
	}

	/**
	 * @param {() => [string, boolean]} wish returns the language, and whether sound is wanted
	 * @param {(type: string, data: any) => void} heard
	 */
	stream(wish, heard) {
		/** @type {import("../shared/event.js").Place | null} */
		let place = null;
		/** @type {Stream} */
		const it = new Stream({ heard, lost: () => {}, opened: () => {}, ended: () => (place = null, it.dial("ended")),
			dial: async refused => {
				if (!place || refused % 3 === 2)
					place = await join_preview(this.event, this.channel).catch(error => this.refuse(error));
				const [language, sound] = wish();
				return place && !it.stopped ? new Socket(place.ws_url, { token: place.token, language, audio: !sound && "0", format: sound && "opus" }) : null;
			} });
		it.dial();
		return it;
	}

	/**
	 * Handles a refused join: the hall has ended or is not ready.
	 * @param {import("../shared/api.js").Problem} error
	 */
	refuse({ status }) {
		if (status >= 400 && status < 500 && status !== 429)
			this.stop();
		return null;
	}

	/** @param {string} type @param {any} data */
	hear_original(type, data) {
		if (type === "channel_state") {
			this.state = data.state;
			this.heard_at = Date.now();
			this.changed();
		} else if (type === "output_audio_data") {
			this.loudness?.take(data);
			if (this.language === "original")
				this.sound?.play(data);
		} else
			this.take_text(this.source, type, data);
	}

	/** @param {string} type @param {any} data */
	hear_target(type, data) {
		if (type === "output_audio_data")
			this.sound?.play(data);
		else
			this.take_text(this.target, type, data);
	}

	/** @param {Captions | undefined} captions @param {string} type @param {any} data */
	take_text(captions, type, { transcription }) {
		if (type === "partial_transcription")
			captions?.show_partial(transcription);
		else if (type === "validated_transcription" || type === "translated_transcription")
			captions?.add(transcription);
	}

	/** @param {number} peak */
	measure(peak) {
		this.peak = Math.max(this.peak || 0, peak);
		if (peak <= LOWEST)
			return;
		const was = this.light();
		this.heard_at = Date.now();
		if (was === "silent")
			this.changed();
	}

	tick() {
		const level = this.peak ? Math.max(0, 1 + 20 * Math.log10(this.peak) / FLOOR) : 0;
		this.wave?.follow(level);
		this.levels?.push(level);
		this.levels?.splice(0, this.levels.length - JUDGED);
		const most = Math.max(0, ...this.levels || []), word = most > LOUD ? "loud" : most >= GOOD ? "good" : most > 0 ? "quiet" : "none";
		if (this.level) {
			this.level.className = word === "good" ? "good" : "";
			say(this.level, t(`console.level_is.${word}`));
		}
		this.peak = 0;
		this.changed();
	}

	/** Seconds without sound. */
	get silent_for() {
		return Math.floor((Date.now() - this.heard_at) / 1000);
	}

	choose() {
		this.name_languages();
		this.target?.clear();
		this.sound?.hush();
		this.streams[1]?.send("set_language", { language: this.language });
	}

	/** @param {boolean} on */
	async listen_in(on) {
		this.button?.setAttribute("aria-pressed", String(on));
		this.sound?.close();
		this.sound = on ? new (await import("../shared/sound.js")).Sound() : null;
		const last = this.streams[1];
		if (!last)
			return;
		last.stop(); // the open socket was requested with the other choice of sound
		this.streams[1] = this.stream(() => [this.language, !!this.sound], (type, data) => this.hear_target(type, data));
	}

	/** Handles a channel whose languages may have changed. @param {any} channel */
	follow(channel) {
		const was = String(this.channel.target_languages);
		this.channel = channel;
		if (was === String(channel.target_languages))
			return;
		this.name_languages();
		if (this.running) {
			this.stop();
			this.start();
		}
	}

	stop() {
		clearInterval(this.timer);
		this.streams.forEach(one => one.stop());
		this.streams = [];
		this.loudness?.close();
		this.sound?.close();
		this.sound = null;
		this.button?.setAttribute("aria-pressed", "false");
		this.state = "";
	}
}
