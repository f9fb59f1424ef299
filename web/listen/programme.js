// SPDX-License-Identifier: GPL-3.0-or-later
// While listeners wait: the organiser's picture, and the sessions of the hall now, next and later.
import { now } from "../shared/api.js";
import { make } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { load_parts } from "./parts.js";

/** @typedef {import("../shared/event.js").Event} Event */

const MOST = 12; // items of the agenda that are shown

/** @param {import("../shared/event.js").Item} item @param {string} word */
function row(item, word) {
	const speakers = item.speakers.map(one => one.name).join(", ");
	return make("li", null, make("small", { class: "soft" }, `${word ? `${word} · ` : ""}${time(item.utc_start_dt, undefined, item.utc_end_dt)}`),
		make("b", { dir: "auto" }, item.title), speakers && make("span", { class: "soft", dir: "auto" }, speakers));
}

/** @param {Event} view @param {string | null} stage */
export async function programme(view, stage) {
	await load_parts();
	const coming = (view.sessions || []).filter(one => (!stage || one.stage_id === stage) && Date.parse(one.utc_end_dt) > now()).slice(0, MOST);
	const next = coming.find(one => Date.parse(one.utc_start_dt) > now());
	const picture = view.cover_image_url;
	if (!picture && coming.length === 0)
		return null;
	return make("section", { id: "programme", "aria-label": t("listen.programme") },
		picture && make("img", { src: picture, alt: "", onerror: (/** @type {globalThis.Event} */ { target }) => /** @type {HTMLElement} */ (target).remove() }),
		coming.length > 0 && make("ul", { role: "list" }, ...coming.map(one => row(one, one === next ? t("listen.next") : Date.parse(one.utc_start_dt) <= now() ? t("listen.now") : ""))));
}
