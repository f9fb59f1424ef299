// SPDX-License-Identifier: GPL-3.0-or-later
// One language of the screen: its lines, and its own connection, which reconnects for ever.
import { Captions } from "../shared/captions.js";
import { make } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { Socket } from "../shared/socket.js";
import { Stream } from "../shared/stream.js";

const AGAIN = 5000; // ms between two requests for an event

export class Board {
	/**
	 * @param {import("../shared/event.js").PublicEvent | null} event @param {URLSearchParams} link @param {string} language
	 * @param {{ delay: number, name: string, colour?: string, sample?: string, said: () => void, state: (is: string) => void }} page delay: seconds; name: code of the language; said: called for
	 *   each text; state: of the hall
	 */
	constructor(event, link, language, page) {
		this.event = event;
		this.page = page;
		this.link = link;
		this.language = language;
		this.delay = page.delay * 1000;
		/** @type {import("../shared/event.js").Place | null} */
		this.place = null;
		const list = make("div", { role: "log", "aria-live": "off" }), partial = make("p", { class: "partial", "aria-hidden": "true" });
		this.element = make("section", { class: "board", lang: language === "original" ? null : language },
			make("b", { dir: "auto" }, page.name ? name_of(page.name, true) : t("screen.original")), make("div", { class: "view" }, list, partial));
		if (page.colour)
			this.element.style.setProperty("--said", page.colour);
		this.captions = new Captions(list, partial, { most: 12 });
		this.stream = this.connect(!page.sample);
		if (page.sample)
			this.sample(page.sample);
	}

	/** Shows a text as if it was said, to look at the letters. @param {string} text */
	sample(text) {
		for (let i = 0; i < 12; i++)
			this.captions.add({ transcription_id: `sample ${i}`, text, language: this.language, segments: [] });
	}

	/** @param {boolean} dials */
	connect(dials = true) {
		const stream = new Stream({ dial: (refused, reason) => this.dial(refused, reason), heard: (type, data) => this.hear(type, data),
			opened: () => {}, lost: () => {}, ended: () => this.again() });
		if (dials)
			stream.dial();
		return stream;
	}

	// Joins again: the channel ended or the token expired, and there may be a new one.
	again() {
		this.stream.stop();
		this.place = null;
		setTimeout(() => this.stream = this.connect(), AGAIN);
	}

	/** @param {number} refused @param {string} reason */
	async dial(refused, reason) {
		const { event, link } = this;
		if (!event)
			this.place = /** @type {any} */ ({ ws_url: link.get("ws_url") || "", token: link.get("token") || "" });
		else if (!this.place || reason === "other node" || refused % 3 === 2)
			this.place = await event.join(this.language, "screen");
		const place = /** @type {import("../shared/event.js").Place} */ (this.place);
		return new Socket(place.ws_url, { token: place.token, language: this.language, audio: "0", since: this.captions.last });
	}

	/** @param {string} type @param {any} data */
	hear(type, data) {
		const show = () => this.show(type, data);
		if (this.delay > 0 && !(type === "channel_state" && data.state === "stopped"))
			setTimeout(show, this.delay);
		else
			show();
	}

	/** @param {string} type @param {any} data */
	show(type, data) {
		if (type === "channel_state") {
			if (data.state === "stopped")
				this.captions.clear();
			return this.page.state(data.state);
		}
		if (type === "validated_transcription" || type === "translated_transcription")
			this.captions.add(data.transcription);
		else if (/^partial_.*transcription$/.test(type))
			this.captions.show_partial(data.transcription);
		else
			return;
		this.page.said();
	}
}
