// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a listener: hall, volumes, the original beside the translation, colours, font,
// the page's language, and saving the text.
import { address } from "../shared/api.js";
import { keep, make, save } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";
import { path_of } from "../shared/event.js";
import { offer_ui } from "../shared/ui.js";
import { show_view } from "./door.js";
import { load_parts } from "./parts.js";

/** @typedef {import("./live.js").Live} Live */

/** @param {string} id @param {string} text @param {HTMLElement} field */
const labelled = (id, text, field) => (field.id = id, make("p", null, make("label", { for: id }, text), field));

/** @param {string} text @param {boolean} checked @param {(is: boolean) => void} change */
function tick(text, checked, change) {
	const box = make("input", { type: "checkbox", checked, onchange: () => change(box.checked) });
	return [box, make("label", { class: "row" }, box, text)];
}

/** @param {number} value @param {(value: number) => void} change */
function slider(value, change) {
	const range = make("input", { type: "range", min: "0", max: "1", step: "0.05", oninput: () => change(range.valueAsNumber) });
	range.value = String(value);
	return range;
}

/** A list of the event's halls; choosing one enters it. @param {Live} live @param {HTMLDialogElement} dialog */
function halls(live, dialog) {
	const { event, view } = live.wish;
	const all = view ? view.stages.filter(one => one.channels.length > 0) : [];
	if (!event || !view || all.length < 2)
		return null;
	const list = make("select", { onchange: () => {
		event.stage = list.value;
		dialog.close();
		const { targets } = event.languages(view), { language } = live.wish;
		live.page.enter({ ...live.wish, language: targets.includes(language) ? language : "original" });
	} }, ...all.map(one => make("option", { value: one.stage_id, selected: one.stage_id === event.stage }, one.name)));
	return labelled("hall", t("listen.hall"), list);
}

/** @param {Live} live */
async function sounds(live) {
	const volume = labelled("volume", t("listen.volume"), slider(live.way.volume, value => live.way.set_volume(value)));
	const { Beside } = await import("./beside.js");
	const beside = () => live.other ||= new Beside(live);
	const own = slider(live.other ? live.other.volume : 0, value => beside().set(beside().texts, value));
	const [box, both] = tick(t("listen.both"), !!live.other && live.other.texts, is => {
		keep("ever", "both", is ? "1" : null);
		beside().set(is, beside().volume);
	});
	box.id = "both";
	return [volume, live.wish.sound && labelled("own_volume", t("listen.ownvolume"), own), both];
}

async function looks() {
	const { look, use_look } = await import("./look.js");
	const is = look(), colours = ["", "dark", "light", "yellow"];
	/** @param {string[]} out @param {string} word */
	const turn = (out, word) => use_look([...look().filter(one => !out.includes(one)), word].filter(Boolean));
	const list = make("select", { onchange: () => turn(colours, list.value) },
		...colours.map(one => make("option", { value: one, selected: is.includes(one) }, t(`listen.colours.${one || "usual"}`))));
	return [labelled("colours", t("listen.colours"), list),
		...["easy", "wide"].map(word => tick(t(`listen.view.${word}`), is.includes(word), on => turn([word], on ? word : ""))[1])];
}

/** @param {Live} live @param {string} format */
async function save_as(live, format) {
	const { as_srt, as_text, as_vtt } = await import("./save.js");
	const make_it = { txt: as_text, srt: as_srt, vtt: as_vtt }[/** @type {"txt" | "srt" | "vtt"} */ (format)];
	save(`${document.title.replace(/[^\p{L}\p{N}]+/gu, "-")}.${format}`, format === "vtt" ? "text/vtt" : "text/plain", make_it(live.captions.kept));
}

/** @param {Live} live */
function saving(live) {
	const { view, event, language } = live.wish;
	const saves = make("div", { class: "row", id: "saves", translate: false }, ...["txt", "srt", "vtt"].map(format =>
		make("button", { "data-format": format, onclick: () => save_as(live, format) }, format.toUpperCase())));
	const open = view && event && view.transcript === "public";
	return [make("p", null, t("listen.save")), saves, open && make("p", null, make("a", { id: "transcript",
		href: address(`${path_of(event.id)}/transcript`, { code: event.code, language, format: "txt" }) }, t("listen.transcript")))];
}

/** The page's texts in another language, while it goes on. @param {Live} live */
async function change_ui(live) {
	await load("listen");
	show_view(live.wish);
	live.changed();
	live.tell();
}

/** @param {Live} live */
export async function open_settings(live) {
	await load_parts();
	/** @type {HTMLDialogElement} */
	const dialog = make("dialog", { "aria-labelledby": "settings_title", id: "settings", onclose: () => dialog.remove() });
	const ui = make("select");
	offer_ui(ui, () => (dialog.close(), change_ui(live)));
	dialog.append(make("h2", { id: "settings_title" }, t("listen.bar")), ...[halls(live, dialog), ...await sounds(live), ...await looks(),
		labelled("page_language", t("ui.language"), ui), ...saving(live)].filter(one => one instanceof Node),
		make("div", { class: "row" }, make("button", { id: "leave", onclick: () => (dialog.close(), live.leave("")) }, t("listen.leave")),
			make("button", { id: "done", class: "strong", onclick: () => dialog.close() }, t("listen.close"))));
	document.body.append(dialog);
	dialog.showModal();
}
