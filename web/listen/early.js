// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the texts of a live hall while its listener is still at the door, so that they are shown at
// once. The service does not count such a preview as a listener.
import { first_language } from "./door.js";
import { read_texts } from "./line.js";

const HELD = 30000; // ms that texts wait for the listener

/** @typedef {(type: string, data: any) => void} Hear */

export class Early {
	/** @param {import("../shared/event.js").PublicEvent} event its request has begun @param {string | null} preferred language */
	constructor(event, preferred) {
		/** @type {[string, any][]} */
		this.texts = [];
		/** @type {Hear} */
		this.hear = (type, data) => void this.texts.push([type, data]);
		this.closed = false;
		/** @type {import("../shared/socket.js").Socket | null} */
		this.socket = null;
		this.language = this.stage = "";
		this.timer = setTimeout(() => this.close(), HELD);
		this.begin(event, preferred).catch(() => {}); // the door reports the failure
	}

	/** @param {import("../shared/event.js").PublicEvent} event @param {string | null} preferred */
	async begin(event, preferred) {
		const view = await event.begun, halls = view ? event.stages(view).filter(one => one.channels.length > 0) : [];
		if (halls.length !== 1 || halls[0].status !== "live" || this.closed)
			return;
		this.stage = event.stage || "";
		this.language = first_language(event.languages(/** @type {any} */ (view)), preferred).first;
		const place = await event.join(this.language, "preview");
		if (!this.closed)
			this.socket = read_texts(place, this.language, "", (type, data) => this.hear(type, data));
	}

	/**
	 * Passes the texts to a listener of the same language and hall. Returns false for another one.
	 * @param {import("./live.js").Wish} wish @param {Hear} hear
	 */
	take({ event, language }, hear) {
		clearTimeout(this.timer);
		if (this.closed || !event || (event.stage || "") !== this.stage || language !== this.language)
			return this.close(), false;
		this.hear = hear;
		this.texts.forEach(text => hear(...text));
		return true;
	}

	close() {
		this.closed = true;
		clearTimeout(this.timer);
		this.socket?.close();
	}
}
