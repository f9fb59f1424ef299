// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The pages with the gateway's own WebRTC.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { open, end, settings, leave, way, choose, state, lines, says, hears, is_clean, icy_way } = require("./pages.js");
const { base, call, page_of, end_program, by_janus } = require("./service.js");

async function open_session(webrtc) {
	const { id, ws_url, publisher, subscriber, webrtc_url } =
		await call("POST", "/session-storage/session", { subscriber_count: 2 });
	const at = { ws_url, webrtc_url: webrtc || webrtc_url };
	return { close: () => call("DELETE", `/session-storage/sessions/${id}`),
		speaker: page_of("speaker", { ...at, token: publisher, from: "en", to: "es,pt-br" }),
		listener: (i, language) => page_of("listener", { ...at, token: subscriber[i], language }) };
}

const in_room = (page, seconds) => way(page, "room", seconds);
const by_socket = (page, seconds) => way(page, "socket", seconds);
// The number of times that signalling was resumed.
const resumed = page => page.requests.filter(url => url.includes("reconnect=1")).length;

async function a_speaker_by_webrtc_is_heard_by_webrtc(browser) {
	const session = await open_session();
	const first = await open(browser, session.listener(0, "es"));
	const second = await open(browser, session.listener(1, "pt-br"));
	const speaker = await open(browser, session.speaker);
	await state(speaker, "running");
	for (const page of [first, second, speaker])
		await in_room(page);
	await says(speaker, "es", 1, 12);
	assert.deepEqual((await lines(speaker, "en")).slice(0, 1), ["hello world"]);
	assert.deepEqual((await lines(speaker, "es")).slice(0, 1), ["[es] hello world"]);
	await says(second, "pt-br", 1, 5);
	await hears(first);
	await choose(second, "es");
	await says(second, "es", 1, 8);
	await hears(second);
	assert.deepEqual(await lines(first, "pt-br"), []);
	await speaker.click("start");
	await state(speaker, "paused");
	await nap(1000); // speech before the pause is still translated
	const before = (await lines(speaker, "en")).length;
	await nap(3000);
	assert.equal((await lines(speaker, "en")).length, before);
	await speaker.click("start");
	await state(speaker, "running");
	await says(speaker, "es", before + 1, 12);
	await end(speaker, 15);
	for (const page of [first, second])
		await state(page, "over", 3);
	await first.until("audio.srcObject === null", 10, "the room to be left");
	for (const page of [first, second, speaker])
		is_clean(page);
	await session.close();
}

async function open_event() {
	const soon = hours => new Date(Date.now() + hours * 3600000).toISOString();
	const { event_id } = await call("POST", "/saas/v2/event", { title: "Health Forum",
		event_type: "online", utc_start_dt: soon(-1), utc_end_dt: soon(3) });
	const { input } = await call("POST", "/saas/channel", { type: "event", name: "Main",
		event_id, source_language: "en", target_languages: ["es", "de"] });
	const { webrtc_url } = await call("POST", `/saas/v2/event/public/${event_id}/join`, { language: "de" });
	return { listeners: async () => (await call("GET", `/saas/v2/event/${event_id}/stats`)).now.listeners,
		listener: page_of("listener", { event: event_id, language: "es" }),
		speaker: page_of("speaker", { ws_url: input.url, token: input.token, webrtc_url }) };
}

async function a_hall_is_heard_by_webrtc_and_its_original_by_socket(browser) {
	const event = await open_event();
	const page = await open(browser, event.listener);
	await state(page, "waiting");
	await in_room(page);
	assert.deepEqual(await page.ask("[...language.options].map(one => one.value).sort()"), ["de", "es", "original"]);
	const speaker = await open(browser, event.speaker);
	await state(speaker, "running");
	await in_room(speaker);
	await says(page, "es", 1, 12);
	await state(page, "live");
	await hears(page);
	await choose(page, "original");
	await by_socket(page);
	await page.until("sounds_played().length > 0", 10, "the original to be heard");
	await says(page, "en", 1, 8);
	await choose(page, "de");
	await in_room(page);
	await says(page, "de", 1, 12);
	await hears(page);
	await end(speaker);
	await state(page, "break", 5);
	const next = await open(browser, event.speaker);
	const then = (await lines(page, "de")).length;
	await state(page, "live", 15);
	await says(page, "de", then + 1, 12);
	await hears(page);
	for (const one of [page, speaker, next])
		is_clean(one);
}

async function a_room_whose_signalling_is_lost_is_resumed(browser) {
	const session = await open_session(), path = await icy_way();
	const listener = await open(browser, path.of(session.listener(0, "es")));
	const speaker = await open(browser, path.of(session.speaker));
	await says(listener, "es", 1, 15);
	const pages = [listener, speaker];
	const told = hears(listener); // the sound has no gap
	await nap(1000);
	path.cut();
	await told;
	for (const page of pages) {
		for (let i = 0; resumed(page) === 0 && i < 150; i++)
			await nap(100);
		assert.ok(resumed(page) > 0, "signalling is resumed");
		await in_room(page);
		assert.equal(await page.text("error"), "");
	}
	await hears(listener);
	await choose(listener, "pt-br");
	await says(listener, "pt-br", 1, 10);
	await speaker.ask("dispatchEvent(new Event('online'))");
	await nap(1000);
	const then = (await lines(listener, "pt-br")).length;
	await says(listener, "pt-br", then + 2, 12);
	await state(speaker, "running", 1);
	for (const page of pages) // the page stays in one room
		assert.equal(page.requests.filter(url => /^ws.*\/rtc\?/.test(url) && !url.includes("reconnect=1")).length, 1);
	await session.close();
}

async function rooms_of_a_gateway_that_is_restarted_come_back(browser) {
	const session = await open_session();
	const listener = await open(browser, session.listener(0, "es"));
	const speaker = await open(browser, session.speaker);
	await says(listener, "es", 1, 15);
	end_program("gateway", "SIGTERM");
	await speaker.until("document.body.dataset.state !== 'running'", 10, "the loss to be seen");
	const then = (await lines(listener, "es")).length;
	await state(speaker, "running", 30);
	await state(listener, "live", 30);
	await in_room(listener);
	await says(listener, "es", then + 1, 15);
	await hears(listener);
	for (const page of [speaker, listener])
		assert.equal(await page.text("error"), "");
	await session.close();
}

rooms_of_a_gateway_that_is_restarted_come_back.alone = "gateway";

// Connections are made, but all media packets are blocked.
const WALLED = `window.RTCPeerConnection = class extends RTCPeerConnection {
	constructor(settings) { super({ ...settings, iceTransportPolicy: "relay" }); }
};`;

async function sockets_serve_where_no_sound_comes_through(browser) {
	const session = await open_session();
	const listener = await open(browser, session.listener(0, "es"), WALLED);
	const speaker = await open(browser, session.speaker, WALLED);
	for (const page of [speaker, listener])
		await by_socket(page, 25);
	await state(speaker, "running", 15);
	await says(listener, "es", 1, 15);
	await listener.until("sounds_played().length > 0", 20, "sound");
	for (const page of [speaker, listener])
		assert.equal(await page.text("error"), "");
	await session.close();
}

async function sockets_serve_where_a_gateway_has_no_webrtc(browser) {
	const session = await open_session(`${by_janus.base}/streaming-api/webrtc`);
	const listener = await open(browser, session.listener(0, "es"), "delete window.RTCPeerConnection");
	const speaker = await open(browser, session.speaker, "delete window.RTCPeerConnection");
	for (const page of [speaker, listener])
		await by_socket(page);
	await says(listener, "es", 1, 15);
	await listener.until("sounds_played().length > 0", 20, "sound");
	for (const page of [speaker, listener])
		is_clean(page);
	await session.close();
}

async function the_reason_of_a_closed_room_is_told(browser) {
	const session = await open_session();
	const reader = await open(browser, session.listener(1, "es").replace("/listen/", "/speak/"));
	await state(reader, "ended", 15);
	assert.equal(await reader.text("error"), "The service ended it: this token may only listen");
	const listener = await open(browser, session.listener(0, "es"));
	const first = await open(browser, session.speaker);
	await state(first, "running", 15);
	const newer = await open(browser, session.speaker);
	await state(first, "ended", 15);
	assert.equal(await first.text("error"), "Another speaker uses this token now.");
	await state(newer, "running", 15);
	await in_room(listener);
	await session.close();
	await state(newer, "ended");
	assert.match(await newer.text("error"), /was deleted/);
	await listener.until("notice.textContent === 'The service ended the connection.'", 10);
	for (const page of [reader, listener, first, newer])
		is_clean(page);
}

async function a_token_that_two_listeners_have_serves_both(browser) {
	const session = await open_session();
	const first = await open(browser, session.listener(0, "es"));
	await in_room(first);
	const second = await open(browser, session.listener(0, "es"));
	await in_room(second);
	await by_socket(first);
	await open(browser, session.speaker);
	for (const page of [first, second])
		await says(page, "es", 1, 15);
	await hears(second);
	await first.until("sounds_played().length > 0", 20, "sound");
	for (const page of [first, second])
		is_clean(page);
	await session.close();
}

async function a_room_whose_signalling_dies_silently_is_resumed(browser) {
	const session = await open_session(), path = await icy_way();
	const listener = await open(browser, path.of(session.listener(0, "es")));
	const speaker = await open(browser, path.of(session.speaker));
	await says(listener, "es", 1, 15);
	path.freeze();
	for (const page of [listener, speaker]) {
		for (let i = 0; resumed(page) === 0 && i < 300; i++)
			await nap(100);
		assert.ok(resumed(page) > 0, "signalling is resumed");
	}
	const then = (await lines(listener, "es")).length;
	assert.ok(then >= 3, "texts go on meanwhile");
	await says(listener, "es", then + 1, 12);
	await hears(listener);
	for (const page of [listener, speaker]) {
		await in_room(page);
		assert.equal(await page.text("error"), "");
	}
	await session.close();
}

const GOES = { "leaves": leave, "goes elsewhere": page => page.ask("location.href = 'about:blank'"), "closes the page": page => page.close(),
	"leaves without signalling": async (page, path) => (await settings(page), path.freeze(true), path.cut(), page.click("leave")) };

// A listener who lost the network is counted for half a minute; one who leaves is removed at once.
async function a_listener_that_leaves_a_room_is_not_counted(browser) {
	const event = await open_event();
	for (const [how, go] of Object.entries(GOES)) {
		const path = await icy_way(), page = await open(browser, path.of(event.listener), path.leads);
		await in_room(page);
		for (let i = 0; await event.listeners() !== 1; i++, await nap(100))
			assert.ok(i < 200, "one listens");
		const begun = Date.now();
		await go(page, path);
		for (; await event.listeners() !== 0; await nap(100))
			assert.ok(Date.now() < begun + 25000, `who ${how} is not counted`);
	}
}

module.exports = { cases: [a_listener_that_leaves_a_room_is_not_counted, a_hall_is_heard_by_webrtc_and_its_original_by_socket,
	a_speaker_by_webrtc_is_heard_by_webrtc, a_room_whose_signalling_is_lost_is_resumed,
	a_room_whose_signalling_dies_silently_is_resumed,
	sockets_serve_where_no_sound_comes_through, the_reason_of_a_closed_room_is_told, a_token_that_two_listeners_have_serves_both,
	sockets_serve_where_a_gateway_has_no_webrtc, rooms_of_a_gateway_that_is_restarted_come_back] };
