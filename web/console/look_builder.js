// SPDX-License-Identifier: GPL-3.0-or-later
// The look of a hall's screen: fields, a preview, and the address with all that was chosen.
import { base } from "../shared/api.js";
import { fill, make, say } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { card_head, head } from "./parts.js";
import { read } from "./service.js";
import { choice, copy_button, field, link } from "./words.js";

const LOOK_WAIT = 400, LOOK_LANGUAGES = 3; // ms after the last change; languages
/** The defaults of the page, which the address leaves out. @type {Record<string, string>} */
const USUAL_LOOK = { size: "1", lines: "3", font: "", theme: "dark", x: "", y: "", bg: "", box: "", layout: "rows", delay: "0", pause: "0" };

/** @param {string} name @param {string[]} values */
const pick_look = (name, values) => choice(name, t(`console.look.${name}`), Object.fromEntries(values.map(one => [one, t(`console.look.${name}.${one || "usual"}`)])), USUAL_LOOK[name]);

/** @param {string} name @param {number} min @param {number} max @param {number} step */
const slide_look = (name, min, max, step) => {
	const shown = make("output", null, USUAL_LOOK[name]), input = make("input", { type: "range", min, max, step, oninput: () => say(shown, input.value) });
	const it = field(name, t(`console.look.${name}`), { value: USUAL_LOOK[name] }, input);
	it.insertBefore(shown, input);
	return it;
};

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event @param {string} [id] of a channel */
export async function draw_look(view, signal, event, id) {
	const channel = await read(`saas/channel/${id}`), query = new URLSearchParams({ e: event.event_id, ...channel.stage_id && { s: channel.stage_id } });
	if (signal.aborted)
		return;
	const codes = [...channel.target_languages, "original"];
	const boxes = make("fieldset", null, make("legend", null, t("console.targets")), make("div", { class: "choices" }, ...codes.map((code, i) => make("label", null,
		make("input", { type: "checkbox", name: "l", value: code, checked: i === 0 }), code === "original" ? t("console.original") : name_of(code)))));
	const colours = make("div", { class: "row" }, ...Array.from({ length: LOOK_LANGUAGES }, (_, i) => make("label", null, t("console.look.color", { n: i + 1 }), make("input", { type: "color", name: `color${i}`, value: "#ffffff", onchange: (/** @type {any} */ { target }) => (target.dataset.set = "yes") }))));
	const form = make("form", { class: "stack", onsubmit: (/** @type {Event} */ sent) => sent.preventDefault() }, boxes, make("div", { class: "fields" }, slide_look("size", 0.5, 2, 0.1), slide_look("lines", 1, 6, 1), pick_look("font", ["", "serif", "mono", "easy"]),
		pick_look("theme", ["dark", "light"]), pick_look("bg", ["", "transparent"]), pick_look("box", ["", "0", "000c", "fffc"]), pick_look("x", ["", "center", "end"]), pick_look("y", ["", "middle", "top"]),
		pick_look("layout", ["rows", "columns"]), slide_look("delay", 0, 20, 1), slide_look("pause", 0, 30, 1)), colours,
	make("label", { class: "check" }, make("input", { type: "checkbox", role: "switch", name: "qr" }), make("span", null, t("console.look.qr"))));
	const shown = make("input", { name: "link", readOnly: true, dir: "ltr", "aria-label": t("console.screen") }), frame = make("div", { class: "screen-box" });
	const address = () => {
		const typed = new FormData(form), inputs = /** @type {HTMLInputElement[]} */ ([...colours.querySelectorAll("input")]), set = inputs.map(one => one.dataset.set ? one.value.slice(1) : "");
		const wanted = new URLSearchParams({ l: typed.getAll("l").slice(0, LOOK_LANGUAGES).join(",") || "original" });
		for (const [name, usual] of Object.entries(USUAL_LOOK))
			if (typed.get(name) !== usual)
				wanted.set(name, String(typed.get(name)));
		if (set.some(Boolean))
			wanted.set("color", set.join(",").replace(/,+$/, ""));
		if (typed.get("qr"))
			wanted.set("qr", "1");
		if (event.access_code)
			wanted.set("code", event.access_code);
		return `${base}screen/?${query}#${wanted}`;
	};
	const draw = () => {
		shown.value = address();
		fill(frame, make("iframe", { src: `${shown.value}&${new URLSearchParams({ sample: t("console.look.sample") })}`, title: t("console.look.preview") }));
	};
	let timer = setTimeout(draw);
	const later_on = () => {
		clearTimeout(timer);
		timer = setTimeout(draw, LOOK_WAIT);
	};
	form.addEventListener("input", later_on);
	form.addEventListener("change", later_on);
	signal.addEventListener("abort", () => clearTimeout(timer));
	head({ title: t("console.look.title"), crumb: [`#/event/${event.event_id}`, event.title], acts: [link(t("console.back"), `#/event/${event.event_id}`, "bare")] });
	fill(view, make("div", { class: "two" }, make("section", { class: "card pad" }, form), make("section", { class: "card stick" }, card_head(t("console.look.preview")), frame,
		make("div", { class: "pad" }, make("div", { class: "row with-button" }, shown, copy_button(() => shown.value, shown))))));
}
