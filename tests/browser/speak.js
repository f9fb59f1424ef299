// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The speaker's page: its messages about the microphone, breaks, and its stored settings.
const assert = require("node:assert/strict");
const { hall } = require("./halls.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { phone, enter } = require("./listen.js");
const { open, end, state, lines, says, is_clean, icy_way } = require("./pages.js");
const { base, call } = require("./service.js");

// A microphone without sound, at a page whose socket is `wire`.
const SILENCE = "navigator.mediaDevices.getUserMedia = async () => new MediaStreamAudioDestinationNode(new AudioContext(), { channelCount: 1 }).stream;";

// Texts come in any order.
async function what_was_said_keeps_the_order_of_its_languages(browser) {
	const { speaker } = await hall({ target_languages: ["es", "de"] });
	const page = await open(browser, speaker, `${CALL}${SILENCE}delete window.RTCPeerConnection`);
	await state(page, "running");
	const hear = (type, phrase, language) => page.ask(`wire.onmessage({ data: JSON.stringify({ message_type: "${type}_transcription", data: { transcription: {
		transcription_id: "${phrase}", language: "${language}", text: "${phrase} ${language}" } } }) })`);
	for (const [phrase, languages] of [["one", ["en", "es", "de"]], ["two", ["de", "es", "en"]], ["three", ["es", "en", "de"]]])
		for (const language of languages)
			await hear(language === "en" ? "validated" : "translated", phrase, language);
	assert.deepEqual(await page.ask("[...log.children].map(row => [...row.children].map(one => one.lang).join())"), ["en,de,es", "en,de,es", "en,de,es"]);
	assert.equal(await page.ask("new Set([...log.lastChild.children].slice(1).map(one => getComputedStyle(one).fontSize)).size"), 1);
	await hear("partial", "four", "en");
	await hear("translated", "three", "es");
	assert.equal(await page.text("partial"), "four en", "a translation leaves the words that are being spoken");
	await hear("validated", "four", "en");
	assert.equal(await page.text("partial"), "");
	await end(page);
}

// Replaces the recording by a microphone with a tone of this pitch.
const microphone = height => `navigator.mediaDevices.getUserMedia = async wanted => {
	window.wanted = wanted;
	const context = new AudioContext(), tone = new OscillatorNode(context, { frequency: 300 });
	const gain = new GainNode(context, { gain: ${height} }), to = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
	tone.connect(gain).connect(to);
	tone.start();
	window.gain = gain.gain;
	return to.stream;
}`;

async function a_speaker_is_told_how_the_microphone_is(browser) {
	const { speaker } = await hall();
	const page = await open(browser, speaker, microphone(0.01));
	await page.until("/Too quiet/.test(advice.textContent)", 15);
	await page.ask("gain.value = 0");
	await page.until("/No sound comes/.test(advice.textContent)", 15);
	await page.ask("gain.value = 3");
	await page.until("/Too loud/.test(advice.textContent)", 15);
	await page.ask("gain.value = 0.4");
	await page.until("advice.textContent === ''", 15);
	const { echoCancellation, noiseSuppression } = await page.ask("wanted.audio");
	assert.deepEqual([echoCancellation, noiseSuppression], [false, false]);
	await page.ask("echo.click()");
	await page.until("wanted.audio.echoCancellation === true", 5);
	await state(page, "running");
	await end(page);
	is_clean(page);
}

// By the short link. Nothing of the check reaches a listener, and the hall stays silent.
async function a_microphone_is_checked_before_it_is_on_the_air(browser) {
	const event = await hall({ target_languages: ["es", "de"] });
	const { short_url } = await call("GET", `/saas/channel/${event.channel_id}/speaker-token`);
	const reader = await phone(browser, event.link("language=es"));
	await enter(reader);
	await state(reader, "waiting");
	const page = await browser.page();
	await be_phone(page);
	await page.open(short_url, CALL);
	await page.until("pair.textContent === 'From English to Spanish, German'", 10, "the languages of the hall");
	await page.click("check");
	await page.until("/^Speak now: \\d s$/.test(checked.textContent) && level.value > 0.05", 5, "the recording");
	await page.until("checked.textContent === 'This was understood:'", 20, "what was understood");
	assert.deepEqual((await page.ask("[...understood.children].map(one => one.lang + ' ' + one.textContent)")).filter((one, i, all) => all.indexOf(one) === i).sort(),
		["de [de] hello world", "en hello world", "es [es] hello world"]);
	await fits(page);
	await is_accessible(page);
	await page.ask("window.played = [], HTMLMediaElement.prototype.play = function () { played.push(this); return Promise.resolve(); }, hear.click()");
	await page.until("played.length === 1 && played[0].duration > 4.5 && played[0].duration < 6.5", 5, "the recording to hear");
	assert.equal(await page.ask("window.sent || 0"), 0); // nothing for the channel
	assert.deepEqual(await lines(reader, "es"), []);
	assert.equal(await reader.ask("document.body.dataset.state"), "waiting");
	await page.click("start");
	await says(reader, "es", 1, 20);
	await is_accessible(page);
	assert.match(await page.text("since"), /^for \d+ min$/);
	await end(page);
	is_clean(page);
}

async function a_microphone_that_hears_nothing_is_told_at_the_check(browser) {
	const event = await hall();
	const page = await (await browser.page()).open(event.speaker, microphone(0));
	await page.until("document.body.dataset.state === 'none'", 10);
	await page.click("check");
	await page.until("/^Nothing was understood/.test(checked.textContent) && /No sound comes/.test(advice.textContent)", 30, "words");
	await page.click("check"); // going on the air ends a check
	await page.until("/^Speak now/.test(checked.textContent)", 5);
	await page.click("start");
	await state(page, "running", 20);
	await end(page);
	is_clean(page);
}

async function a_speakers_link_that_leads_nowhere_asks_for_another(browser) {
	const { event, channel_id } = await hall({ access_code: "harbour-7" });
	const { short_url } = await call("GET", `/saas/channel/${channel_id}/speaker-token`);
	const page = await browser.page();
	await be_phone(page);
	await page.open(`${base}/s/abcdefghij`);
	await page.until("/^This link leads nowhere/.test(error.textContent) && short.checkVisibility()", 10, "words");
	await fits(page);
	await is_accessible(page);
	await page.ask("short.value = 'nonsense', form.requestSubmit()");
	assert.match(await page.text("error"), /ten letters and digits/);
	await page.ask(`short.value = ${JSON.stringify(short_url)}, form.requestSubmit()`);
	await page.until("location.pathname === '/speak/' && document.body?.dataset.state === 'none' && !document.getElementById('code_form').hidden", 10, "the question for the code");
	await is_accessible(page);
	await page.ask("code.value = 'harbour-7', code_form.requestSubmit()");
	await page.until(`code_form.hidden && title.textContent === ${JSON.stringify(`${event.title} · ${event.stages[0].name}`)}`, 10, "the name");
	assert.equal(await page.text("error"), "");
}

// The colours of the picture of a meter, near its top and near its bottom.
async function the_meter_is_filled_from_top_to_bottom(browser) {
	const page = await (await browser.page()).open(`${base}/speak/`), painter = await browser.page();
	const clip = await page.ask(`(one => { one.value = 0.5; level.after(one); const { x, y, width, height } = one.getBoundingClientRect(); return { x, y, width, height, scale: 1 }; })(Object.assign(level.cloneNode(), { id: "half" }))`);
	const { data } = await page.send("Page.captureScreenshot", { clip });
	const [top, bottom, empty] = await painter.ask(`(async () => {
		const picture = new Image(), canvas = document.createElement("canvas").getContext("2d");
		picture.src = "data:image/png;base64,${data}";
		await picture.decode();
		canvas.drawImage(picture, 0, 0);
		return [[3, 6], [3, picture.height - 6], [picture.width - 60 - picture.width % 10 + 3, 6]].map(([x, y]) => String(canvas.getImageData(x, y, 1, 1).data));
	})()`);
	assert.equal(top, bottom);
	assert.notEqual(top, empty);
}

async function a_speaker_makes_a_break_or_ends(browser) {
	const event = await hall();
	const reader = await phone(browser, event.link("language=es"));
	await enter(reader);
	const page = await browser.page();
	await be_phone(page);
	await page.open(event.speaker);
	await page.until("document.body.dataset.state === 'none'", 10);
	await fits(page);
	await is_accessible(page);
	await page.click("start");
	await says(reader, "es", 1, 20);
	assert.equal(await page.text("state"), "You are heard");
	await page.click("end");
	await is_accessible(page);
	await page.click("back");
	await state(page, "running", 1);
	await page.click("end");
	await page.click("break");
	await state(page, "paused");
	await state(reader, "break", 15);
	const then = (await lines(reader, "es")).length;
	await page.click("start");
	await state(reader, "live", 15);
	await says(reader, "es", then + 1, 15);
	await end(page);
	await state(reader, "break", 15);
	is_clean(page);
}

async function speech_without_a_network_is_kept_and_sent(browser) {
	const event = await hall();
	const path = await icy_way();
	const reader = await phone(browser, event.link("language=es"));
	await enter(reader);
	const page = await open(browser, event.speaker.replace(base, `http://${path.host}`), path.leads);
	await says(reader, "es", 1, 20);
	path.freeze(true);
	await page.until("!offline.hidden && /(\\d+) s of your speech/.test(offline.textContent)", 30, "the banner");
	await page.until("Number(offline.textContent.match(/\\d+/)[0]) >= 5", 30, "speech to be kept");
	const then = (await lines(reader, "es")).length;
	await page.ask("window.sent = 0, WebSocket.prototype.send = (was => function (text) { sent += /input_audio_data/.test(text); return was.call(this, text); })(WebSocket.prototype.send)");
	path.thaw();
	await state(page, "running", 30);
	await page.until("offline.hidden && sent > 15", 10, "what was kept to be sent");
	await says(reader, "es", then + 2, 20);
	await end(page);
}

async function a_speaker_sees_the_listeners(browser) {
	const event = await hall({ target_languages: ["es", "fr"] });
	const listens = async language => {
		const page = await phone(browser, event.link(`language=${language}`));
		await enter(page);
		return page;
	};
	const speaker = await open(browser, event.speaker);
	await speaker.until("listeners.textContent === 'No listeners yet'", 15);
	const first = await listens("fr");
	await speaker.until("listeners.textContent === '1 listens: French 1'", 15);
	const others = [await listens("es"), await listens("es")];
	await speaker.until("listeners.textContent === '3 listen: Spanish 2, French 1'", 15);
	await first.close();
	await speaker.click("start"); // also during a break
	await speaker.until("listeners.textContent === '2 listen: Spanish 2'", 15);
	await fits(speaker);
	await end(speaker);
	assert.equal(await speaker.text("listeners"), "");
	for (const page of [speaker, ...others])
		is_clean(page);
}

// Takes the microphone away, as a telephone call, Siri or an alarm does on a phone. The page has
// only the socket for sound.
const CALL = `window.contexts = []; window.called = false;
	AudioContext = class extends AudioContext { constructor(...how) { super(...how); contexts.push(this); } };
	AudioContext.prototype.resume = (was => function () { return called ? Promise.reject(new Error("a call")) : was.call(this); })(AudioContext.prototype.resume);
	window.call = () => (called = true, Promise.all(contexts.filter(one => one.state === "running").map(one => one.suspend())));
	WebSocket.prototype.send = (was => function (text) { window.wire = this; window.sent = (window.sent || 0) + /input_audio_data/.test(text); return was.call(this, text); })(WebSocket.prototype.send);`;

async function a_microphone_that_a_call_interrupted_comes_back(browser) {
	const event = await hall();
	const page = await open(browser, event.speaker, CALL);
	await state(page, "running");
	await says(page, "es", 1, 20);
	// The microphone can be opened again at once.
	await page.ask("Promise.all(contexts.map(one => one.suspend())).then(() => sent = 0)");
	await page.until("sent > 3 && state.textContent === 'You are heard'", 10, "sound without a touch");
	for (const sign of ["document.dispatchEvent(new Event('visibilitychange'))", "dispatchEvent(new Event('pageshow'))", "title.click()"]) {
		await page.ask("call()");
		await page.until("/microphone is interrupted/.test(state.textContent)", 5, "words");
		await page.ask(`wire.onmessage({ data: JSON.stringify({ message_type: "warning", data: { code: "AUDIO_STREAM_STALLED", message: "No audio has come for 5 s" } }) })`);
		assert.equal(await page.text("warning"), "No sound comes from your microphone any more.");
		assert.ok(await page.ask("wake.checkVisibility() && wake.getBoundingClientRect().height > 80"));
		await page.ask(`called = false, sent = 0, ${sign}`);
		await page.until("sent > 3 && state.textContent === 'You are heard' && warning.textContent === '' && wake.hidden", 10, sign);
	}
	// No text may be lost in a break, and speech afterwards is translated.
	await page.click("start");
	await state(page, "paused");
	await page.ask("call()");
	await page.ask("called = false, sent = 0");
	await page.click("start");
	await page.until("sent > 3 && state.textContent === 'You are heard'", 10, "sound after a break");
	const then = (await lines(page, "es")).length;
	await says(page, "es", then + 1, 20);
	await end(page);
}

async function a_microphone_that_is_muted_or_unplugged_is_told_or_replaced(browser) {
	const event = await hall();
	const page = await open(browser, event.speaker, `${CALL}window.asked = 0; navigator.mediaDevices.getUserMedia = (was => async how => {
		asked++;
		window.stream = await was.call(navigator.mediaDevices, how);
		return stream; })(navigator.mediaDevices.getUserMedia);`);
	await state(page, "running");
	const muted = is => page.ask(`(track => { Object.defineProperty(track, "muted", { value: ${is}, configurable: true });
		track.dispatchEvent(new Event("${is ? "mute" : "unmute"}")); })(stream.getAudioTracks()[0])`);
	await muted(true);
	await page.until("/microphone is interrupted/.test(state.textContent)", 5, "words");
	await muted(false);
	await page.until("state.textContent === 'You are heard'", 5, "no words");
	await page.ask("stream.getAudioTracks()[0].dispatchEvent(new Event('ended'))");
	await page.until("asked === 2", 10, "another microphone");
	await page.ask("sent = 0");
	await page.until("sent > 3 && document.body.dataset.state === 'running'", 10, "its sound");
	await page.ask("navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error('none')), stream.getAudioTracks()[0].dispatchEvent(new Event('ended'))");
	await state(page, "ended");
	assert.equal(await page.text("error"), "The microphone has gone.");
}

async function a_listener_hears_on_after_a_call(browser) {
	const event = await hall();
	const reader = await phone(browser, event.link("language=es"), {}, `${CALL}delete window.RTCPeerConnection;`);
	await enter(reader);
	const speaker = await open(browser, event.speaker);
	await says(reader, "es", 1, 20);
	await state(reader, "live");
	await reader.ask("call()");
	await reader.until("/sound is interrupted/.test(state.textContent)", 10, "words");
	await reader.ask("called = false, title.click()");
	await reader.until("contexts.some(one => one.state === 'running') && !/interrupted/.test(state.textContent)", 10, "sound");
	await end(speaker);
}

module.exports = { cases: [what_was_said_keeps_the_order_of_its_languages, the_meter_is_filled_from_top_to_bottom, a_microphone_is_checked_before_it_is_on_the_air, a_microphone_that_hears_nothing_is_told_at_the_check,
	a_speakers_link_that_leads_nowhere_asks_for_another, a_microphone_that_a_call_interrupted_comes_back, a_microphone_that_is_muted_or_unplugged_is_told_or_replaced, a_listener_hears_on_after_a_call, a_speaker_sees_the_listeners, speech_without_a_network_is_kept_and_sent, a_speaker_makes_a_break_or_ends, a_speaker_is_told_how_the_microphone_is] };
