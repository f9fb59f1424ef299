// SPDX-License-Identifier: GPL-3.0-or-later
// Posters of an event's halls: what to do, the QR code, the code to type, the languages.
// The address has e and s of an event and a hall; its fragment has the access code, which is printed.
import { address, asset, base } from "../shared/api.js";
import { byId, fill, make, save, say } from "../shared/dom.js";
import { path_of, PublicEvent } from "../shared/event.js";
import { direction_of, language, languages, load, name_of, t, time } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";

const MOST_ALSO = 5; // languages of the headline, beside the reader's
const MOST_STEPS = 3; // languages of a step, beside the reader's
const PX_PER_MM = 8; // of a picture: 203 dpi
const query = new URLSearchParams(location.search), code = new URLSearchParams(location.hash.slice(1)).get("code") || "";

/** The texts of the poster in the languages of a hall that the pages speak. @param {string[]} codes @returns {Promise<[string, Record<string, string>][]>} */
async function others(codes) {
	const mine = [...new Set(codes.map(one => one.split("-")[0]))].filter(one => languages[one] && one !== language()).slice(0, MOST_ALSO);
	return Promise.all(mine.map(async one => [one, await (await fetch(asset(`i18n/poster.${one}.json`))).json()]));
}

/** A text in some other languages. @param {[string, Record<string, string>][]} also @param {string} key */
const in_others = (also, key) => also.map(([one, texts]) => make("span", { lang: one, dir: direction_of(one) }, texts[key]));

/** @param {string} sign @param {[string, Record<string, string>][]} also @param {string} key @param {string} [more] */
const step = (sign, also, key, more) => make("li", null, icon(sign), make("div", null, make("strong", null, t(key)), more && make("small", null, more),
	make("small", { class: "also" }, ...in_others(also.slice(0, MOST_STEPS), key))));

/** @param {any} event @param {any} stage @param {boolean} first */
async function poster(event, stage, first) {
	const codes = /** @type {string[]} */ ([...new Set(stage.channels.flatMap((/** @type {any} */ one) => [one.source_language, ...one.target_languages]))].filter(one => one && one !== "auto"));
	const host = base.replace(/^https?:\/\//, "").replace(/\/$/, ""), also = await others(codes);
	return make("section", { class: "a4" }, make("p", { class: "event" }, make("span", { dir: "auto" }, [event.title, event.stages.length > 1 && stage.name].filter(Boolean).join(" · ")),
		make("span", null, time(event.utc_start_dt, event.timezone, event.utc_end_dt))),
	make(first ? "h1" : "h2", null, t("poster.headline")), make("p", { class: "also" }, ...in_others(also, "poster.headline")),
	make("div", { class: "code" }, make("img", { src: address(`${path_of(event.event_id)}/qr.svg`, { stage: stage.stage_id }), alt: t("poster.qr") }),
		make("ol", null, step("qr", also, "poster.scan", t("poster.no_app")), step("globe", also, "poster.choose"), step("headphones", also, "poster.listen", t("poster.headphones")))),
	event.join_code && make("p", { class: "type" }, make("span", null, t("poster.no_camera"), make("br"), make("strong", null, host)), make("b", { translate: false }, event.join_code.replace(/^(\d{3})/, "$1 "))),
	code && make("p", { class: "secret" }, t("poster.access"), " ", make("b", { translate: false }, code)),
	make("ul", { class: "langs", "aria-label": t("poster.languages") }, ...codes.map(one => make("li", { lang: one, dir: direction_of(one) }, name_of(one, true)))),
	make("footer", null, make("span", null, t("poster.machine")), make("img", { src: asset("shared/logo.svg"), alt: "Dragoman" })));
}

/* ---- a picture ---- */

/** @param {Blob} blob @returns {Promise<string>} */
const data_url = blob => new Promise(done => {
	const reader = new FileReader();
	reader.onload = () => done(String(reader.result));
	reader.readAsDataURL(blob);
});

/** The poster as one SVG that needs no other file. @param {HTMLElement} sheet */
async function svg_of(sheet) {
	const copy = /** @type {HTMLElement} */ (sheet.cloneNode(true)), style = [...document.styleSheets].flatMap(one => [...one.cssRules]).filter(one => !(one instanceof CSSMediaRule)).map(one => one.cssText).join("");
	for (const image of copy.querySelectorAll("img"))
		image.src = await data_url(await (await fetch(image.src)).blob());
	copy.style.cssText = "margin:0;box-shadow:none";
	copy.prepend(make("style", null, style));
	const body = make("div", { lang: language(), dir: direction_of(language()) }, copy);
	body.style.cssText = `--mm:${PX_PER_MM}px;font:400 ${4.2 * PX_PER_MM}px/1.35 ${getComputedStyle(document.body).fontFamily}`;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${210 * PX_PER_MM}" height="${296 * PX_PER_MM}"><foreignObject width="100%" height="100%">${new XMLSerializer().serializeToString(body)}</foreignObject></svg>`;
}

/** @param {HTMLElement} sheet @param {string} name */
async function save_png(sheet, name) {
	const image = make("img", { src: `data:image/svg+xml,${encodeURIComponent(await svg_of(sheet))}` });
	await image.decode();
	const canvas = make("canvas", { width: 210 * PX_PER_MM, height: 296 * PX_PER_MM });
	/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(image, 0, 0);
	save(name, "image/png", /** @type {any} */ (await new Promise(done => canvas.toBlob(done, "image/png"))));
}

await load("poster");
byId("back").href += `#/event/${query.get("e") || ""}`;
byId("print").onclick = () => print();
byId("png").onclick = async () => {
	for (const [i, sheet] of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".a4")).entries())
		await save_png(sheet, `poster-${i + 1}.png`).catch(() => say("none", t("poster.no_png")));
};
try {
	const view = new PublicEvent(query.get("e") || "", query.get("s"), code), event = await view.read();
	document.title = `${t("poster.title")}: ${event.title}`;
	fill(byId("posters"), ...await Promise.all(view.stages(event).map((stage, i) => poster(event, stage, i === 0))));
} catch {
	say("none", t("poster.none"));
}
