// SPDX-License-Identifier: GPL-3.0-or-later
// Speech that the socket receives: Opus, decoded by the browser (WebCodecs) and played by ring.js
// at 48 kHz.
const RATE = 48000, PACKET = 20000; // microseconds of a packet
const OPUS = { codec: "opus", sampleRate: RATE, numberOfChannels: 1 };

export class Sound {
	/** True when this browser can decode and play it. */
	static async suits() {
		return "AudioDecoder" in window && "AudioWorkletNode" in window &&
			await AudioDecoder.isConfigSupported(OPUS).then(({ supported }) => !!supported, () => false);
	}

	constructor() {
		this.context = new AudioContext({ sampleRate: RATE });
		this.gain = new GainNode(this.context);
		this.gain.connect(this.context.destination);
		this.stamp = 0;
		this.skipped = 0; // number of skips to the newest phrase
		/**
		 * @type {Map<number, { phrase: string, last: boolean }>} phrase of each packet, by
		 * the packet's time
		 */
		this.known = new Map();
		/** @type {AudioWorkletNode | null} */
		this.ring = null;
		this.ready = this.open();
		this.playing = false;
	}

	async open() {
		await this.context.audioWorklet.addModule(new URL(`ring.js${new URL(import.meta.url).search}`, import.meta.url));
		const ring = this.ring = new AudioWorkletNode(this.context, "ring", { numberOfInputs: 0, outputChannelCount: [1] });
		ring.port.onmessage = ({ data }) => {
			this.skipped += data.skipped ? 1 : 0;
			this.playing = data.drained ? false : this.playing;
		};
		ring.connect(this.gain);
		this.decode();
		await this.context.resume();
	}

	decode() {
		const mine = this.decoder = new AudioDecoder({
			output: sound => {
				const samples = new Float32Array(sound.numberOfFrames);
				sound.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
				const of = this.known.get(sound.timestamp) || { phrase: "", last: false };
				this.known.delete(sound.timestamp);
				sound.close();
				if (mine === this.decoder)
					this.put(samples, of.phrase, of.last);
			},
			error: () => mine === this.decoder && this.decode(),
		});
		mine.configure(OPUS);
	}

	/** @param {Float32Array} samples @param {string} phrase @param {boolean} last */
	put(samples, phrase, last) {
		if (!this.ring)
			return;
		this.playing = true;
		this.ring.port.postMessage({ samples, phrase, last }, [samples.buffer]);
	}

	/** Plays a message output_audio_data: packets of 20 ms, each after its length.
	 * @param {{ format?: string, data: string, transcription_id: string, last_chunk: boolean }} piece
	 */
	play({ format, data, transcription_id: phrase, last_chunk: last }) {
		if (!this.ring || !this.decoder || this.context.state !== "running" || format !== "opus")
			return;
		const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0));
		const view = new DataView(bytes.buffer);
		let at = 0;
		for (; at + 2 < bytes.length; at += 2 + view.getUint16(at)) {
			const final = last && at + 2 + view.getUint16(at) + 2 >= bytes.length;
			this.known.set(this.stamp, { phrase, last: final });
			this.decoder.decode(new EncodedAudioChunk({ type: "key", timestamp: this.stamp,
				data: bytes.subarray(at + 2, at + 2 + view.getUint16(at)) }));
			this.stamp += PACKET;
		}
		if (last && at === 0)
			this.decoder.flush().then(() => this.put(new Float32Array(0), phrase, true), () => {});
	}

	/** @param {number} volume 0 to 1 */
	set_volume(volume) {
		this.gain.gain.value = volume;
	}

	/** Discards the sound that was not played yet. */
	hush() {
		if (this.ring)
			this.ring.port.postMessage({ clear: true });
		this.playing = false;
	}

	/** @param {boolean} pause */
	async pause(pause) {
		this.hush();
		await (pause ? this.context.suspend() : this.context.resume());
	}

	close() {
		if (this.decoder && this.decoder.state !== "closed")
			this.decoder.close();
		this.decoder = undefined;
		this.ring = null;
		this.context.close().catch(() => {});
	}
}
