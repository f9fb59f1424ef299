// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a line to the service: a room if possible, else a socket.
import { Socket } from "../shared/socket.js";

/** @typedef {import("./live.js").Live} Live */
/** @typedef {import("../shared/event.js").Place} Place */

const FROM_BEFORE = "0000000000000000"; // an id before all texts: the server sends the last fifty

/** Returns the id after which texts must be sent. @param {Live} live */
const since = live => live.captions.last || FROM_BEFORE;

/** Joins the event, unless the present place is good. @param {Live} live @param {number} refused @param {string} reason */
export async function find_place(live, refused, reason) {
	const { event, link, language } = live.wish;
	if (link)
		live.place = /** @type {any} */ ({ token: link.get("token"), ws_url: link.get("ws_url"), webrtc_url: link.get("webrtc_url") });
	else if (event && (!live.place || reason === "other node" || refused % 3 === 2))
		live.place = await event.join(language || "original", "listener");
	return /** @type {Place} */ (live.place);
}

/**
 * Opens a socket for texts alone.
 * @param {Place} place @param {string} language @param {string} after id of the last known text @param {import("./early.js").Hear} hear
 */
export function read_texts(place, language, after, hear) {
	const socket = new Socket(place.ws_url, { token: place.token, language, since: after || FROM_BEFORE, audio: "0" });
	socket.onmessage = (/** @type {string} */ type, /** @type {any} */ data) => /transcription$/.test(type) && hear(type, data);
	return socket;
}

/** @param {Live} live @param {Place} place @returns a promise of null without a room */
export async function enter_room(live, place) {
	if (!live.known)
		live.early ||= read_texts(place, live.wish.language, live.captions.last, (type, data) => live.hear(type, data)); // while the way for sound is chosen
	const { Room } = await import("../shared/room.js");
	if (!await Room.admits(place.webrtc_url, place.token))
		return null;
	const room = new Room(place.webrtc_url || "", place.token, null, since(live));
	room.ontracks = () => room.open && live.way.play_tracks(room.tracks);
	return room;
}

/** @param {Live} live @param {Place} place */
export async function open_socket(live, place) {
	const { wish, way, janus } = live;
	live.next = !wish.sound ? "none" : janus && janus.linked ? "janus" : await way.otherwise();
	return new Socket(place.ws_url, { token: place.token, language: wish.language, since: since(live),
		audio: live.next === "socket" ? "" : "0", format: live.next === "socket" && "opus" });
}
