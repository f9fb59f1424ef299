// SPDX-License-Identifier: GPL-3.0-or-later
// The check of a microphone before going on the air: records five seconds, plays them to the
// speaker, and shows the text that was understood and its translations.  These come from a socket
// for speech to text that no listener hears.
import { byId, fill, make, nap, say, show } from "../shared/dom.js";
import { direction_of, t } from "../shared/i18n.js";

const LENGTH = 5000, LATE = 6000; // ms that are recorded, and in which the texts must come

/** @typedef {{ ws_url: string, token: string, from: string, to: string[] }} Place from: "" if it is not known */

/** @param {Int16Array} samples */
const bytes_of = samples => /** @type {ArrayBuffer} */ (samples.buffer);

/** Returns a WAV file. @param {Int16Array[]} pieces @param {number} rate */
export function wav_of(pieces, rate) {
	const bytes = pieces.reduce((sum, one) => sum + one.byteLength, 0), head = new DataView(new ArrayBuffer(44));
	const text = (/** @type {number} */ at, /** @type {string} */ word) => [...word].forEach((sign, i) => head.setUint8(at + i, sign.charCodeAt(0)));
	text(0, "RIFF");
	head.setUint32(4, 36 + bytes, true);
	text(8, "WAVEfmt ");
	[[16, 16], [24, rate], [28, 2 * rate]].forEach(([at, value]) => head.setUint32(at, value, true));
	[[20, 1], [22, 1], [32, 2], [34, 16]].forEach(([at, value]) => head.setUint16(at, value, true));
	text(36, "data");
	head.setUint32(40, bytes, true);
	return new Blob([head, ...pieces.map(bytes_of)], { type: "audio/wav" });
}

/** Opens a socket for speech to text. The texts' keys sort as the texts were said, the original first. @param {Place} place @param {number} rate @param {(key: string, language: string, text: string) => void} heard */
function open_texts({ ws_url, token, from, to }, rate, heard) {
	const query = new URLSearchParams({ token, format: "pcm_s16le", sample_rate: String(rate), language: from || "auto",
		...to.length > 0 && { translate_languages: to.slice(0, 10).join(",") } });
	const socket = new WebSocket(`${ws_url.replace(/\/streaming-api\/.*$/, "")}/asr/v1/speech-to-text/stream?${query}`);
	socket.binaryType = "arraybuffer";
	socket.onmessage = ({ data }) => {
		const { message_type: type, language, segment, transcription_id: id } = JSON.parse(data);
		const text = /transcription$/.test(type) && segment.text.replace(/ ?<fin>$/, "");
		if (text)
			heard(`${id} ${language === from ? "" : language}`, language, text);
	};
	return socket;
}

export class Check {
	/** @param {import("./microphone.js").Microphone} microphone @param {() => Place} place */
	constructor(microphone, place) {
		this.microphone = microphone;
		this.place = place;
		this.on = false;
		/** @type {Int16Array[]} */
		this.pieces = [];
		/** @type {WebSocket | null} */
		this.socket = null;
		/** @type {HTMLAudioElement | null} */
		this.sound = null;
		byId("hear").onclick = () => this.hear();
	}

	/** @param {Int16Array} samples */
	take_piece(samples) {
		if (!this.on)
			return;
		this.pieces.push(samples);
		if (this.socket && this.socket.readyState === WebSocket.OPEN)
			this.send_pieces();
	}

	send_pieces() {
		for (; this.sent < this.pieces.length; this.sent++)
			this.socket?.send(bytes_of(this.pieces[this.sent]));
	}

	/** The microphone must be open. */
	async run() {
		this.end();
		const mine = ++this.round, place = this.place();
		this.on = true;
		this.pieces = [];
		this.sent = 0;
		show("hear", false);
		fill(byId("understood"));
		if (place.ws_url && place.token) {
			this.socket = open_texts(place, this.microphone.rate, (key, language, text) => this.show(key, language, text));
			this.socket.onopen = () => this.send_pieces();
		}
		for (let left = LENGTH / 1000; left > 0 && mine === this.round; left--) {
			say("checked", t("speak.recording", { seconds: left }));
			await nap(1000);
		}
		if (mine !== this.round)
			return;
		this.on = false;
		show("hear", true);
		say("checked", t(byId("understood").firstChild ? "speak.wasunderstood" : this.socket ? "speak.waits" : "speak.recorded"));
		this.socket?.readyState === WebSocket.OPEN && this.socket.send(JSON.stringify({ message_type: "finalize" }));
		await nap(this.socket?.readyState === WebSocket.OPEN ? LATE : 0);
		if (mine !== this.round)
			return;
		say("checked", t(byId("understood").firstChild ? "speak.wasunderstood" : this.socket?.readyState === WebSocket.OPEN ? "speak.nothing" : "speak.recorded"));
		this.end();
	}

	/** @param {string} key @param {string} code of the language @param {string} text */
	show(key, code, text) {
		const rows = [.../** @type {HTMLCollectionOf<HTMLElement>} */ (byId("understood").children)];
		const row = rows.find(one => one.dataset.key === key) || make("p", { lang: code, dir: direction_of(code) === "rtl" ? "rtl" : "auto", "data-key": key });
		row.textContent = text;
		if (!row.parentNode)
			byId("understood").insertBefore(row, rows.find(one => (one.dataset.key || "") > key) || null);
		if (!this.on)
			say("checked", t("speak.wasunderstood"));
	}

	hear() {
		if (this.sound)
			URL.revokeObjectURL(this.sound.src);
		this.sound = new Audio(URL.createObjectURL(wav_of(this.pieces, this.microphone.rate)));
		this.sound.play().catch(() => {});
	}

	/** Ends a check that is running, such as before going on the air. */
	end() {
		this.round++;
		this.on = false;
		this.socket?.close();
		this.socket = null;
		this.sound?.pause();
	}

	round = 0;
	sent = 0;
}
