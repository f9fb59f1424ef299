// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the voice of each language of a hall and its glossaries: members of the channel's
// translation_pipeline. Its other members stay unchanged.
import { fill, make, say } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { all, edit, read } from "./service.js";
import { may } from "./session.js";
import { play_button } from "./play.js";
import { button, fail, field, form, tell } from "./words.js";

const CHOOSABLE = 1000; // voices and glossaries that can be chosen

/** @typedef {{ own: any[], builtin: any[], glossaries: any[] }} Stock */
/**
 * The user's choice: a voice for each language, and ids of glossaries. glossaries: null for all,
 * undefined for those chosen before.
 * @typedef {{ voices: Record<string, string>, glossaries?: string[] | null }} Choice
 */

/** Built-in voices that every engine has. */
const USUAL = ["default_low", "default_high"];

/* ---- what is stored ---- */

/** @param {any} list of translations @param {string} code */
const of_language = (list, code) => (Array.isArray(list) ? list : []).find(one => one.target_language === code) || {};

/** @param {any} speech speech_generation of a translation */
const voice_chosen = speech => speech === null ? "none" : !speech ? "default_low" : speech.voice_timbre_detection && speech.voice_timbre_detection.enabled ? "pitch" :
	speech.voice_cloning ? "own" : speech.voice_id || "default_low";

/** @param {any} before @param {string} voice */
const speech_of = (before, voice) => voice === "none" ? null : { ...before, voice_id: voice === "pitch" || voice === "own" ? "default_low" : voice,
	voice_cloning: voice === "own", voice_timbre_detection: { ...before && before.voice_timbre_detection, enabled: voice === "pitch" } };

/** @param {any} channel @returns {Choice} */
function choice_of(channel) {
	const { transcription = {}, translations } = channel.translation_pipeline || {}, { verification = {} } = transcription;
	const mine = channel.target_languages.map((/** @type {string} */ code) => of_language(translations, code));
	const rules = [[transcription.allow_hotwords_glossaries, transcription.allowed_hotwords_glossary_ids],
		[verification.allow_verification_glossaries, verification.allowed_verification_glossary_ids],
		...mine.map((/** @type {any} */ one) => [one.allow_translation_glossaries, one.allowed_translation_glossary_ids])];
	const ids = new Set(rules.flatMap(([on, list]) => on === false ? [] : list || []));
	return { voices: Object.fromEntries(channel.target_languages.map((/** @type {string} */ code, /** @type {number} */ i) => [code, voice_chosen(mine[i].speech_generation)])),
		glossaries: rules.some(([on, list]) => on === false || (list || []).length) ? [...ids] : null };
}

/**
 * Returns the chosen glossaries of one kind, as members of the pipeline.
 * @param {Choice["glossaries"]} chosen @param {Stock} stock @param {string} kind @param {string} on
 * @param {string} list names of the members
 */
function rule_for(chosen, stock, kind, on, list) {
	if (chosen === undefined)
		return {};
	const ids = chosen && chosen.filter(id => stock.glossaries.some(one => one.glossary_id === id && one.glossary_type === kind));
	return { [on]: !ids || ids.length > 0, [list]: ids || [] };
}

/** @param {any} channel @param {Choice} chosen @param {Stock} stock */
export function pipeline_with(channel, chosen, stock) {
	const before = channel.translation_pipeline || {}, transcription = before.transcription || {};
	return { ...before,
		transcription: { ...transcription, ...rule_for(chosen.glossaries, stock, "asr_hot", "allow_hotwords_glossaries", "allowed_hotwords_glossary_ids"),
			verification: { ...transcription.verification, ...rule_for(chosen.glossaries, stock, "asr", "allow_verification_glossaries", "allowed_verification_glossary_ids") } },
		translations: channel.target_languages.map((/** @type {string} */ code) => {
			const one = of_language(before.translations, code);
			return { ...one, target_language: code, ...rule_for(chosen.glossaries, stock, "translation", "allow_translation_glossaries", "allowed_translation_glossary_ids"),
				speech_generation: code in chosen.voices ? speech_of(one.speech_generation, chosen.voices[code]) : one.speech_generation };
		}) };
}

/* ---- what is shown ---- */

/** @param {string} label @param {[string, string][]} options @param {string} chosen */
const group = (label, options, chosen) => options.length > 0 && make("optgroup", { label }, ...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));

/** @param {string} code */
const family = code => code.split("-")[0];

/** @param {any} voice @returns {[string, string]} */
const option_of = voice => [voice.voice_id, [voice.name, name_of(voice.lang_code)].join(" · ")];

/** @param {string} code @param {string} chosen @param {Stock} stock @param {AbortSignal} signal */
function voice_row(code, chosen, stock, signal) {
	const mine = stock.own.filter(one => one.processing_status === "ready"), fitting = stock.builtin.filter(one => one.voice_id === chosen ||
		(one.lang_code === "auto" ? !USUAL.includes(one.name) : family(one.lang_code) === family(code)));
	const loved = [...mine, ...stock.builtin].filter(one => one.is_favorite), voices = [...loved, ...mine.filter(one => !one.is_favorite), ...fitting.filter(one => !one.is_favorite)];
	/** @type {[string, string][]} */
	const usual = [["default_low", t("console.voice_choice.low")], ["default_high", t("console.voice_choice.high")], ["pitch", t("console.voice_choice.pitch")],
		["own", t("console.voice_choice.own")], ["none", t("console.voice_choice.none")]];
	const gone = !usual.some(([value]) => value === chosen) && !voices.some(one => one.voice_id === chosen);
	const select = make("select", { "data-language": code }, group(t("console.usual_voices"), usual, chosen), group(t("console.favorites"), loved.map(option_of), chosen),
		group(t("console.yours"), mine.filter(one => !one.is_favorite).map(option_of), chosen), group(t("console.builtin"), fitting.filter(one => !one.is_favorite).map(option_of), chosen),
		gone && make("option", { value: chosen, selected: true }, chosen));
	const play = play_button(signal, name_of(code), async () => (await read(`saas/voice/m/${select.value}`)).tts_sample.url);
	const see = () => (play.hidden = !voices.some(one => one.voice_id === select.value && one.tts_sample));
	select.onchange = see;
	see();
	return make("div", { class: "row with-button" }, field(`voice-${code}`, t("console.voice_of", { language: name_of(code) }), {}, select), play);
}

/**
 * Returns the glossaries that fit the hall's languages. @param {any} channel @param {Stock} stock
 */
const fitting_glossaries = (channel, stock) => stock.glossaries.filter(({ glossary_type, source_lang, target_lang }) =>
	(channel.source_language === "auto" || source_lang === "auto" || family(source_lang) === family(channel.source_language)) &&
	(glossary_type !== "translation" || channel.target_languages.some((/** @type {string} */ code) => family(code) === family(target_lang))));

/** @param {any} channel @param {string[] | null} chosen @param {Stock} stock */
function glossary_boxes(channel, chosen, stock) {
	const radio = (/** @type {string} */ value, /** @type {string} */ text, /** @type {boolean} */ checked) =>
		make("label", { class: "check" }, make("input", { type: "radio", name: "which", value, checked, onchange: () => see(value === "some") }), make("span", null, text));
	const boxes = make("div", { class: "choices many" }, ...fitting_glossaries(channel, stock).filter(one => one.is_enabled || chosen && chosen.includes(one.glossary_id)).map(one => make("label", null,
		make("input", { type: "checkbox", name: "glossary", value: one.glossary_id, checked: !!chosen && chosen.includes(one.glossary_id) }),
		make("span", null, make("bdi", null, one.name), make("span", { class: "soft" }, ` · ${t(`console.kind.${one.glossary_type}`)}`)))));
	const see = (/** @type {boolean} */ some) => (boxes.hidden = !some);
	see(!!chosen);
	return make("fieldset", { "data-field": "glossaries" }, make("legend", null, t("console.glossaries")), radio("all", t("console.glossaries_all"), !chosen), radio("some", t("console.glossaries_some"), !!chosen), boxes);
}

/** @param {HTMLFormElement} it @returns {Choice} */
function read_choice(it) {
	const selects = [.../** @type {NodeListOf<HTMLSelectElement>} */ (it.querySelectorAll("select[data-language]"))], data = new FormData(it);
	return { voices: Object.fromEntries(selects.map(one => [one.dataset.language, one.value])),
		glossaries: data.get("which") === null ? undefined : data.get("which") === "some" ? /** @type {string[]} */ (data.getAll("glossary")) : null };
}

/** Returns a choice as fields of the form. @param {Choice} chosen @returns {Record<string, any>} */
const fields_of = ({ voices, glossaries }) => ({ ...Object.fromEntries(Object.entries(voices).map(([code, voice]) => [`voice-${code}`, voice])), ...glossaries !== undefined && { glossaries } });

/**
 * Returns the choice that results from changed fields; the others stay as stored.
 * @param {Record<string, any>} changed @param {any} channel @returns {Choice}
 */
function choice_with(changed, channel) {
	const { voices } = choice_of(channel);
	return { voices: Object.fromEntries(Object.keys(voices).map(code => [code, changed[`voice-${code}`] ?? voices[code]])), glossaries: changed.glossaries };
}

/**
 * @param {any} channel @param {Choice} chosen @param {Stock} stock
 * @param {Record<string, any>} [seen] absent: overwrite without a check
 */
const put_choice = ({ channel_id }, chosen, stock, seen) => edit(`saas/channel/${channel_id}`, () => fields_of(chosen), { seen, fields: channel => fields_of(choice_of(channel)),
	members: (changed, channel) => ({ translation_pipeline: pipeline_with(channel, choice_with(changed, channel), stock) }) });

/** @param {any} event @param {any} channel @param {any[]} others @param {Stock} stock @param {AbortSignal} signal @param {() => Promise<void>} again */
function speech_card(event, channel, others, stock, signal, again) {
	const stage = event.stages.find((/** @type {any} */ one) => one.stage_id === channel.stage_id), now = choice_of(channel), seen = fields_of(now);
	const save_to = async (/** @type {any[]} */ channels) => {
		const chosen = read_choice(it);
		for (const one of channels)
			await put_choice(one, chosen, stock, channels.length > 1 ? undefined : seen);
		tell(t("console.saved_halls", { count: channels.length }));
		if (channels.length > 1)
			await again();
	};
	const it = form(t("console.save"), () => save_to([channel]), make("fieldset", { class: "stack", disabled: !may("channels:write") },
		make("div", { class: "fields" }, ...(may("voices:read") ? channel.target_languages : []).map((/** @type {string} */ code) => voice_row(code, now.voices[code], stock, signal))),
		may("glossaries:read") && glossary_boxes(channel, now.glossaries || null, stock)));
	const bar = /** @type {HTMLElement} */ (it.lastElementChild);
	bar.hidden = !may("channels:write");
	if (others.length > 1)
		bar.append(button(t("console.for_all_halls"), () => save_to(others)));
	return make("li", { class: "card", "data-channel": channel.channel_id }, make("header", null, make("h2", null, make("bdi", null, stage && stage.name !== channel.name ? `${stage.name} · ${channel.name}` : channel.name))), it);
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export async function draw_speech(view, signal, event) {
	const list = make("ul", { class: "stack" }), state = make("p", { role: "status" }), page = { page_size: 100 };
	fill(view, make("p", { class: "soft" }, t("console.speech_how")), state, list);
	const voices = may("voices:read"), [own, builtin, glossaries] = await Promise.all([voices ? all("saas/voice", page, CHOOSABLE) : [], voices ? all("saas/voice/builtin", page, CHOOSABLE) : [],
		may("glossaries:read") ? all("saas/glossaries", page, CHOOSABLE) : []]);
	const again = async () => {
		const channels = (await read("saas/channels", { event_id: event.event_id })).filter((/** @type {any} */ one) => one.lifecycle_status !== "deleting");
		say(state, channels.length ? "" : t("console.no_halls"));
		fill(list, ...channels.map((/** @type {any} */ one) => speech_card(event, one, channels, { own, builtin, glossaries }, signal, again)));
	};
	await again().catch(fail);
}
