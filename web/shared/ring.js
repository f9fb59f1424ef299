// SPDX-License-Identifier: GPL-3.0-or-later
// The worklet that plays the sound decoded by sound.js. Late sound is played faster at the same
// pitch: it skips a piece as long as one or more periods of the voice, and cross-fades where both
// sides are most alike (SOLA: Roucos and Wilgus, 1985). When it is much too late, it skips to the
// newest phrase.

const HELD = 20;    // s of sound in the ring
const AHEAD = 3;    // s of unplayed sound that the service sends ahead
const LATE = 1.5, LOST = 6; // s too late: from LATE on it plays faster, from LOST on it skips
const FADE = 0.006, SHORTEST = 0.004, LONGEST = 0.016; // s: length of the cross-fade; shortest and longest skipped piece

registerProcessor("ring", class extends AudioWorkletProcessor {
	constructor() {
		super();
		this.held = new Float32Array(sampleRate * HELD);
		this.read = this.write = 0; // positions in samples since the beginning
		/** @type {{ id: string, at: number }[]} positions at which phrases begin */
		this.phrases = [];
		this.ended = true;  // the last phrase is complete
		this.starts = true; // wait for some sound, so that the next piece arrives in time
		this.starved = 0;   // samples of silence played because a phrase was incomplete
		this.gap = false;   // such a silence is being played
		this.seam = 0;      // position of the last skipped piece
		this.left_out = 0;  // samples skipped there
		this.port.onmessage = ({ data }) => {
			if (data.clear)
				this.clear();
			else
				this.add(data);
		};
	}

	clear() {
		this.read = this.write;
		this.phrases = [];
		this.ended = this.starts = true;
		this.gap = false;
		this.starved = 0;
	}

	get late() {
		return Math.max((this.write - this.read) / sampleRate - AHEAD, this.starved / sampleRate);
	}

	/** @param {{ samples: Float32Array, phrase: string, last: boolean }} piece */
	add({ samples, phrase, last }) {
		if (this.phrases.length === 0 || this.phrases[this.phrases.length - 1].id !== phrase)
			this.phrases.push({ id: phrase, at: this.write });
		for (const sample of samples)
			this.held[this.write++ % this.held.length] = sample;
		this.ended = last;
		if (this.late > LOST || this.write - this.read > this.held.length)
			this.skip();
	}

	skip() {
		const { at } = this.phrases[this.phrases.length - 1];
		this.read = Math.max(this.read, at, this.write - LOST * sampleRate);
		this.starved = 0;
		this.port.postMessage({ skipped: true });
	}

	/** @param {number} at */
	sample(at) {
		return this.held[at % this.held.length];
	}

	// Returns the length of the piece to skip: that after which the sound is most like the
	// sound at its beginning.
	period() {
		const fade = Math.round(FADE * sampleRate), longest = Math.round(LONGEST * sampleRate);
		let best = 0, length = longest;
		for (let n = Math.round(SHORTEST * sampleRate); n <= longest; n += 2) {
			let product = 0, energy = 1e-6;
			for (let i = 0; i < fade; i += 4) {
				const other = this.sample(this.read + n + i);
				product += this.sample(this.read + i) * other;
				energy += other * other;
			}
			if (product / Math.sqrt(energy) > best) {
				best = product / Math.sqrt(energy);
				length = n;
			}
		}
		return length;
	}

	// Skips a piece at the read position and writes the cross-fade at the new one.
	splice() {
		const fade = Math.round(FADE * sampleRate), n = this.period();
		for (let i = 0; i < fade; i++) {
			const part = i / fade, to = (this.read + n + i) % this.held.length;
			this.held[to] = (1 - part) * this.sample(this.read + i) + part * this.held[to];
		}
		this.read += n;
		this.starved = Math.max(0, this.starved - n);
		this.seam = this.read;
		this.left_out = n;
	}

	hurry() {
		const speed = Math.min(1.25, 1.1 + Math.max(0, this.late - LATE) * 0.05);
		if (this.read - this.seam > this.left_out / (speed - 1) && this.write - this.read > 0.05 * sampleRate)
			this.splice();
	}

	/** @param {Float32Array[][]} _ @param {Float32Array[][]} outputs */
	process(_, outputs) {
		const [out] = outputs[0];
		const there = this.write - this.read;
		if (this.starts && (this.ended ? there === 0 : there < 0.15 * sampleRate)) {
			this.starved += this.gap ? out.length : 0;
			return true;
		}
		this.starts = this.gap = false;
		if (this.late > LATE)
			this.hurry();
		const n = Math.min(out.length, this.write - this.read);
		for (let i = 0; i < n; i++)
			out[i] = this.sample(this.read++);
		if (n < out.length)
			this.starve(out.length - n);
		while (this.phrases.length > 1 && this.phrases[1].at <= this.read)
			this.phrases.shift();
		return true;
	}

	/** @param {number} n */
	starve(n) {
		if (this.ended) {
			this.starts = true;
			this.starved = 0;
			this.port.postMessage({ drained: true });
		} else {
			this.starts = this.gap = true;
			this.starved += n;
		}
	}
});
