// SPDX-License-Identifier: GPL-3.0-or-later
// Receives sound and texts by HLS, RFC 8216: over plain HTTP only, later than over a socket: by some
// seconds, or two if the server holds requests for parts of segments (draft-pantos-hls-rfc8216bis).

import { cues_of, fetched, new_pieces } from "./hls_list.js";

/** @typedef {import("./hls_list.js").List} List */
/** @typedef {import("./hls_list.js").Piece} Piece */
/** @typedef {import("./hls_list.js").Cue} Cue */

/** @param {number} ms */
const nap = ms => new Promise(done => setTimeout(done, ms));
const TYPE = 'audio/mp4; codecs="mp4a.40.2"';
const BEHIND = 3, TEXTS_BEHIND = 12; // begin at this segment from the end, of sound and of text
const QUIET = 20000; // ms without a new segment after which the hall is shown as silent
const ANOTHER_CLOCK = 120; // s: a text so far ahead belongs to a stream that began again

export class Hls {
	/**
	 * @param {string} url of the language's playlist
	 * @param {import("./way.js").Way | null} way plays the sound
	 * @param {{ comes: (does: boolean) => void, says: (cue: Cue) => void }} listener
	 */
	constructor(url, way, listener) {
		this.url = url;
		this.way = way;
		this.listener = listener;
		this.closed = false;
		/** @type {SourceBuffer | null} */
		this.buffer = null;
		/** @type {Cue[]} whose sound is not played yet */
		this.cues = [];
		this.last_start = -1;
		this.came = 0;
		/** @type {number | undefined} number of discontinuities before the last sound */
		this.run = undefined;
		this.late = 24; // s of unplayed sound at which the player jumps
		this.near = 10; // s that remain after the jump
		this.timer = setInterval(() => this.show_cues(), 250);
		this.begin();
	}

	async begin() {
		for (; !this.closed; await nap(2000)) {
			try {
				const index = await (await fetched(this.url)).text();
				const list = (/** @type {string} */ type, /** @type {number} */ behind) => ({ behind, next: "",
					url: new URL(new RegExp(`TYPE=${type},.*URI="([^"]+)"`).exec(index)?.[1] || "", this.url).href });
				await this.open();
				this.follow(list("AUDIO", BEHIND), pieces => this.take_sound(pieces));
				return this.follow(list("SUBTITLES", TEXTS_BEHIND), pieces => this.take_texts(pieces));
			} catch {
				// There is no speech yet.
			}
		}
	}

	/** @param {List} list @param {(pieces: Piece[]) => Promise<void>} take */
	async follow(list, take) {
		while (!this.closed) {
			let held = false;
			try {
				held = list.next !== "";
				const pieces = await new_pieces(list);
				held &&= pieces.length > 0;
				await take(pieces);
			} catch {
				held = false; // a request failed
			}
			if (this.came > 0)
				this.listener.comes(Date.now() < this.came + QUIET);
			if (!held)
				await nap(list.next && list.newest && !list.done ? 100 : 2000);
		}
	}

	async open() {
		const Source = /** @type {any} */ (self).ManagedMediaSource || self.MediaSource;
		if (!this.way || this.closed)
			return;
		const { audio } = this.way;
		this.way.use("hls");
		if (!Source?.isTypeSupported(TYPE)) {
			audio.src = this.url;
			return this.way.resume();
		}
		const source = new Source();
		audio.disableRemotePlayback = true; // a ManagedMediaSource requires it
		audio.src = URL.createObjectURL(source);
		await new Promise(done => source.addEventListener("sourceopen", done, { once: true }));
		URL.revokeObjectURL(audio.src);
		const buffer = this.buffer = /** @type {SourceBuffer} */ (source.addSourceBuffer(TYPE));
		buffer.mode = "sequence"; // a lost segment leaves no gap
	}

	/** @param {Piece[]} pieces */
	async take_sound(pieces) {
		for (const { url, head, run, index } of pieces) {
			if (run !== this.run)
				await this.append(head);
			this.run = run;
			if (index < Infinity)
				[this.late, this.near] = [5, 2];
			await this.append(url);
			this.came = Date.now();
		}
	}

	/** @param {Piece[]} pieces */
	async take_texts(pieces) {
		for (const { url } of pieces)
			for (const cue of cues_of(await (await fetched(url)).text())) {
				if (Math.abs(cue.start - this.last_start) > ANOTHER_CLOCK)
					this.last_start = -1;
				if (cue.start > this.last_start) { // a cue that spans segments is in all of them
					this.last_start = cue.start;
					this.cues.push(cue);
				}
			}
		if (pieces.length > 0)
			this.came = Date.now();
	}

	/** @param {string} url */
	async append(url) {
		const { buffer, way } = this;
		if (!buffer || !way)
			return;
		const bytes = await (await fetched(url)).arrayBuffer();
		if (this.closed)
			return;
		const done = () => new Promise(updated => buffer.addEventListener("updateend", updated, { once: true }));
		buffer.appendBuffer(bytes);
		await done();
		const { audio } = way;
		if (this.waiting > this.late)
			audio.currentTime += this.waiting - this.near;
		if (audio.currentTime > 48) {
			buffer.remove(0, audio.currentTime - 24);
			await done();
		}
		way.resume();
	}

	/** Seconds of sound that are not played yet. */
	get waiting() {
		const ranges = this.buffer?.buffered;
		return ranges && ranges.length > 0 && this.way ? ranges.end(ranges.length - 1) - this.way.audio.currentTime : 0;
	}

	// Texts are in time with the sound: the buffer's offset is known once it has some.
	show_cues() {
		const ranges = this.buffer?.buffered;
		if (this.buffer && !ranges?.length)
			return;
		const now = this.buffer && this.way ? this.way.audio.currentTime - this.buffer.timestampOffset : Infinity;
		while (this.cues.length > 0 && (this.cues[0].start <= now || this.cues[0].start > now + ANOTHER_CLOCK))
			this.listener.says(/** @type {Cue} */ (this.cues.shift()));
	}

	/** Plays the received sound to its end. */
	async drain() {
		for (let i = 0; i < 48 && this.waiting > 0.5; i++)
			await nap(500);
	}

	close() {
		this.closed = true;
		clearInterval(this.timer);
		if (this.way)
			this.way.audio.removeAttribute("src");
	}
}

/**
 * Reports that someone listens, so that the organiser's numbers have the listeners without a line.
 * @param {import("../shared/event.js").Place} place @param {string} language @param {Hls} hls
 */
async function report(place, language, hls) {
	const url = place.ws_url.replace(/^ws(.*\/streaming-api)\/.*$/, "http$1/hls-listener");
	const query = new URLSearchParams({ token: place.token, language });
	while (!hls.closed) {
		const seconds = await fetch(`${url}?${query}`, { method: "POST", credentials: "omit" })
			.then(answer => answer.json()).then(({ data }) => data.next_seconds).catch(() => 30);
		await nap(seconds * 1000);
	}
}

/** @param {import("./live.js").Live} live */
function hear_by_hls(live) {
	const { place, wish } = live, language = wish.language === "original" ? "" : wish.language;
	document.body.dataset.way = "hls";
	live.air.state = "waiting";
	const hls = new Hls(place?.hls_url || "", wish.sound ? live.way : null, {
		comes: does => void (live.air.state = does ? "live" : "break"),
		says: ({ start, text }) => {
			live.captions.add({ transcription_id: `hls ${start}`, language, text });
			live.captions.last = ""; // the text of HLS has no id
		} });
	if (place && wish.event)
		report(place, wish.language || place.language, hls);
	return hls;
}

/** Plays HLS while rooms and sockets are still tried. @param {import("./live.js").Live} live */
export const use_hls = live => live.known || (live.hls ||= hear_by_hls(live));

/**
 * The service has no free place, or the organiser prefers HLS: the page joins again only when nothing
 * comes, to learn that the event is over.
 * @param {import("./live.js").Live} live
 */
export async function stay_with_hls(live) {
	live.early?.close();
	live.early = null;
	do
		await nap(60000 + Math.random() * 240000);
	while (live.air.state === "live");
	live.place = null;
	return null;
}
