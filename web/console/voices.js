// SPDX-License-Identifier: GPL-3.0-or-later
// The account's voices and the built-in voices.
import { fill, make, say } from "../shared/dom.js";
import { has, name_of, t } from "../shared/i18n.js";
import { empty, head, mark, menu, pill } from "./parts.js";
import { pages_of } from "./pages.js";
import { play_button } from "./play.js";
import { ask, edit, read } from "./service.js";
import { may } from "./session.js";
import { button, button_twice, choice, fail, field, form, keyed, tell } from "./words.js";
import { LABELS, label_choice, label_name, new_voice, voice_languages } from "./voice_new.js";

const NO_LIMIT = 2147483647;

/* ---- a card ---- */

/** Returns a record without the members that differ in each answer. @param {any} voice */
const lasting = ({ tts_sample, utc_updated_at, ...rest }) => ({ ...rest, sample: tts_sample && [tts_sample.blob_id, tts_sample.text.lang] });

/** @param {any} problem */
function problem_words(problem) {
	const slug = String(problem.type || "").split("/").pop();
	return has(`console.problem.${slug}`) ? `${t(`console.problem.${slug}`)} ${problem.detail || ""}`.trim() : problem.detail || problem.title;
}

/** @param {any} voice @param {() => Promise<void>} look */
function favorite_button(voice, look) {
	return button(t("console.favorite", { name: voice.name }), async () => {
		await ask(voice.is_favorite ? "DELETE" : "POST", `saas/voice/m/${voice.voice_id}/favorite`);
		await look();
		const now = /** @type {HTMLElement | null} */ (document.querySelector(`[data-voice="${voice.voice_id}"] .star`));
		if (now)
			now.focus(); // the card was drawn again
	}, "bare icon star", "star");
}

/** @param {any} voice @param {() => Promise<void>} look */
function change_form(voice, look) {
	const fields = (/** @type {any} */ { name, description, labels }) => ({ name, description, ...labels }), seen = fields(voice), names = ["name", "description", ...Object.keys(LABELS)];
	return make("details", { class: "section" }, make("summary", null, t("console.change")), form(t("console.save"), async values => {
		await edit(`saas/voice/m/${voice.voice_id}`, () => Object.fromEntries(names.map(one => [one, values[one] || null])), { method: "POST", seen, fields,
			members: ({ name, description, ...labels }) => ({ name, description, labels }) });
		tell(t("console.saved"));
		await look();
	}, field("name", t("console.name"), { value: voice.name, required: true, minLength: 3, maxLength: 64 }),
	field("description", t("console.description"), { value: voice.description || "", maxLength: 2000 }),
	...Object.keys(LABELS).map(label => label_choice(label, voice.labels[label]))));
}

/** @param {any} voice @param {() => Promise<void>} look */
function sample_form(voice, look) {
	return make("details", { class: "section" }, make("summary", null, t("console.hear_in")), form(t("console.make_sample"), async ({ lang_code }) => {
		await ask("POST", `saas/voice/m/${voice.voice_id}/tts-sample`, { data: { lang_code }, timeout: 120000 });
		await look();
	}, choice("lang_code", t("console.language"), voice_languages(), voice.sample ? voice.sample[1] : voice.lang_code)));
}

/**
 * @param {any} voice from lasting() @param {AbortSignal} signal @param {() => Promise<void>} look
 */
function voice_card(voice, signal, look) {
	const { warnings, errors } = voice.processing_result, status = voice.processing_status, mine = !!voice.user_id && may("voices:write"), path = `saas/voice/m/${voice.voice_id}`;
	const star = favorite_button(voice, look), spoken = voice.sample && voice.sample[1] !== voice.lang_code ? ` · ${name_of(voice.sample[1])}` : "";
	star.ariaPressed = String(voice.is_favorite);
	const lang = voice.lang_code === "auto" ? t("console.any_language") : name_of(voice.lang_code), labels = Object.keys(LABELS).filter(label => voice.labels[label]);
	return make("li", { class: "card voice", "data-voice": voice.voice_id }, make("header", { class: "nowrap" }, voice.sample && play_button(signal, voice.name, async () => (await read(path)).tts_sample.url),
		make("div", { class: "grow" }, make("h2", null, make("bdi", null, voice.name)), make("p", { class: "soft small" }, labels.map(label => label_name(voice.labels[label])).join(", "))),
		may("voices:write") && star, mine && menu(t("console.more_for", { name: voice.name }), button_twice(t("console.delete"), t("console.delete_sure"), async () => {
			await ask("DELETE", path);
			tell(t("console.deleted"));
			await look();
		}, "danger"))),
	make("div", { class: "pad stack" }, make("div", { class: "row apart" }, make("p", { class: "row" }, voice.lang_code !== "auto" && mark(voice.lang_code), lang, make("span", { class: "soft" }, spoken)),
		(status !== "ready" || mine) && make("p", { role: "status" }, pill(status === "failed" ? "bad" : status === "ready" ? "live" : "", t(`console.voice.${status}`)))),
	voice.description && make("p", { class: "soft", dir: "auto" }, voice.description),
	...[...errors, ...warnings].map(one => make("p", { class: errors.includes(one) ? "bad" : "soft" }, problem_words(one)))),
	mine && status === "ready" && sample_form(voice, look), mine && change_form(voice, look));
}

/* ---- the lists ---- */

/** @param {HTMLElement} place */
async function show_count(place) {
	const { total, limit } = await read("saas/voice/limits");
	say(place, limit === NO_LIMIT ? t("console.voice_count_free", { count: total }) : t("console.voice_count", { count: total, limit }));
}

/** @param {(query: any) => void} find */
function filter_form(find) {
	const any = (/** @type {string} */ name) => choice(name, t(`console.label_of.${name}`), { "": t("console.any"), ...Object.fromEntries(LABELS[name].map(one => [one, label_name(one)])) });
	return make("details", { class: "card" }, make("summary", null, t("console.filter")), form(t("console.find"), values => find(values),
		make("div", { class: "fields" }, field("search", t("console.voice_words"), { type: "search", minLength: 2, maxLength: 100 }), ...Object.keys(LABELS).map(any),
			choice("lang", t("console.language"), { "": t("console.any"), ...voice_languages() })),
		make("label", { class: "check" }, make("input", { type: "checkbox", name: "is_favorite", value: "true" }), make("span", null, t("console.favorites_only")))));
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {string[]} rest */
export function draw_voices(view, signal, [tab]) {
	const builtin = tab === "builtin", list = make("ul", { class: "cards", id: "voices" }), state = make("div", { role: "status" }), count = make("span", null);
	const pages = pages_of(signal, builtin ? "saas/voice/builtin" : "saas/voice", items => {
		fill(state, !items.length && make("section", { class: "card" }, empty("voice", t("console.no_voices"), t("console.no_voices_how"))));
		keyed(list, items.map(lasting), one => one.voice_id, one => voice_card(one, signal, look));
	});
	const look = async () => {
		await pages.look();
		if (!builtin)
			show_count(count).catch(fail);
	};
	head({ title: t("console.voices"), meta: [t("console.voices_how"), count] });
	fill(view, make("nav", { class: "tabs", "aria-label": t("console.voices") },
		make("a", { href: "#/voices", "aria-current": !builtin && "page" }, t("console.yours")), make("a", { href: "#/voices/builtin", "aria-current": builtin && "page" }, t("console.builtin"))),
	!builtin && may("voices:write") && new_voice(signal, look), filter_form(pages.find), state, list, pages.box);
	pages.find({});
	if (!builtin)
		show_count(count).catch(fail);
}
