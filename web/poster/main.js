// SPDX-License-Identifier: GPL-3.0-or-later
// Posters of an event's halls: what to do, the QR code, the code to type, the languages.
// The address has e and s of an event and a hall; its fragment has the access code, which is printed.
import { asset, base } from "../shared/api.js";
import { byId, fill, make, say } from "../shared/dom.js";
import { PublicEvent } from "../shared/event.js";
import { direction_of, language, languages, load, name_of, t, time } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";

const MOST_ALSO = 5; // languages of the headline, beside the reader's
const query = new URLSearchParams(location.search), code = new URLSearchParams(location.hash.slice(1)).get("code") || "";

/** The headline in the languages of a hall that the pages speak. @param {string[]} codes @returns {Promise<[string, string][]>} */
async function headlines(codes) {
	const mine = [...new Set(codes.map(one => one.split("-")[0]))].filter(one => languages[one] && one !== language()).slice(0, MOST_ALSO);
	return Promise.all(mine.map(async one => [one, (await (await fetch(asset(`i18n/poster.${one}.json`))).json())["poster.headline"]]));
}

/** @param {string} sign @param {string} text @param {string} [more] */
const step = (sign, text, more) => make("li", null, icon(sign), make("span", null, text, more && make("small", null, more)));

/** @param {any} event @param {any} stage @param {boolean} first */
async function poster(event, stage, first) {
	const codes = /** @type {string[]} */ ([...new Set(stage.channels.flatMap((/** @type {any} */ one) => [one.source_language, ...one.target_languages]))].filter(one => one && one !== "auto"));
	const host = base.replace(/^https?:\/\//, "").replace(/\/$/, ""), also = await headlines(codes);
	return make("section", { class: "a4" }, make("p", { class: "event" }, make("span", { dir: "auto" }, [event.title, event.stages.length > 1 && stage.name].filter(Boolean).join(" · ")),
		make("span", null, time(event.utc_start_dt, event.timezone, event.utc_end_dt))),
	make(first ? "h1" : "h2", null, t("poster.headline")), make("p", { class: "also" }, ...also.map(([one, text]) => make("span", { lang: one, dir: direction_of(one) }, text))),
	make("div", { class: "code" }, make("img", { src: stage.qr_code_url || event.qr_code_url, alt: t("poster.qr") }),
		make("ol", null, step("qr", t("poster.scan"), t("poster.no_app")), step("globe", t("poster.choose")), step("headphones", t("poster.listen"), t("poster.headphones")))),
	event.join_code && make("p", { class: "type" }, make("span", null, t("poster.no_camera"), make("br"), make("strong", null, host)), make("b", { translate: false }, event.join_code.replace(/^(\d{3})/, "$1 "))),
	code && make("p", { class: "secret" }, t("poster.access"), " ", make("b", { translate: false }, code)),
	make("ul", { class: "langs", "aria-label": t("poster.languages") }, ...codes.map(one => make("li", { lang: one, dir: direction_of(one) }, name_of(one, true)))),
	make("footer", null, make("span", null, t("poster.machine")), make("img", { src: asset("shared/logo.svg"), alt: "Dragoman" })));
}

await load("poster");
byId("print").onclick = () => print();
try {
	const view = new PublicEvent(query.get("e") || "", query.get("s"), code), event = await view.read();
	document.title = `${t("poster.title")}: ${event.title}`;
	fill(byId("posters"), ...await Promise.all(view.stages(event).map((stage, i) => poster(event, stage, i === 0))));
} catch {
	say("none", t("poster.none"));
}
