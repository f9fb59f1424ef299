// SPDX-License-Identifier: GPL-3.0-or-later
// Material for the audience: QR codes, links, and posters to print.
import { base } from "../shared/api.js";
import { make, save } from "../shared/dom.js";
import { name_of, t, time } from "../shared/i18n.js";
import { button, copyable } from "./words.js";

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

/** @param {any} event @param {any} stage */
function poster(event, stage) {
	const link = `${base}listen/?${new URLSearchParams({ e: event.event_id, s: stage.stage_id })}`;
	const codes = [...new Set(stage.channels.flatMap((/** @type {any} */ one) => one.target_languages))];
	return make("li", { class: "card poster" }, make("p", { class: "large", dir: "auto" }, event.title),
		make("h2", { dir: "auto" }, stage.name), make("p", null, time(event.utc_start_dt, event.timezone)),
		make("img", { class: "qr", src: stage.qr_code_url, alt: t("console.qr", { name: stage.name }) }),
		event.join_code && make("p", { class: "large", translate: false }, `${base.replace(/^https?:\/\//, "")}${event.join_code}`),
		make("ul", { class: "plain row-of-names" }, ...codes.map(code => make("li", { lang: code, dir: "auto" }, name_of(/** @type {string} */ (code), true)))),
		event.access_code && make("p", null, `${t("console.share_code")}: `, make("strong", null, event.access_code)),
		make("div", { class: "screen-only" }, copyable(t("console.listen"), link),
			copyable(t("console.embed"), `<iframe src="${link.replace(/&/g, "&amp;")}" allow="autoplay" width="400" height="700"></iframe>`),
			button("PNG", () => save_png(stage.qr_code_url, `qr-${stage.stage_id}`))));
}

/** @param {HTMLElement} view @param {AbortSignal} _ @param {any} event */
export function draw_share(view, _, event) {
	view.append(button(t("console.print"), () => print(), "strong"),
		make("ul", { class: "plain" }, ...event.stages.map((/** @type {any} */ stage) => poster(event, stage))));
}
