// SPDX-License-Identifier: GPL-3.0-or-later
// Languages: the engine that recognizes, translates and speaks each, how good it is, and
// the command that installs a better one.
import { fill, make } from "../shared/dom.js";
import { has, name_of, number, t } from "../shared/i18n.js";
import { card_head, head } from "./parts.js";
import { play_button } from "./play.js";
import { file, read } from "./service.js";
import { choice, copy_button } from "./words.js";

/** @typedef {{ language: string, target: string | null, engine: string | null, kind: string | null, model: string | null, via: string | null,
 *   quality: string | null, measure: string | null, measured: number | null, better: string | null, better_mb: number | null, voice_id: string | null }} Engine */
/** @typedef {{ recognition: Engine[], translation: Engine[], speech: Engine[] }} Engines */

/** @type {Record<string, string>} */
const KINDS = { pocketsphinx: "PocketSphinx", apertium: "Apertium", espeak: "eSpeak NG", flite: "flite", whisper: "Whisper", sherpa: "sherpa-onnx", openai: "OpenAI",
	openai_chat: "OpenAI", elevenlabs: "ElevenLabs", libretranslate: "LibreTranslate", deepl: "DeepL", websocket: "WebSocket", http: "HTTP" };

/** @type {Record<string, string>} */
const MARKS = { good: "live", fair: "warn", poor: "bad" };

/** @param {Engine} a @param {Engine} b */
const by_name = (a, b) => name_of(a.target || a.language).localeCompare(name_of(b.target || b.language));

/** @param {Engine | undefined} one */
function engine_name(one) {
	if (!one || !one.engine)
		return make("span", { class: "soft" }, "–");
	const known = KINDS[one.kind || ""], name = known || one.engine, more = [known && one.engine !== one.kind && one.engine, one.model].filter(Boolean).join(", ");
	return make("span", null, name, more && make("span", { class: "soft" }, ` ${more}`), one.via && make("span", { class: "soft" }, ` ${t("console.through", { language: name_of(one.via) })}`));
}

/** @param {Engine | undefined} one */
function quality_of(one) {
	if (!one || !one.engine)
		return null;
	const measure = `console.measure.${one.measure}`;
	return make("span", { class: "row" }, make("span", { class: one.quality && one.quality !== "unknown" ? `pill ${MARKS[one.quality]}` : "soft small" }, t(`console.quality.${one.quality || "unknown"}`)),
		one.measured !== null && has(measure) ? make("span", { class: "soft" }, t(measure, { value: number(one.measured) })) : one.measure && make("span", { class: "soft" }, one.measure));
}

/** The command that installs a better model, with a button to copy it. @param {string} what it is for @param {(Engine | undefined)[]} of */
function better(what, of) {
	const names = [...new Set(of.flatMap(one => one && one.better ? [one.better] : []))], megabytes = of.reduce((sum, one) => sum + (one && one.better_mb || 0), 0);
	if (!names.length)
		return null;
	const command = `dragoman models get ${names.join(" ")}`, copy = copy_button(() => command);
	copy.setAttribute("aria-description", what);
	return make("span", { class: "row" }, make("code", { dir: "ltr" }, command), make("span", { class: "soft" }, t("console.megabytes", { count: megabytes })), copy);
}

/** @param {AbortSignal} signal @param {Engine | undefined} one */
const voice_of = (signal, one) => !!one && !!one.engine &&
	play_button(signal, name_of(one.language), () => file(`languages/${one.language}/sample`));

/** @param {string} label @param {...(Node | null | false | undefined)} parts */
const cell = (label, ...parts) => make("td", { "data-label": label }, make("div", { class: "row" }, ...parts));

/** @param {Engine[]} speech @param {string} code */
const spoken_in = (speech, code) => speech.find(one => one.language === code) || speech.find(one => one.language === code.split("-")[0]);

/** @param {AbortSignal} signal @param {Engines} all @param {Engine} one a translation */
function target_row(signal, all, one) {
	const target = one.target || "", speech = spoken_in(all.speech, target), name = name_of(target);
	return make("tr", { "data-target": target }, make("th", { scope: "row" }, make("bdi", null, name)),
		cell(t("console.translated_by"), engine_name(one), quality_of(one)),
		cell(t("console.spoken_by"), speech && speech.engine ? engine_name(speech) : make("span", { class: "soft" }, t("console.text_only")), quality_of(speech), voice_of(signal, speech)),
		cell(t("console.better"), better(name, [one, speech]) || make("span", { class: "soft" }, "–")));
}

/** @param {AbortSignal} signal @param {Engines} all @param {string} source */
function draw_source(signal, all, source) {
	const heard = all.recognition.find(one => one.language === source), targets = all.translation.filter(one => one.language === source && one.engine).sort(by_name);
	const head = [t("console.language"), t("console.translated_by"), t("console.spoken_by"), t("console.better")];
	return [make("section", { class: "card", id: "recognition" }, make("header", null, make("h2", null, make("bdi", null, name_of(source))),
		make("p", { class: "row" }, make("span", { class: "soft" }, t("console.recognized_by")), engine_name(heard), quality_of(heard))),
	!!heard && !!heard.better && make("p", { class: "row pad" }, make("span", { class: "soft" }, t("console.better")), better(name_of(source), [heard]))),
	make("section", { class: "card" }, card_head(t("console.translations"), make("span", { class: "count" }, targets.length)), !targets.length && make("p", { class: "soft pad" }, t("console.no_translations")),
	targets.length > 0 && make("div", { class: "scroll" }, make("table", { class: "fold" }, make("thead", null, make("tr", null, ...head.map(text => make("th", { scope: "col" }, text)))),
		make("tbody", null, ...targets.map(one => target_row(signal, all, one))))))];
}

/** The languages that a further model would add, with its command. @param {Engine[]} of @param {string} title */
function draw_missing(of, title) {
	const commands = new Map();
	for (const one of of.filter(one => !one.engine))
		commands.set(one.better, [...commands.get(one.better) || [], one]);
	return commands.size > 0 && make("div", null, make("h3", null, title), ...[...commands.values()].map(ones => make("div", { class: "missing" },
		make("p", null, ones.sort(by_name).map((/** @type {Engine} */ one) => one.target ? t("console.from_to", { from: name_of(one.language), to: name_of(one.target) }) : name_of(one.language)).join(", ")),
		better(title, [ones[0]]))));
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {string[]} rest the spoken language */
export async function draw_languages(view, signal, [code]) {
	const all = /** @type {Engines} */ (await read("languages/engines")), heard = all.recognition.filter(one => one.engine).sort(by_name);
	if (signal.aborted)
		return;
	const chosen = [code, "en"].find(wanted => heard.some(one => one.language === wanted)) || heard.at(0)?.language || "en";
	const place = make("div", { id: "targets", class: "stack" });
	const source = choice("source", t("console.spoken"), Object.fromEntries(heard.map(one => [one.language, name_of(one.language)])), chosen);
	const draw = (/** @type {string} */ language) => fill(place, ...draw_source(signal, all, language));
	source.addEventListener("change", event => {
		const { value } = /** @type {HTMLSelectElement} */ (event.target);
		history.replaceState(null, "", `#/languages/${value}`);
		draw(value);
	});
	draw(chosen);
	const missing = [draw_missing(all.recognition, t("console.recognition")), draw_missing(all.translation, t("console.translations")), draw_missing(all.speech, t("console.speaking"))].filter(Boolean);
	head({ title: t("console.languages"), meta: [t("console.languages_how")] });
	fill(view, make("div", { class: "line" }, source), place,
		missing.length > 0 && make("details", { class: "card" }, make("summary", null, t("console.more_languages")), ...missing));
}
