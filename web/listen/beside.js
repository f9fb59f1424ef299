// SPDX-License-Identifier: GPL-3.0-or-later
// Shows texts of the original beside those of the translation.
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

/** @param {import("./live.js").Live} live @param {boolean} both */
export function show_both(live, both) {
	if (live.other)
		live.other.stop();
	document.body.classList.toggle("both", both);
	live.other = both && live.place ? beside(live.place, text => live.wish.language !== "original" && live.captions.add(text)) : null;
}
