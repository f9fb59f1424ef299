// SPDX-License-Identifier: GPL-3.0-or-later
// Records half a minute of the microphone as a WAV file.
import { make, say, show } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { Microphone } from "../speak/microphone.js";
import { button, tell } from "./words.js";

export const ENOUGH = 30; // s; the page warns of shorter recordings
const LONGEST = 31;          // s
const SHORTEST = 3;          // s; the page refuses shorter recordings

/** @param {Int16Array[]} pieces @param {number} rate in Hz @returns {Blob} mono, 16 bits */
function wav_of(pieces, rate) {
	const bytes = pieces.reduce((sum, one) => sum + one.byteLength, 0), head = new DataView(new ArrayBuffer(44));
	const text = (/** @type {number} */ at, /** @type {string} */ word) => [...word].forEach((letter, i) => head.setUint8(at + i, letter.charCodeAt(0)));
	text(0, "RIFF");
	head.setUint32(4, 36 + bytes, true);
	text(8, "WAVEfmt ");
	head.setUint32(16, 16, true);
	head.setUint16(20, 1, true); // PCM
	head.setUint16(22, 1, true);
	head.setUint32(24, rate, true);
	head.setUint32(28, 2 * rate, true);
	head.setUint16(32, 2, true);
	head.setUint16(34, 16, true);
	text(36, "data");
	head.setUint32(40, bytes, true);
	return new Blob([head, .../** @type {Int16Array<ArrayBuffer>[]} */ (pieces)], { type: "audio/wav" });
}

/**
 * Makes a record button, the level and the duration.
 * @param {AbortSignal} signal @param {(sound: Blob) => void} done
 */
export function recorder(signal, done) {
	/** @type {Int16Array[]} */
	let pieces = [];
	let seconds = 0, timer = 0;
	const level = make("meter", { min: 0, max: 1, low: 0.03, high: 0.97, optimum: 0.4, "aria-label": t("console.level") });
	const bar = make("progress", { max: ENOUGH, value: 0, "aria-label": t("console.recording") }), told = make("p", { role: "status" }), advice = make("p", { role: "status", class: "bad" });
	const running = make("div", { hidden: true }, bar, told, level, advice);
	const microphone = new Microphone({ gone: () => stop(), advice: word => say(advice, word ? t(`console.advice.${word}`) : ""), piece: samples => {
		pieces.push(samples);
		seconds += samples.length / microphone.rate;
		bar.value = seconds;
		say(told, t("console.recorded", { seconds: Math.floor(seconds), most: ENOUGH }));
		if (seconds >= LONGEST)
			stop();
	} });
	const press = button(t("console.record"), () => microphone.stream ? stop() : start(), "strong");
	const shown = (/** @type {boolean} */ on) => {
		show(running, on);
		say(press, on ? t("console.stop_recording") : t("console.record"));
	};
	const start = async () => {
		pieces = [];
		seconds = 0;
		try {
			await microphone.open({ noise: false, echo: false });
		} catch (error) {
			microphone.close();
			const why = /** @type {Error} */ (error).message;
			return tell(why === "https" ? t("console.needs_https") : t("console.no_microphone", { why }), true);
		}
		if (signal.aborted)
			return microphone.close();
		timer = setInterval(() => (level.value = microphone.level()), 100);
		shown(true);
	};
	const stop = () => {
		const rate = microphone.rate;
		clearInterval(timer);
		microphone.close();
		shown(false);
		if (signal.aborted)
			return;
		if (seconds < SHORTEST)
			return tell(t("console.problem.sample-too-short"), true);
		done(wav_of(pieces, rate));
	};
	signal.addEventListener("abort", stop);
	return make("div", { class: "record" }, make("p", null, t("console.record_how")), make("div", { class: "row" }, press), running);
}
