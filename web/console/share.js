// SPDX-License-Identifier: GPL-3.0-or-later
// Material for the audience: the QR code, the links and the posters of an event.
import { address, base } from "../shared/api.js";
import { make, save } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";

import { button, copy_button, link } from "./words.js";

const PNG = 1024; // pixels of a side

/** @param {string} url of an SVG @param {string} name */
async function save_png(url, name) {
	const image = make("img", { src: url, alt: "" });
	await image.decode();
	const canvas = make("canvas", { width: PNG, height: PNG });
	/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(image, 0, 0, PNG, PNG);
	const blob = await new Promise(done => canvas.toBlob(done, "image/png"));
	save(`${name}.png`, "image/png", /** @type {any} */ (blob));
}

const host = base.replace(/^https?:\/\//, "").replace(/\/$/, "");

/** The address of an event's posters. @param {any} event */
export const poster_of = event => `${base}poster/?e=${event.event_id}${event.access_code ? `#code=${event.access_code}` : ""}`;

/** The short link of an event, or of one of its halls, while the event has a code. @param {any} event @param {string | null} [stage] */
export const short_of = ({ join_code }, stage) => join_code && `${base}${join_code}${stage ? `?s=${stage.slice(-6)}` : ""}`;

/** A code in groups that can be read aloud. @param {string} code */
const in_groups = code => code.replace(/^(\d{3})(\d{3,4})$/, "$1\u202f$2");

/** The link, QR code and code of an event, to stand beside its halls. @param {any} event */
export function share_card(event) {
	const listen = short_of(event) || `${base}listen/?e=${event.event_id}`;
	const embed = `<iframe src="${base}listen/?e=${event.event_id}" allow="autoplay" width="400" height="700"></iframe>`;
	const qr = address(`saas/v2/event/public/${event.event_id}/qr.svg`); // event.qr_code_url may name another host, which the page's policy refuses
	const copy = copy_button(() => listen);
	copy.className = "bare icon";
	copy.lastChild?.remove();
	copy.setAttribute("aria-label", t("console.copy_link"));
	return make("section", { class: "card" }, make("header", null, make("h2", null, t("console.share"))), make("div", { class: "pad stack" },
		make("div", { class: "qr-box" }, make("img", { class: "qr", src: qr, alt: t("console.qr", { name: event.title }) }), make("div", null,
			make("p", { class: "soft small" }, event.join_code ? t("console.or_type", { host }) : t("console.scan")), event.join_code && make("p", { class: "join" }, in_groups(event.join_code)))),
		event.access_code && make("p", { class: "soft" }, `${t("console.share_code")}: `, make("b", null, event.access_code)),
		make("div", { class: "copy" }, make("code", { dir: "ltr" }, listen.replace(/^https?:\/\//, "")), copy),
		make("div", { class: "row" }, link(t("console.poster"), poster_of(event), "", "print"),
			button("PNG", () => save_png(qr, `qr-${event.event_id}`), "", "save"), embed_button(embed))));
}

/** @param {string} text */
function embed_button(text) {
	const it = copy_button(() => text);
	it.className = "bare";
	it.replaceChildren(icon("code"), t("console.embed"));
	return it;
}
