// SPDX-License-Identifier: GPL-3.0-or-later
// Receives sound and texts by HLS, RFC 8216: over plain HTTP only, some seconds later than over a
// socket.

/** @param {number} ms */
const nap = ms => new Promise(done => setTimeout(done, ms));

const TYPE = 'audio/mp4; codecs="mp4a.40.2"';
const BEHIND = 3; // begin at this segment from the end
const LATE = 24, NEAR = 10; // s of unplayed sound at which the player jumps, and s that remain after the jump
const QUIET = 20000; // ms without a new segment after which the hall is shown as silent

/**
 * The state of a rendition.
 * @typedef {object} List
 * @property {string} url
 * @property {number} [first] number of its newest segment at the first read
 * @property {number} [done] number of the last segment that was loaded
 * @property {number} [part] number of discontinuities before that segment
 */
/** @typedef {{ start: number, text: string }} Cue */

/** @param {string} url */
async function fetched(url) {
	const answer = await fetch(url, { credentials: "omit" });
	if (answer.ok)
		return answer;
	answer.body?.cancel(); // frees the connection
	throw new Error(`${url}: ${answer.status}`);
}

/** @param {List} list */
async function segments_of(list) {
	const text = await (await fetched(list.url)).text();
	const count = (/** @type {string} */ tag) => Number(new RegExp(`#EXT-X-${tag}-SEQUENCE:(\\d+)`).exec(text)?.[1] || 0);
	let number = count("MEDIA"), part = count("DISCONTINUITY"), head = "", gap = false;
	const found = [];
	for (const line of text.split("\n")) {
		head = /#EXT-X-MAP:URI="([^"]+)"/.exec(line)?.[1] || head;
		part += Number(line === "#EXT-X-DISCONTINUITY");
		gap ||= line === "#EXT-X-GAP";
		if (line && !line.startsWith("#")) {
			if (!gap)
				found.push({ number, part, url: new URL(line, list.url).href, head: head && new URL(head, list.url).href });
			number++;
			gap = false;
		}
	}
	return found;
}

// Does nothing before the playlist grows: its present segments may be of an earlier day.
/** @param {List} list */
async function new_segments(list) {
	const all = await segments_of(list), newest = all.length > 0 ? all[all.length - 1].number : 0;
	list.first ??= newest;
	if (newest === list.first)
		return [];
	const { done = newest - BEHIND } = list;
	list.done = newest;
	return all.filter(one => one.number > done);
}

/** @param {string} vtt */
function cues_of(vtt) {
	/** @type {Cue[]} */
	const cues = [];
	for (const block of vtt.split("\n\n")) {
		const [, h, m, s, text] = /^(\d+):(\d\d):(\S+) --> .*\n([^]*)/.exec(block) || [];
		if (text)
			cues.push({ start: Number(h) * 3600 + Number(m) * 60 + Number(s),
				text: text.trim().replace(/\n/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&") });
	}
	return cues;
}

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
		this.timer = setInterval(() => this.show_cues(), 250);
		this.follow();
	}

	async follow() {
		/** @type {List | null} */
		let sound = null;
		/** @type {List | null} */
		let text = null;
		for (; !this.closed; await nap(2000)) {
			try {
				if (!sound || !text) {
					const index = await (await fetched(this.url)).text();
					const uri = (/** @type {string} */ type) =>
						new URL(new RegExp(`TYPE=${type},.*URI="([^"]+)"`).exec(index)?.[1] || "", this.url).href;
					[sound, text] = [{ url: uri("AUDIO") }, { url: uri("SUBTITLES") }];
					await this.open();
				}
				await this.take(sound, text);
			} catch {
				// A request failed, or there is no speech yet.
			}
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

	/** @param {List} sound @param {List} text */
	async take(sound, text) {
		const pieces = await new_segments(sound);
		for (const { url, head, part } of pieces) {
			if (part !== sound.part) {
				this.last_start = -1; // the stream started again; its clock may have, too
				await this.append(head);
			}
			sound.part = part;
			await this.append(url);
		}
		for (const { url } of await new_segments(text))
			for (const cue of cues_of(await (await fetched(url)).text()))
				if (cue.start > this.last_start) { // a cue that spans two segments is in both
					this.last_start = cue.start;
					this.cues.push({ ...cue, start: this.buffer ? cue.start + this.buffer.timestampOffset : 0 });
				}
		if (pieces.length > 0)
			this.came = Date.now();
		if (this.came > 0)
			this.listener.comes(Date.now() < this.came + QUIET);
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
		if (this.waiting > LATE)
			audio.currentTime += this.waiting - NEAR;
		if (audio.currentTime > 2 * LATE) {
			buffer.remove(0, audio.currentTime - LATE);
			await done();
		}
		way.resume();
	}

	/** Seconds of sound that are not played yet. */
	get waiting() {
		const ranges = this.buffer?.buffered;
		return ranges && ranges.length > 0 && this.way ? ranges.end(ranges.length - 1) - this.way.audio.currentTime : 0;
	}

	show_cues() {
		const now = this.buffer && this.way ? this.way.audio.currentTime : Infinity;
		while (this.cues.length > 0 && this.cues[0].start <= now)
			this.listener.says(/** @type {Cue} */ (this.cues.shift()));
	}

	/** Plays the received sound to its end. */
	async drain() {
		for (let i = 0; i < 2 * LATE && this.waiting > 0.5; i++)
			await nap(500);
	}

	close() {
		this.closed = true;
		clearInterval(this.timer);
		if (this.way)
			this.way.audio.removeAttribute("src");
	}
}

/** @param {import("./live.js").Live} live */
export function hear_by_hls(live) {
	const language = live.wish.language === "original" ? "" : live.wish.language;
	document.body.dataset.way = "hls";
	live.air.state = "waiting";
	return new Hls(live.place?.hls_url || "", live.wish.sound ? live.way : null, {
		comes: does => void (live.air.state = does ? "live" : "break"),
		says: ({ start, text }) => {
			live.captions.add({ transcription_id: `hls ${start}`, language, text });
			live.captions.last = ""; // the text of HLS has no id
		} });
}
