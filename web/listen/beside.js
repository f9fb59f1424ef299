// Texts of the original beside those of a translation; and texts before there is sound.
import { Socket } from "../shared/socket.js";
import { Stream } from "../shared/stream.js";

/** @param {import("../shared/event.js").Place} place @param {(text: import("../shared/captions.js").Text) => void} add */
function beside(place, add) {
	const stream = new Stream({ opened: () => {}, lost: () => {}, ended: () => {},
		dial: async () => new Socket(place.ws_url, { token: place.token, language: "original", audio: "0" }),
		heard: (type, data) => type === "validated_transcription" && add(data.transcription) });
	stream.dial();
	return stream;
}

/**
 * Texts need not wait for a way for sound.
 * @param {import("../shared/event.js").Place} place @param {string} language @param {string} since a text @param {(type: string, data: any) => void} hear
 */
export function read_early(place, language, since, hear) {
	const socket = new Socket(place.ws_url, { token: place.token, language, since, audio: "0" });
	socket.onmessage = (/** @type {string} */ type, /** @type {any} */ data) => /transcription$/.test(type) && hear(type, data);
	return socket;
}

/** @param {import("./live.js").Live} live @param {boolean} both */
export function show_both(live, both) {
	if (live.other)
		live.other.stop();
	document.body.classList.toggle("both", both);
	live.other = both && live.place ? beside(live.place, text => live.wish.language !== "original" && live.captions.add(text)) : null;
}
