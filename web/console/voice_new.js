// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a voice from a recording or a file, and shows the progress of the upload. Until the service
// has the whole recording, this page keeps it and the tab keeps the typed values.
import { Problem } from "../shared/api.js";
import { fill, keep, make, say, show } from "../shared/dom.js";
import { has, name_of, t } from "../shared/i18n.js";
import { drop_zone } from "./drop_zone.js";
import { SOURCES, TARGETS } from "./language_codes.js";
import { ENOUGH, recorder } from "./recording.js";
import { ask, change } from "./service.js";
import { button, choice, field, form, tell } from "./words.js";

/** Types that the service accepts, by file extension. @type {Record<string, string>} */
const TYPES = { wav: "audio/wav", w64: "audio/wav", mp3: "audio/mpeg", mp2: "audio/mpeg", m4a: "audio/x-m4a", m4b: "audio/x-m4a", flac: "audio/flac", webm: "video/webm",
	mp4: "video/mp4", m4v: "video/mp4", mov: "video/mp4", "3gp": "video/mp4", "3g2": "video/mp4", mpg: "video/mpeg", mpeg: "video/mpeg", vob: "video/mpeg", ts: "video/mpeg", mts: "video/mpeg", m2ts: "video/mpeg" };
const VOICE_CODES = [...new Set([...SOURCES, ...TARGETS, "es-ar", "es-ch", "es-co", "es-la"])];
const DRAFT = "voice", UPLOAD_TIME = 600000; // ms

/** @type {Record<string, string[]>} */
export const LABELS = { gender: ["Male", "Female", "Neutral"], age_group: ["Young", "Middle-aged", "Old"], mood: ["Neutral", "Happy", "Sad", "Angry", "Calm", "Energetic"] };

/** Returns the languages of voices by their names. */
export const voice_languages = () => Object.fromEntries(VOICE_CODES.filter(code => code !== "auto").map(code => [code, name_of(code)])
	.sort(([, a], [, b]) => a.localeCompare(b)));

/**
 * The recording to send. It stays while other screens are shown.
 * @type {{ sound: Blob, name: string, ending: string } | null}
 */
let sound_kept = null;
/**
 * A voice whose recording was not sent yet: its idempotency key, and the voice created with it.
 * @type {{ of: Blob, values: string, key: string, voice?: any } | null}
 */
let half = null;

addEventListener("beforeunload", event => {
	if (sound_kept)
		event.preventDefault();
});

/* ---- sending ---- */

/** Error codes of the file server, as problems. @type {Record<string, string>} */
const REFUSALS = { EntityTooSmall: "sample-size", EntityTooLarge: "sample-size", QuotaExceeded: "storage-limit-reached", SlowDown: "service-busy" };

/**
 * Sends a file by a form that the service signed.
 * @param {any} target @param {Blob} sound @param {(part: number) => void} progress 0 to 1 @returns {Promise<void>}
 */
const upload = (target, sound, progress) => new Promise((done, refuse) => {
	const body = new FormData(), request = new XMLHttpRequest();
	for (const [name, value] of Object.entries(target.form_data))
		body.append(name, value);
	body.append("file", sound, "sample");
	request.open("POST", target.url);
	request.timeout = UPLOAD_TIME;
	request.upload.onprogress = event => event.lengthComputable && progress(event.loaded / event.total);
	request.onerror = request.ontimeout = request.onabort = () => refuse(new Problem(0, [{ type: "upload-broken" }]));
	request.onload = () => {
		const [, code = ""] = /<Code>(\w+)<\/Code>/.exec(request.responseText) || [];
		if (request.status < 300 || code === "OperationAborted") // an earlier attempt delivered it
			done();
		else
			refuse(new Problem(request.status, [{ type: REFUSALS[code] || "upload-refused" }]));
	};
	request.send(body);
});

/**
 * Checks the size against the form's policy, which is JSON in base64.
 * @param {any} target @param {Blob} sound
 */
function check_size(target, sound) {
	const { conditions } = JSON.parse(atob(target.form_data.Policy));
	const [, least, most] = conditions.find((/** @type {any} */ one) => one[0] === "content-length-range") || [0, 0, Infinity];
	if (sound.size < least || sound.size > most)
		throw new Problem(422, [{ type: "sample-size" }]);
}

/** Deletes the voice whose recording will not be sent. */
async function drop_half() {
	const { voice } = half || {};
	half = null;
	if (voice)
		await change("DELETE", `saas/voice/m/${voice.voice_id}`, undefined).catch(() => {});
}

/**
 * Returns the voice to send to: for an unchanged form and recording, the same one.
 * @param {Record<string, any>} form_values @param {NonNullable<typeof sound_kept>} take
 */
async function voice_for(form_values, take) {
	const values = JSON.stringify(form_values), { name, lang_code, description, denoise, ...labels } = form_values;
	if (half && (half.of !== take.sound || half.values !== values))
		await drop_half();
	half = half || { of: take.sound, values, key: crypto.randomUUID() };
	half.voice = half.voice || (await ask("POST", "saas/voice/clone", { key: half.key, data: { name, description, labels, samples: [{ filename: `sample.${take.ending}`,
		display_name: take.name.slice(0, 255), mime_type: TYPES[take.ending], lang_code, denoise: !!denoise }] } })).data;
	return half.voice;
}

/** @param {Record<string, any>} values @param {(part: number) => void} progress */
async function make_voice(values, progress) {
	const take = /** @type {NonNullable<typeof sound_kept>} */ (sound_kept), { samples: [target] } = await voice_for(values, take);
	try {
		check_size(target, take.sound);
		await upload(target, take.sound, progress);
	} catch (error) {
		if (/** @type {Problem} */ (error).slug !== "upload-broken")
			await drop_half(); // this form will never accept it
		throw error;
	}
	half = sound_kept = null;
	keep("tab", DRAFT, null);
}

/* ---- the form ---- */

/** @param {HTMLElement} place @param {() => void} again */
function show_take(place, again) {
	const { sound, name } = /** @type {NonNullable<typeof sound_kept>} */ (sound_kept), url = URL.createObjectURL(sound), note = make("p", { role: "status", class: "soft" });
	const player = make("audio", { controls: true, src: url, "aria-label": t("console.take"), onloadedmetadata: () =>
		say(note, Number.isFinite(player.duration) && player.duration < ENOUGH ? t("console.problem.sample-short") : "") });
	fill(place, make("p", { dir: "auto" }, name), player, note, make("div", { class: "row" }, button(t("console.other_take"), () => {
		URL.revokeObjectURL(url);
		sound_kept = null;
		again();
	})));
}

/** @param {HTMLElement} place @param {AbortSignal} signal @param {() => void} shown */
function ask_take(place, signal, shown) {
	const take = (/** @type {Blob} */ sound, /** @type {string} */ name) => {
		const ending = (name.split(".").pop() || "").toLowerCase();
		if (!TYPES[ending])
			return tell(t("console.voice_file_bad"), true);
		sound_kept = { sound, name, ending };
		shown();
	};
	const input = make("input", { type: "file", name: "sound", accept: Object.keys(TYPES).map(ending => `.${ending}`).join(), onchange: () =>
		input.files && input.files[0] && take(input.files[0], input.files[0].name) });
	fill(place, make("div", { class: "fields top" }, recorder(signal, sound => take(sound, `${t("console.take")}.wav`)),
		drop_zone(make("label", null, t("console.voice_file"), input), files => take(files[0], files[0].name))));
}

/** Returns the name of a label. API clients may have set others. @param {string} label */
export const label_name = label => has(`console.label.${label}`) ? t(`console.label.${label}`) : label;

/** @param {string} name @param {string | null} [value] */
export const label_choice = (name, value) => choice(name, t(`console.label_of.${name}`), { "": "–", ...Object.fromEntries([...LABELS[name], value || ""].filter(one => one).map(one => [one, label_name(one)])) }, value || "");

/** @param {AbortSignal} signal @param {() => any} made */
export function new_voice(signal, made) {
	const place = make("div", null), bar = make("progress", { max: 1, value: 0, hidden: true, "aria-label": t("console.uploading") });
	const draft = JSON.parse(keep("tab", DRAFT) || "{}");
	const see = () => sound_kept ? show_take(place, see) : ask_take(place, signal, see);
	const it = form(t("console.make_voice"), async values => {
		if (!sound_kept)
			return tell(t("console.no_take"), true);
		show(bar, true);
		try {
			const { sound, ...rest } = values;
			await make_voice(rest, part => (bar.value = part));
		} finally {
			show(bar, false);
			bar.value = 0;
		}
		it.reset();
		see();
		tell(t("console.voice_arrived"));
		made();
	}, place, make("div", { class: "fields" }, field("name", t("console.name"), { value: draft.name || "", required: true, minLength: 3, maxLength: 64 }),
		choice("lang_code", t("console.voice_language"), voice_languages(), draft.lang_code || "en"),
		...Object.keys(LABELS).map(name => label_choice(name, draft[name])), field("description", t("console.description"), { value: draft.description || "", maxLength: 2000 })),
	make("label", { class: "check" }, make("input", { type: "checkbox", name: "denoise", checked: !!draft.denoise }), make("span", null, t("console.denoise"))),
	make("p", { class: "soft" }, t("console.consent")), bar);
	it.addEventListener("input", () => keep("tab", DRAFT, JSON.stringify(Object.fromEntries([...new FormData(it)].filter(([name]) => name !== "sound")))));
	see();
	return make("details", { class: "card", open: !!sound_kept || Object.keys(draft).length > 0 }, make("summary", null, t("console.new_voice")), it);
}
