#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// @palabra-ai/translator in Chromium: a page translates its microphone.
const assert = require("node:assert/strict");
const { open } = require("./browser.js");
const { nap, run } = require("./report.js");

const { BASE_URL, CLIENT_ID, CLIENT_SECRET } = process.env;

// Runs in the page: the client, the events that it received, and the loudness of each language.
async function client(options) {
	const { PalabraClient, getLocalAudioTrack } = await import("/@palabra-ai/translator/dist/lib.js");
	const events = [], loud = {};
	const client = new PalabraClient({ ...options, translateFrom: "en", translateTo: "es",
		handleOriginalTrack: getLocalAudioTrack });
	for (const name of ["transcriptionReceived", "translationReceived", "partialTranscriptionReceived",
		"errorReceived", "connectionStateChanged"])
		client.on(name, data => events.push({ name, data }));
	const context = new AudioContext();
	client.on("remoteTracksUpdate", tracks => tracks.filter(({ language }) => !(language in loud)).forEach(({ language, track }) => {
		loud[language] = 0;
		const analyser = context.createAnalyser();
		const samples = new Float32Array(analyser.fftSize);
		context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
		setInterval(() => {
			analyser.getFloatTimeDomainData(samples);
			loud[language] += samples.some(s => Math.abs(s) > 0.05) ? 1 : 0;
		}, 50);
	}));
	window.mine = { client, events, loud, of: name => events.filter(e => e.name === name) };
	await client.startTranslation();
	await client.startPlayback();
}

async function sessions() {
	const answer = await fetch(`${BASE_URL}/session-storage/sessions`,
		{ headers: { ClientID: CLIENT_ID, ClientSecret: CLIENT_SECRET } });
	return (await answer.json()).data.sessions ?? [];
}

(async () => {
	const { page, close } = await open();
	const options = { apiBaseUrl: BASE_URL, auth: { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } };
	await run({
		"start: texts and sound of the translation": async () => {
			await page.ask(`(${client})(${JSON.stringify(options)})`);
			await page.until(`mine.of("translationReceived").length > 1`, 10);
			await page.until("mine.loud.es > 10", 10);
			const { data } = await page.ask(`mine.of("translationReceived")[0]`);
			assert.match(JSON.stringify(data), /\[es\] hello world/);
			assert.ok(await page.ask(`mine.of("transcriptionReceived").length`));
			assert.ok(await page.ask(`mine.of("partialTranscriptionReceived").length`));
		},
		"another target is another track": async () => {
			await page.ask(`mine.client.addTranslationTarget("fr")`);
			await page.until("mine.loud.fr > 10", 10);
			await page.ask(`mine.client.removeTranslationTarget("fr")`);
		},
		"pause and resume": async () => {
			await page.ask("mine.client.pauseTranslation()");
			await nap(3000);
			const { loud, texts } = await page.ask(`({ loud: mine.loud.es, texts: mine.of("translationReceived").length })`);
			await nap(5000);
			assert.equal(await page.ask("mine.loud.es"), loud);
			await page.ask("mine.client.resumeTranslation()");
			await page.until(`mine.of("translationReceived").length > ${texts} && mine.loud.es > ${loud}`, 10);
		},
		"stop: no error was told, no session is left": async () => {
			await page.ask("mine.client.stopTranslation()");
			assert.deepEqual(await page.ask(`mine.of("errorReceived")`), []);
			assert.deepEqual(await sessions(), []);
		},
	}, close);
})();
