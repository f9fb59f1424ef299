// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Speaker and listeners in a browser, over WebSocket.
const assert = require("node:assert/strict");
const { createServer } = require("node:http");
const { connect, createServer: createTcp } = require("node:net");
const { nap } = require("./chromium.js");
const { ear } = require("./ear.js");
const { base, call, page_of, end_program, by_janus } = require("./service.js");

const lines = (page, language) => page.ask(
	`[...document.querySelectorAll("[role=log] [lang='${language}']")].map(e => e.textContent)`);
const says = (page, language, n, seconds) => page.until(
	`document.querySelectorAll("[role=log] [lang='${language}']").length >= ${n}`, seconds,
	`${n} lines of ${language}`);
// The state that the page sets for its style.
const state = (page, is, seconds = 10) => page.until(
	`document.body.dataset.state === "${is}"`, seconds, `state ${is}`);
const way = (page, is, seconds = 15) => page.until(
	`document.body.dataset.way === "${is}" && document.body.dataset.state !== "away"`, seconds, `sound by ${is}`);
async function settings(page) {
	await page.click("more");
	await page.until("document.getElementById('done')", 10, "the settings");
}

async function leave(page) {
	await settings(page);
	await page.click("leave");
}

const choose = (page, code) => page.ask(`language.value = '${code}', language.dispatchEvent(new Event('change'))`);

// Expects that the page sent requests to this service only, and reported no errors.
function is_clean(page, hosts = [new URL(base).host]) {
	for (const url of page.requests)
		assert.match(url, new RegExp(`^(data:|blob:)?((http|ws)://(${hosts.join("|")})/|,)`));
	assert.deepEqual(page.complaints, []);
}

async function open_session(listeners) {
	const session = await call("POST", "/session-storage/session", { subscriber_count: listeners });
	session.speaker = page_of("speaker", { ws_url: session.ws_url, token: session.publisher,
		from: "en", to: "es,pt-br" });
	session.listener = (i, language) => page_of("listener", { ws_url: session.ws_url,
		token: session.subscriber[i], language });
	return session;
}

// before: a script that runs in the page before the page's own scripts.
async function open(browser, url, before = "") {
	const page = await (await browser.page()).open(url, `${ear};${before}`);
	await page.until("document.getElementById('start') ? document.body.dataset.state : !choice.hidden && !listen.disabled", 15);
	await page.ask("(document.getElementById('start') || listen).click()");
	return page;
}

// The script engine speaks 60 ms for each letter, at 220 Hz.
const ES = "[es] hello world".length * 0.06;

// Expects that at least one phrase of each length is heard whole, without other sounds. On a busy
// machine other phrases may be late; ring.js checks every sample.
function sounds_are_about(sounds, wanted) {
	const told = JSON.stringify(sounds);
	for (const seconds of new Set(wanted))
		assert.ok(sounds.some(one => one.seconds > seconds - 0.15 && one.seconds < seconds + 0.15), `${seconds}: ${told}`);
	for (const sound of sounds.filter(one => one.seconds > 0.1)) {
		assert.ok(Math.abs(sound.hz - 220) < 3, told);
		assert.ok(sound.height > 0.1, told);
	}
}

// Expects that the phrases of the next seconds, received by WebRTC, have their length and pitch,
// within a codec's error.  A busy machine loses frames while it records, so the check is repeated.
async function hears(page, times = 6) {
	for (let i = 1;; i++)
		try {
			return phrases_are_whole(await page.ask("sounds_of(audio.srcObject.getTracks()[0], 6)"));
		} catch (error) {
			if (i >= times)
				throw error;
			console.log(`browser: heard again: ${error.message} ${await page.ask(RECEIVED)}`);
		}
}

// The track of the gateway's own WebRTC, not of a Janus.
const RECEIVED = `window.peer && peer.getStats().then(all => JSON.stringify([...all.values()]
	.filter(one => one.type === "inbound-rtp").map(({ packetsReceived, packetsLost, packetsDiscarded, concealedSamples,
		silentConcealedSamples, concealmentEvents, insertedSamplesForDeceleration, removedSamplesForAcceleration, totalSamplesReceived }) =>
		({ packetsReceived, packetsLost, packetsDiscarded, concealedSamples, silentConcealedSamples, concealmentEvents,
			insertedSamplesForDeceleration, removedSamplesForAcceleration, totalSamplesReceived }))))`;

function phrases_are_whole(sounds) {
	const told = JSON.stringify(sounds);
	const whole = sounds.filter(sound => sound.whole);
	assert.ok(whole.length > 0, told);
	for (const sound of whole) {
		assert.ok(sound.seconds > ES - 0.05 && sound.seconds < ES + 0.1, told);
		assert.ok(Math.abs(sound.hz - 220) < 3, told);
		assert.ok(sound.height > 0.1, told);
	}
}

async function end(speaker, seconds = 12) {
	await speaker.click("end");
	await speaker.click("finished");
	await state(speaker, "ended", seconds);
}

async function a_speaker_is_heard_in_two_languages(browser) {
	const session = await open_session(2);
	const first = await open(browser, session.listener(0, "es"));
	const second = await open(browser, session.listener(1, "pt-br"));
	await way(second, "socket");
	assert.ok(second.requests.some(url => url.includes("format=opus")));
	const speaker = await open(browser, session.speaker);
	await state(speaker, "running");
	await speaker.until("document.getElementById('partial').textContent === 'hello world'", 5);
	await speaker.until("document.getElementById('level').value > 0.05", 3);
	await says(speaker, "es", 1, 8);
	assert.deepEqual(await lines(speaker, "en"), ["hello world"]);
	assert.deepEqual(await lines(speaker, "es"), ["[es] hello world"]);
	await says(second, "pt-br", 1, 2);
	await second.until("document.getElementById('language').length === 3", 5, "three languages");
	await choose(second, "es");
	await says(second, "es", 1, 8);
	for (const name of ["Spanish", "Brazilian Portuguese"]) // at least one phrase
		assert.ok(Number((await speaker.text("spoken")).match(`${name} ([0-9.]+) s`)[1]) > 0.9);
	await end(speaker);
	for (const page of [first, second])
		await state(page, "over", 2);
	await nap(1500); // sound that has arrived is played to its end

	const es = await lines(first, "es");
	assert.ok(es.length >= 2);
	assert.deepEqual(await lines(first, "pt-br"), []);
	sounds_are_about(await first.ask("sounds_played()"), es.map(() => ES));
	// The phrase that the change of language cut off does not count.
	sounds_are_about(await second.ask("sounds_played()"), [ES]);
	for (const page of [speaker, first, second])
		is_clean(page);
}

async function a_pause_is_silent_and_a_drop_is_mended(browser) {
	const session = await open_session(1);
	const listener = await open(browser, session.listener(0, "es"));
	const speaker = await open(browser, session.speaker);
	await says(speaker, "es", 1, 10);
	await speaker.click("start");
	await state(speaker, "paused");
	await nap(500); // speech before the pause is still translated
	const before = (await lines(speaker, "en")).length;
	await nap(4000);
	assert.equal((await lines(speaker, "en")).length, before);
	await speaker.click("start");
	await state(speaker, "running");
	await says(speaker, "es", before + 1, 10);

	end_program("gateway", "SIGTERM");
	await speaker.until("document.body.dataset.state !== 'running'", 10, "the loss to be seen");
	assert.equal(await speaker.text("error"), "The connection was lost; trying again.");
	const then = (await lines(speaker, "es")).length;
	await state(speaker, "running", 15);
	await state(listener, "live", 15);
	await says(speaker, "es", then + 1, 10);
	await says(listener, "es", then + 1, 5);
	assert.equal(await speaker.text("error"), "");
}

a_pause_is_silent_and_a_drop_is_mended.alone = "gateway";

async function a_form_works_as_a_link(browser) {
	const session = await open_session(0);
	const page = await (await browser.page()).open(page_of("speaker"));
	await page.until("document.body.dataset.state && !form.hidden", 5);
	await page.click("start");
	assert.equal(await page.text("error"), "The address of a stream is missing.");
	for (const [id, value] of [["ws_url", session.ws_url], ["token", session.publisher], ["to", "fr , de"]])
		await page.ask(`document.getElementById("${id}").value = "${value}"`);
	await page.click("start");
	await says(page, "de", 1, 10);
	assert.deepEqual(await lines(page, "fr"), ["[fr] hello world"]);
	is_clean(page);
}

async function open_hall() {
	const soon = hours => new Date(Date.now() + hours * 3600000).toISOString();
	const event = await call("POST", "/saas/v2/event", { title: "Forum", event_type: "online",
		utc_start_dt: soon(-1), utc_end_dt: soon(3) });
	const { input } = await call("POST", "/saas/channel", { type: "event", name: "Main",
		event_id: event.event_id, source_language: "en", target_languages: ["es"] });
	return { event: event.event_id, speaker: page_of("speaker", { ws_url: input.url, token: input.token }) };
}

async function a_break_is_shown_and_ends_by_itself(browser) {
	const { event, speaker } = await open_hall();
	const page = await open(browser, page_of("listener", { event, language: "es" }));
	await state(page, "waiting");
	const first = await open(browser, speaker);
	await state(page, "live", 15);
	await says(page, "es", 1, 12);
	await end(first);
	await state(page, "break");
	const then = (await lines(page, "es")).length;
	const next = await open(browser, speaker);
	await state(page, "live", 15);
	await says(page, "es", then + 1, 12);
	assert.equal(await page.text("error"), "");
	await call("PATCH", `/saas/v2/event/${event}`, { utc_start_dt: "2016-12-01T08:00:00Z",
		utc_end_dt: "2016-12-02T08:00:00Z" });
	await end(next);
	await state(page, "over", 15);
	for (const one of [first, next, page])
		is_clean(one);
}

// A proxy that can freeze: it passes no bytes and reports nothing to either end.  all: later
// connections freeze, too, until thaw.
async function icy_way() {
	const { hostname, port } = new URL(base), ways = new Set();
	let cold = false;
	const server = createTcp(client => {
		const on = connect({ host: hostname, port });
		const way = [client, on];
		way.frozen = cold;
		ways.add(way);
		for (const [from, to] of [[client, on], [on, client]])
			from.on("data", data => way.frozen || to.write(data)).on("error", () => to.destroy())
				.on("close", () => way.frozen || to.destroy());
	});
	server.unref();
	await new Promise(done => server.listen(0, "127.0.0.1", done));
	const host = `127.0.0.1:${server.address().port}`;
	const cut = () => ways.forEach(way => way.forEach(end => end.destroy()));
	// The page gets this proxy's address in place of the service's.
	const leads = `window.WebSocket = class extends WebSocket {
		constructor(url, ...more) { super(String(url).replace("${new URL(base).host}", "${host}"), ...more); }
	}`;
	return { host, leads, of: url => decodeURIComponent(url).replaceAll(new URL(base).host, host), cut,
		freeze: all => (cold = !!all, ways.forEach(way => way.frozen = true)),
		thaw: () => (cold = false, cut()) };
}

async function a_connection_that_dies_silently_is_made_again(browser) {
	const session = await open_session(2), path = await icy_way();
	const listener = await open(browser, path.of(session.listener(0, "es")));
	const speaker = await open(browser, path.of(session.speaker));
	const direct = await open(browser, session.listener(1, "es"));
	await says(listener, "es", 1, 12);
	path.freeze();
	const then = (await lines(listener, "es")).length;
	await Promise.all([state(listener, "away", 25),
		speaker.until("error.textContent === 'The connection was lost; trying again.'", 25)]);
	await state(speaker, "running", 25);
	await state(listener, "live", 25);
	await says(listener, "es", then + 1, 15);
	await says(direct, "es", 2, 15);
	for (const page of [listener, speaker])
		assert.equal(await page.text("error"), "");

	const sockets = page => page.requests.filter(url => url.startsWith("ws:")).length;
	const before = sockets(direct);
	await direct.ask("dispatchEvent(new Event('pageshow')), document.dispatchEvent(new Event('visibilitychange'))");
	await nap(2500);
	assert.equal(sockets(direct), before); // the gateway that is running
	await direct.ask("dispatchEvent(new Event('online'))");
	await state(direct, "away", 2);
	await state(direct, "live", 15);
	assert.equal(sockets(direct), before + 1);
	// The phone slept, and its connection has long been closed.
	await direct.ask("Date.now = (was => () => was() + 20000)(Date.now), dispatchEvent(new Event('pageshow'))");
	await state(direct, "away", 2);
	await state(direct, "live", 15);
}

async function a_refusal_is_told(browser) {
	const session = await open_session(1);
	const at = { ws_url: session.ws_url, from: "en", to: "es" };
	const page = await open(browser, page_of("speaker", { ...at, token: "none" }));
	await state(page, "ended");
	assert.match(await page.text("error"), /token is wrong or has expired/);

	const unknown = await open(browser, page_of("speaker", { ...at, token: session.publisher, to: "xx-none" }));
	await state(unknown, "ended");
	assert.match(await unknown.text("error"), /^pipeline\.translations\.0/);

	const reader = await open(browser, page_of("speaker", { ...at, token: session.subscriber[0] }));
	await reader.until("document.getElementById('error').textContent.startsWith('This link is for listening only.')", 5);

	const first = await open(browser, session.speaker);
	await state(first, "running");
	const newer = await open(browser, session.speaker);
	await state(first, "ended");
	assert.equal(await first.text("error"), "Another speaker uses this token now.");
	await state(newer, "running");
	await call("DELETE", `/session-storage/sessions/${session.id}`);
	await state(newer, "ended");
	assert.match(await newer.text("error"), /deleted/);
}

const picks = page => page.ask("[...document.querySelectorAll('#languages input')].map(one => one.value)");
const pick = (page, code) => page.ask(`document.querySelector("#languages input[value='${code}']").click()`);

async function an_event_is_heard_by_its_listeners(browser) {
	const soon = hours => new Date(Date.now() + hours * 3600000).toISOString();
	const event = await call("POST", "/saas/v2/event", { title: "Health Forum", event_type: "online",
		utc_start_dt: soon(-1), utc_end_dt: soon(3), access_code: "hall-5" });
	const channel = await call("POST", "/saas/channel", { type: "event", name: "Main",
		event_id: event.event_id, source_language: "en", target_languages: ["es", "de"] });
	const first = await (await browser.page()).open(page_of("listener", { event: event.event_id }), ear);
	await first.until("!code_form.hidden", 5);
	for (const [code, answer] of [["hall-6", /That code is wrong/], ["HALL-5", /^$/]]) {
		await first.ask(`code.value = '${code}', code_form.requestSubmit()`);
		await first.until(`${answer}.test(notice.textContent)`, 5);
	}
	const qr = new URLSearchParams({ e: event.event_id, s: event.stages[0].stage_id });
	const second = await (await browser.page()).open(
		page_of("listener", { code: "hall-5", language: "de" }).replace("#", `?${qr}#`), ear);
	for (const page of [first, second]) {
		await page.until("document.getElementById('title').textContent === 'Health Forum' && !choice.hidden", 5);
		assert.deepEqual((await picks(page)).sort(), ["de", "es", "original"]);
	}
	await pick(first, "es");
	for (const page of [first, second]) {
		await page.click("listen");
		await state(page, "waiting");
	}
	const speaker = await open(browser, page_of("speaker",
		{ ws_url: channel.input.url, token: channel.input.token, e: event.event_id, code: "hall-5" }));
	await says(first, "es", 2, 12);
	await state(first, "live");
	await says(second, "de", 2, 2);
	await says(speaker, "es", 2, 2);
	assert.match(await speaker.text("title"), /^Health Forum/);
	assert.deepEqual(await lines(first, "de"), []);
	await leave(second);
	await second.until("!choice.hidden && live.hidden", 5);
	await pick(second, "original");
	await second.click("listen");
	await state(second, "live");
	const { participants_count } = await call("GET", `/saas/v2/event/${event.event_id}/stats`);
	assert.equal(participants_count, 2);
	const before = (await second.ask("sounds_played()")).length;
	await says(second, "en", 1, 8);
	await second.until(`sounds_played().length > ${before}`, 5, "the original to be heard");
	is_clean(speaker);
	// The code was asked for, and a wrong one was entered.
	assert.deepEqual(second.complaints.filter(text => !/status of 403/.test(text)), []);
}

// A foreign server that counts its connections.
async function stranger() {
	const server = createServer((_, answer) => {
		server.asked++;
		answer.setHeader("Content-Type", "text/html").end("<!doctype html><link rel=icon href=data:,>");
	});
	server.asked = 0;
	server.unref();
	await new Promise(done => server.listen(0, "127.0.0.1", done));
	server.host = `127.0.0.1:${server.address().port}`;
	return server;
}

async function nothing_goes_to_a_stranger(browser) {
	const server = await stranger();
	const page = await open(browser, page_of("speaker", { ws_url: `ws://${server.host}/x`, token: "t" }));
	await page.until("error.textContent.startsWith('The link leads to another service')", 5);
	const by_janus = await open(browser,
		page_of("speaker", { webrtc_url: `http://${server.host}/janus`, room: "r" }));
	await by_janus.until("error.textContent.startsWith('The link leads to another service')", 5);
	for (const one of [page, by_janus])
		await state(one, "ended");
	assert.equal(server.asked, 0);
}

nothing_goes_to_a_stranger.complains = true; // the message of the policy

// A gateway without WebRTC refuses in the same way.
async function webrtc_is_refused_readably(browser) {
	const webrtc_url = `${by_janus.base}/streaming-api/webrtc`;
	const server = await stranger();
	const page = await (await browser.page()).open(`http://${server.host}/`);
	const begun = Date.now();
	for (const path of ["", "/rtc/validate?access_token=x"]) {
		const { status, told } = await page.ask(`fetch("${webrtc_url}${path}", {
			headers: { Authorization: "Bearer x" } }).then(async answer =>
			({ status: answer.status, told: await answer.json() }))`);
		assert.equal(status, 501);
		assert.equal(told.errors[0].error_code, 100111);
		assert.equal(told.errors[0].detail, "WebRTC is not configured on this server, use ws_url");
	}
	const closed = await page.ask(`new Promise(done =>
		new WebSocket("${webrtc_url.replace("http", "ws")}/rtc?access_token=x").onclose = event =>
			done(event.code))`);
	assert.equal(closed, 1006);
	assert.ok(Date.now() - begun < 10000);
}

module.exports = { open, end, settings, leave, way, choose, pick, picks, state, lines, says, hears, is_clean, icy_way, cases: [a_speaker_is_heard_in_two_languages,
	a_pause_is_silent_and_a_drop_is_mended, a_form_works_as_a_link,
	an_event_is_heard_by_its_listeners, a_break_is_shown_and_ends_by_itself,
	a_connection_that_dies_silently_is_made_again, a_refusal_is_told, nothing_goes_to_a_stranger, webrtc_is_refused_readably] };
