// SPDX-License-Identifier: GPL-3.0-or-later
// An event as its audience sees it: its public view, and joining it.
import { post, request } from "./api.js";
import { keep } from "./dom.js";

/** @typedef {{ stage_id: string, name: string, status: string, channels: Channel[] }} Stage */
/** @typedef {{ channel_id: string, source_language: string | null, target_languages: string[] }} Channel */
/** @typedef {{ stage_id: string, title: string, utc_start_dt: string, utc_end_dt: string, speakers: { name: string }[] }} Item */
/** @typedef {{ event_id: string, title: string, utc_start_dt: string, utc_end_dt: string, location?: string, join_code?: string, sessions?: Item[],
 *   cover_image_url?: string, lifecycle_status: string, listener_language_mode: string, transcript?: string, stages: Stage[] }} Event */
/** @typedef {{ token: string, ws_url: string, webrtc_url: string | null, hls_url: string | null, listen_by?: "hls", listener_id: string, language: string }} Place */

/** Returns the path of an event's public routes. @param {string} id */
export const path_of = id => `saas/v2/event/public/${encodeURIComponent(id)}`;

/**
 * Returns the id of a link without characters that a chat or mail program inserted.
 * @param {string} text
 */
export function id_of_link(text) {
	const plain = text.replace(/[\u00ad\u200b-\u200f\u2060\ufeff\s]/g, "");
	return (/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(plain) || [plain])[0];
}

export class PublicEvent {
	/** @param {string} id @param {string | null} stage @param {string} code */
	constructor(id, stage, code) {
		this.id = id_of_link(id);
		this.stage = stage && id_of_link(stage);
		this.code = code || keep("tab", `code ${this.id}`) || "";
		/** @type {Promise<Event> | undefined} */
		this.begun = undefined;
	}

	/** Starts the request, for the first call of read(). */
	begin() {
		this.begun = this.read(true);
		this.begun.catch(() => {}); // read() reports the error
		return this;
	}

	/** @param {boolean} [preloaded] @returns {Promise<Event>} */
	async read(preloaded) {
		const { begun } = this;
		this.begun = undefined;
		if (begun)
			return begun;
		const { data: event } = await request("GET", path_of(this.id), { open: true, query: { code: this.code }, preloaded });
		if (this.code)
			keep("tab", `code ${this.id}`, this.code);
		return event;
	}

	/** Returns the stage that the link names, else all. @param {Event} event */
	stages(event) {
		const named = event.stages.filter(one => one.stage_id === this.stage);
		return named.length > 0 ? named : event.stages;
	}

	/** Returns the available target languages and the spoken languages. @param {Event} event */
	languages(event) {
		const channels = this.stages(event).flatMap(one => one.channels);
		return { targets: [...new Set(channels.flatMap(one => one.target_languages))],
			spoken: [...new Set(channels.map(one => one.source_language || "").filter(Boolean))], any: channels.length > 0 };
	}

	/**
	 * Joins the event. Joining again as the same listener counts once.
	 * @param {string} language @param {"listener" | "preview" | "screen"} kind @returns {Promise<Place>}
	 */
	async join(language, kind) {
		const key = `${kind} ${this.id}`;
		const place = await post(`${path_of(this.id)}/join`, { language, kind, stage_id: this.stage,
			listener_id: keep("tab", key) }, { open: true, query: { code: this.code } });
		keep("tab", key, place.listener_id);
		return place;
	}

	/**
	 * Requests a language. Returns the number of requests so far.
	 * @param {string} language @returns {Promise<number>}
	 */
	async ask_for(language) {
		const { request_count } = await post(`${path_of(this.id)}/requests`, { type: "add_language", payload: { language },
			listener_id: keep("tab", `listener ${this.id}`) }, { open: true, query: { code: this.code } });
		return request_count;
	}
}
