// SPDX-License-Identifier: GPL-3.0-or-later
// Records the microphone: sound in pieces, its level, and advice.
import { asset } from "../shared/api.js";
import { keep_running, on_signs } from "../shared/awake.js";

const RATE = 24000;
const QUIET_BELOW = 0.03;   // the loudest sample of speech is above this
const SILENT_BELOW = 0.001;
const LONG = 16;      // number of pieces that advice() uses: 5 s

export class Microphone {
	/** @param {{ piece: (samples: Int16Array) => void, gone: () => void,
	 *   advice: (word: string) => void, interrupted?: (is: boolean) => void }} listener gone:
	 *   called when the device or its track ended
	 */
	constructor(listener) {
		this.listener = listener;
		/** @type {MediaStream | null} */
		this.stream = null;
		/** @type {AudioContext | null} */
		this.context = null;
		/** @type {{ height: number, clipped: number }[]} the last pieces */
		this.past = [];
		this.quiet = false;
		this.stopped = this.muted = false; // stopped: the context, muted: the track; by a call, an alarm or the system
	}

	/** @param {{ device?: string, noise: boolean, echo: boolean }} how */
	async open({ device, noise, echo }) {
		if (!navigator.mediaDevices)
			throw new Error("https");
		this.stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, noiseSuppression: noise,
			echoCancellation: echo, ...device ? { deviceId: { exact: device } } : {} } });
		const { context, source } = this.connect(this.stream);
		this.context = context;
		await context.audioWorklet.addModule(asset("speak/pieces.js"));
		const pieces = new AudioWorkletNode(context, "pieces", { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" });
		pieces.port.onmessage = ({ data }) => this.take(data);
		source.connect(pieces);
		this.meter = new AnalyserNode(context, { fftSize: 1024 });
		source.connect(this.meter);
		await context.resume();
		this.past = [];
		this.watch(context, this.stream.getAudioTracks()[0]);
	}

	/** @param {AudioContext} context @param {MediaStreamTrack} track */
	watch(context, track) {
		const { signal } = this.watching = new AbortController();
		const tell = () => this.listener.interrupted?.(this.stopped || this.muted);
		keep_running(context, () => context === this.context, is => (this.stopped = is, tell()), signal);
		const look = () => (this.muted = track.muted, tell());
		track.addEventListener("mute", look, { signal });
		track.addEventListener("unmute", look, { signal });
		track.addEventListener("ended", () => this.listener.gone(), { signal });
		// Some browsers do not report a track that ended while the page slept.
		on_signs(() => track.readyState === "ended" && this.listener.gone(), signal);
		look();
	}

	/** @param {MediaStream} stream */
	connect(stream) {
		try {
			const context = new AudioContext({ sampleRate: RATE });
			return { context, source: context.createMediaStreamSource(stream) };
		} catch { // some browsers do not convert the rate
			const context = new AudioContext();
			return { context, source: context.createMediaStreamSource(stream) };
		}
	}

	get rate() {
		return this.context ? this.context.sampleRate : RATE;
	}

	get track() {
		return this.stream ? this.stream.getAudioTracks()[0] : null;
	}

	/** @param {{ samples: Int16Array, height: number, clipped: number }} piece */
	take({ samples, height, clipped }) {
		if (this.quiet)
			return;
		this.past = [...this.past, { height, clipped }].slice(-LONG);
		this.listener.advice(this.advice());
		this.listener.piece(samples);
	}

	/** Returns "", "clipped", "silent" or "quiet". */
	advice() {
		const loudest = Math.max(...this.past.map(one => one.height));
		if (this.past.reduce((sum, one) => sum + one.clipped, 0) > 20)
			return "clipped";
		if (this.past.length < LONG)
			return "";
		return loudest < SILENT_BELOW ? "silent" : loudest < QUIET_BELOW ? "quiet" : "";
	}

	/** The current peak level, 0 to 1. */
	level() {
		if (!this.meter || this.quiet)
			return 0;
		const samples = new Float32Array(this.meter.fftSize);
		this.meter.getFloatTimeDomainData(samples);
		return Math.max(...samples.map(Math.abs));
	}

	/** @param {boolean} quiet */
	mute(quiet) {
		this.quiet = quiet;
		this.past = [];
		if (this.track)
			this.track.enabled = !quiet;
	}

	/** Lists the available microphones. */
	async devices() {
		const all = navigator.mediaDevices ? await navigator.mediaDevices.enumerateDevices() : [];
		return all.filter(one => one.kind === "audioinput" && one.deviceId);
	}

	close() {
		this.watching?.abort();
		this.watching = undefined;
		this.stopped = this.muted = false;
		this.listener.interrupted?.(false);
		if (this.stream)
			this.stream.getTracks().forEach(track => track.stop());
		if (this.context)
			this.context.close();
		this.stream = this.context = null;
		this.meter = undefined;
		this.quiet = false;
	}
}
