// SPDX-License-Identifier: GPL-3.0-or-later
// Error messages, and forms that show each error at its field.
import { byId, fill, make, say, show } from "../shared/dom.js";
import { has, t } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";
import { offer_ui } from "../shared/ui.js";
import { sure, toast } from "./parts.js";

/** @param {any} error a Problem, or an error in our code @returns {string} */
export function sentence(error) {
	const key = `console.problem.${error.slug}`;
	const text = has(key) ? t(`console.problem.${error.slug}`) : error.message || t("console.problem.unknown");
	return error.request_id && error.status >= 500 ? `${text} (${error.request_id})` : text;
}

/** @param {number} bits a second */
export const rate = bits => t("console.rate", { count: Math.round(bits / 1000) });

/** An arrow from one language to another, in the reader's writing direction. */
export const arrow = () => document.documentElement.dir === "rtl" ? "←" : "→";

/** Shows an error at the top of the page. @param {any} error */
export function fail(error) {
	if (!error.slug)
		console.error(error);
	tell(sentence(error), true);
}

/** Says what was done, or, at the top of the page, what went wrong. @param {string} text @param {boolean} [bad] */
export function tell(text, bad) {
	if (!bad)
		return void toast(text);
	say("notice", text);
	show("notice", true);
}

/**
 * Makes a button that is disabled while its action runs.
 * @param {string} text @param {() => any} run @param {string} [look] "strong", "danger", "bare"; "icon": the text is its label
 * @param {string} [sign] its picture
 */
export function button(text, run, look = "", sign = "") {
	const only = /\bicon\b/.test(look) && text;
	const it = make("button", { type: "button", class: look, "aria-label": only, title: only, onclick: async () => {
		it.disabled = true;
		show("notice", false);
		try {
			await run();
		} catch (error) {
			fail(error);
		} finally {
			it.disabled = false;
		}
	} }, sign && icon(sign), !only && text);
	return it;
}

/** @param {string} text @param {string} href @param {string} [look] @param {string} [sign] */
export const link = (text, href, look = "", sign = "") => make("a", { class: `button ${look}`, href }, sign && icon(sign), text);

/**
 * Makes a button that asks first, for actions that cannot be undone.
 * @param {string} text @param {string} verb @param {() => any} run @param {string} [look] @param {string} [sign]
 */
export const button_twice = (text, verb, run, look = "danger bare", sign = "trash") => button(text, async () => {
	if (await sure(`${text}?`, verb))
		await run();
}, look, sign);

/** The language of this page. */
export function ui_choice() {
	const select = make("select", { name: "ui", "aria-label": t("ui.language") });
	offer_ui(select);
	return select;
}

/** Values of fields when they were drawn. @type {WeakMap<HTMLElement, string>} */
const drawn = new WeakMap();

/**
 * Makes a labelled field. Its name is the JSON member that problems point at.
 * @param {string} name @param {string} label @param {Record<string, any>} [properties] of the input
 * @param {HTMLElement} [input] to use instead of a new one
 */
export function field(name, label, properties = {}, input = make("input", { autocomplete: "off" })) {
	Object.assign(input, properties, { name });
	drawn.set(input, /** @type {HTMLInputElement} */ (input).value);
	return make("label", { "data-field": name }, label, input);
}

/** @param {string} name @param {string} label @param {Record<string, string>} options @param {string} [value] */
export function choice(name, label, options, value) {
	return field(name, label, {}, make("select", null, ...Object.entries(options).map(([key, text]) =>
		make("option", { value: key, defaultSelected: key === value }, text))));
}

/**
 * Shows an error at its field, or else at the top of the page.
 * @param {HTMLFormElement} form @param {any} error
 */
export function point_out(form, error) {
	let told = false;
	for (const { pointer, detail, title } of error.errors || []) {
		const name = String(pointer || "").split("/")[2];
		const label = name && form.querySelector(`[data-field="${CSS.escape(name)}"]`);
		if (!label)
			continue;
		const input = /** @type {HTMLElement} */ (label.querySelector("input, select, textarea"));
		label.append(make("span", { class: "wrong" }, detail || title));
		input.setAttribute("aria-invalid", "true");
		if (!told)
			input.focus();
		told = true;
	}
	if (!told)
		fail(error);
}

/** @param {HTMLFormElement} form */
function forget_faults(form) {
	form.querySelectorAll(".wrong").forEach(one => one.remove());
	form.querySelectorAll("[aria-invalid]").forEach(one => one.removeAttribute("aria-invalid"));
	show("notice", false);
}

/**
 * Makes a form. After an error its fields keep the typed values.
 * @param {string} submit text of its button @param {(values: Record<string, any>, form: HTMLFormElement) => any} run
 * @param {...(Node | false | null)} parts
 */
export function form(submit, run, ...parts) {
	const press = make("button", { class: "strong" }, submit);
	const it = make("form", { onsubmit: async (/** @type {Event} */ event) => {
		event.preventDefault();
		forget_faults(it);
		press.disabled = true;
		const typed = [.../** @type {NodeListOf<HTMLElement>} */ (it.querySelectorAll("[data-typed]"))];
		typed.forEach(one => delete one.dataset.typed);
		try {
			await run(Object.fromEntries([...new FormData(it)].filter(([, value]) => value !== "")), it);
		} catch (error) {
			typed.forEach(one => (one.dataset.typed = "yes"));
			point_out(it, error);
		} finally {
			press.disabled = false;
		}
	} }, ...parts, make("div", { class: "row" }, press));
	return it;
}

/** @param {() => string} text @param {HTMLInputElement} [input] that shows it */
export const copy_button = (text, input) => button(t("console.copy"), async () => {
	input?.select();
	await navigator.clipboard.writeText(text()).catch(() => document.execCommand("copy"));
	tell(t("console.copied"));
}, "", "copy");

/** Makes a field with a text to copy. @param {string} label @param {string} text */
export function copyable(label, text) {
	const input = make("input", { name: "link", value: text, readOnly: true, dir: "ltr", onfocus: () => input.select() });
	return make("div", { class: "row with-button" }, make("label", null, label, input), copy_button(() => text, input));
}

/**
 * Copies typed values that were not sent from one element to another.
 * @param {HTMLElement} from @param {HTMLElement} to
 */
function carry(from, to) {
	/** @type {(of: HTMLElement, what: string) => any[]} */
	const parts = (of, what) => [...of.querySelectorAll(what)];
	parts(to, "details").forEach((one, i) => (one.open = !!parts(from, "details")[i]?.querySelector("[data-typed]")));
	for (const old of parts(from, "[data-typed]")) {
		const next = parts(to, `[name="${old.name}"]`).find(one => !/radio|checkbox/.test(old.type) || one.value === old.value);
		if (!next)
			continue;
		if (drawn.get(old) !== drawn.get(next))
			next.closest("[data-field]")?.append(make("span", { class: "wrong" }, t("console.changed_meanwhile")));
		next.value = old.value;
		next.checked = old.checked;
		next.dataset.typed = "yes";
		if (old === document.activeElement)
			setTimeout(() => next.focus());
	}
}

addEventListener("input", ({ target }) => target instanceof HTMLElement && (target.dataset.typed = "yes"));

/** Redraws the items that have changed. The focused element keeps the focus.
 * @template T
 * @param {HTMLElement} list @param {T[]} items @param {(item: T) => string} key @param {(item: T) => HTMLElement} draw
 */
export function keyed(list, items, key, draw) {
	const there = new Map([.../** @type {HTMLCollectionOf<HTMLElement>} */ (list.children)].map(one => [one.dataset.key, one]));
	const wanted = items.map(item => {
		const state = JSON.stringify(item), before = there.get(key(item));
		if (before && before.dataset.state === state)
			return before;
		const one = draw(item);
		one.dataset.key = key(item);
		one.dataset.state = state;
		if (before)
			carry(before, one);
		return one;
	});
	if (wanted.length !== list.children.length || wanted.some((one, i) => list.children[i] !== one))
		fill(list, ...wanted);
}
