// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: voices, and the choice of voices for halls.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { choose } = require("./console_imports.js");
const { enter, is_clean, make_event, press, shows, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call, microphone } = require("./service.js");

const card_of = name => `[...document.querySelectorAll("#voices > li")].find(e => e.querySelector("h2").innerText === ${JSON.stringify(name)})`;

const fill_in = async (page, name) => {
	await type(page, "name", name);
	await type(page, "lang_code", "en-us");
	await type(page, "gender", "Female");
};

const found = async name => (await call("GET", `/saas/voice?search=${encodeURIComponent(name)}`)).items;

const drop = async name => {
	for (const { voice_id } of await found(name))
		await call("DELETE", `/saas/voice/m/${voice_id}`);
};

async function a_voice_is_recorded_in_the_console_played_and_deleted(browser) {
	const page = await enter(browser, "#/voices"), name = `Recorded ${Date.now()}`;
	await press(page, "New voice");
	await press(page, "Record");
	await page.until("document.querySelector('.record progress').value > 7", 60, "seconds of recording");
	assert.ok(await page.ask("document.querySelector('.record').checkVisibility()"));
	await press(page, "Stop recording");
	await page.until("document.querySelector('audio') && document.querySelector('audio').duration > 3", 30, "what was recorded");
	await shows(page, "shorter than 30 seconds");
	await fill_in(page, name);
	await is_accessible(page);
	await press(page, "Make the voice");
	await shows(page, "The recording has arrived.", 30);
	await page.until(`(${card_of(name)} || {}).innerText?.includes("Ready")`, 60, "the voice to be ready");
	const [voice] = await found(name);
	assert.deepEqual([voice.lang_code, voice.labels.gender, voice.processing_result.warnings.length], ["en-us", "Female", 1]);
	assert.ok(voice.tts_sample.audio_metadata.duration > 0);
	await page.until(`(${card_of(name)}).querySelector(".play")`, 30);
	await press(page, "Play", `(${card_of(name)})`);
	await page.until(`(${card_of(name)}).querySelector(".play[aria-pressed=true]")`, 15, "it to play");
	await page.ask(`(${card_of(name)}).querySelector(".star").click()`);
	await page.until("document.activeElement.matches('.star[aria-pressed=true]')", 15, "the star");
	assert.equal((await found(name))[0].is_favorite, true);
	await press(page, "Change", `(${card_of(name)})`);
	await type(page, "description", "<img src=x onerror=alert(1)>", `(${card_of(name)})`);
	await type(page, "mood", "Calm", `(${card_of(name)})`);
	await press(page, "Save", `(${card_of(name)})`);
	await page.until(`(${card_of(name)}).innerText.includes("<img src=x onerror=alert(1)>")`, 15);
	assert.deepEqual((await found(name))[0].labels, { gender: "Female", age_group: null, mood: "Calm" });
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	await press(page, "Delete", `(${card_of(name)})`);
	await press(page, "Yes, delete it for good");
	await page.until(`!(${card_of(name)})`, 15, "it to be gone");
	assert.deepEqual(await found(name), []);
	is_clean(page);
}

// Replaces the page's first upload by one that breaks off.
const cut_upload = `(real => { let cut = true; XMLHttpRequest.prototype.send = function (...args) {
	if (!cut) return real.apply(this, args);
	cut = false; this.abort(); this.onerror(new ProgressEvent("error")); }; })(XMLHttpRequest.prototype.send)`;

async function a_file_becomes_a_voice_in_the_console_though_its_upload_breaks_off(browser) {
	const page = await enter(browser, "#/voices"), name = `File ${Date.now()}`;
	await press(page, "New voice");
	await fill_in(page, name);
	await press(page, "Make the voice");
	await shows(page, "Record something first, or choose a file.");
	await choose(page, Buffer.from("text"), "notes.txt");
	await shows(page, "Files of this kind are not taken");
	await choose(page, Buffer.alloc(5000), "small.wav");
	await shows(page, "small.wav");
	await press(page, "Make the voice");
	await shows(page, "The file is too small or too large.");
	assert.deepEqual(await found(name), [], "nothing is left of it");
	await press(page, "Take another one");
	await choose(page, twice(readFileSync(microphone)), "speech.wav");
	await page.until("document.querySelector('audio') && document.querySelector('audio').duration > 3", 30);
	await page.ask(cut_upload);
	await press(page, "Make the voice");
	await shows(page, "The upload broke off.");
	assert.equal((await found(name))[0].processing_status, "created");
	await shows(page, "Its recording has not arrived yet");
	// Opening another screen must not lose the form's input.
	await page.ask("location.hash = '#/keys'");
	await page.until("document.querySelector('[name=scope]')", 15);
	await page.ask("location.hash = '#/voices'");
	await page.until(`document.querySelector("audio") && document.querySelector("[name=name]").value === ${JSON.stringify(name)}`, 15, "the form");
	await press(page, "Make the voice");
	await shows(page, "The recording has arrived.", 30);
	await page.until(`(${card_of(name)} || {}).innerText?.includes("Ready")`, 60, "the voice to be ready");
	assert.equal((await found(name)).length, 1);
	await drop(name);
	is_clean(page);
}

// A WAV file with its sound once more: a voice needs 3 s of speech.
function twice(wav) {
	const at = wav.indexOf("data") + 8, sound = wav.subarray(at), both = Buffer.concat([wav, sound]);
	both.writeUInt32LE(both.length - 8, 4);
	both.writeUInt32LE(2 * sound.length, at - 4);
	return both;
}

// A WAV file of silence with this number of bytes, mono, 16 kHz.
function silence(bytes) {
	const head = Buffer.from("RIFF....WAVEfmt ....................data....");
	[[4, 36 + bytes], [16, 16], [24, 16000], [28, 32000], [40, bytes]].forEach(([at, value]) => head.writeUInt32LE(value, at));
	[[20, 1], [22, 1], [32, 2], [34, 16]].forEach(([at, value]) => head.writeUInt16LE(value, at));
	return Buffer.concat([head, Buffer.alloc(bytes)]);
}

async function a_recording_without_speech_fails_in_words_in_the_console(browser) {
	const page = await enter(browser, "#/voices"), name = `Silent ${Date.now()}`;
	await press(page, "New voice");
	await fill_in(page, name);
	await choose(page, silence(200000), "silent.wav");
	await press(page, "Make the voice");
	await page.until(`(${card_of(name)} || {}).innerText?.includes("Could not be made")`, 90, "the voice to fail");
	await shows(page, "less than 3 seconds of speech");
	await drop(name);
	is_clean(page);
}

async function built_in_voices_are_found_in_the_console(browser) {
	const page = await enter(browser, "#/voices/builtin"), names = () => page.ask("[...document.querySelectorAll('#voices h2')].map(e => e.innerText)");
	await page.until("document.querySelectorAll('#voices > li').length === 10", 15);
	const first = await names();
	await press(page, "Next");
	await page.until(`document.querySelector("#voices h2").innerText !== ${JSON.stringify(first[0])}`, 15, "the next page");
	assert.ok((await names()).every(name => !first.includes(name)));
	await press(page, "Search");
	await type(page, "lang", "es-mx");
	await press(page, "Find");
	await page.until("document.querySelectorAll('#voices > li').length === 1", 15, "the voice of Mexico");
	assert.equal(await page.ask(`document.querySelectorAll("#voices .danger").length`), 0);
	await is_accessible(page);
	is_clean(page);
}

async function voices_and_glossaries_of_halls_are_chosen_in_the_console(browser) {
	const { event_id, stages } = await make_event({ stages: [{ name: "Red" }, { name: "Blue" }] });
	const kept = { transcription: { segment_confirmation_silence_threshold: 0.9 }, translations: [{ target_language: "es", translation_model: "auto" }] };
	const [red, blue] = await Promise.all(stages.map(({ stage_id, name }) => call("POST", "/saas/channel", { type: "event", event_id, stage_id, name,
		source_language: "en", target_languages: ["es", "de"], translation_pipeline: kept })));
	const glossary = await call("POST", "/saas/glossary", { name: `Chosen ${Date.now()}`, glossary_type: "translation", source_lang: "en", target_lang: "de" });
	const [{ voice_id }] = (await call("GET", "/saas/voice/builtin?search=Lucia")).items;
	const page = await enter(browser, `#/event/${event_id}/speech`);
	const card = id => `document.querySelector('[data-channel="${id}"]')`;
	await page.until(`${card(red.channel_id)} && ${card(blue.channel_id)}`, 20);
	const pick = (id, language, value) => page.ask(`(e => { e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event("change", { bubbles: true })); })(${card(id)}.querySelector('[data-language="${language}"]'))`);
	await pick(red.channel_id, "es", voice_id);
	await pick(red.channel_id, "de", "none");
	assert.ok(await page.ask(`[...${card(red.channel_id)}.querySelectorAll(".play")].some(e => e.checkVisibility())`), "the voice can be heard");
	await page.ask(`${card(red.channel_id)}.querySelector("[name=which][value=some]").click()`);
	await page.ask(`${card(red.channel_id)}.querySelector('[name=glossary][value="${glossary.glossary_id}"]').click()`);
	await is_accessible(page);
	await press(page, "Save", card(red.channel_id));
	await shows(page, "Saved. Halls: 1");
	const pipeline = async ({ channel_id }) => (await call("GET", `/saas/channel/${channel_id}`)).translation_pipeline;
	const now = await pipeline(red), [es, de] = ["es", "de"].map(code => now.translations.find(one => one.target_language === code));
	assert.equal(now.transcription.segment_confirmation_silence_threshold, 0.9);
	assert.deepEqual([es.speech_generation.voice_id, es.translation_model, de.speech_generation], [voice_id, "auto", null]);
	assert.deepEqual([es.allowed_translation_glossary_ids, de.allow_translation_glossaries, now.transcription.allow_hotwords_glossaries], [[glossary.glossary_id], true, false]);
	assert.deepEqual(await pipeline(blue), kept);
	await pick(red.channel_id, "es", "pitch");
	await press(page, "Use for every hall of this event", card(red.channel_id));
	await shows(page, "Saved. Halls: 2");
	assert.equal((await pipeline(blue)).translations.find(one => one.target_language === "es").speech_generation.voice_timbre_detection.enabled, true);
	await page.until(`${card(blue.channel_id)} && ${card(blue.channel_id)}.querySelector('[data-language=es]').value === "pitch"`, 15, "the other hall to show it");
	assert.equal(await page.ask(`${card(blue.channel_id)}.querySelector("[name=glossary]:checked").value`), glossary.glossary_id);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

module.exports = { cases: [a_voice_is_recorded_in_the_console_played_and_deleted, a_file_becomes_a_voice_in_the_console_though_its_upload_breaks_off,
	a_recording_without_speech_fails_in_words_in_the_console, voices_and_glossaries_of_halls_are_chosen_in_the_console, built_in_voices_are_found_in_the_console] };
