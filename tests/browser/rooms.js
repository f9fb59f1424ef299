// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The pages with a gateway whose rooms are at a Janus. They speak to Janus by WebSocket: Janus
// holds one HTTP connection for each session, and a browser opens at most six to a host.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { open, end, way, choose, state, lines, says, hears, is_clean } = require("./pages.js");
const { janus, janus_run, by_janus } = require("./service.js");

const { call, page_of } = by_janus;
const url = `ws://127.0.0.1:${janus.ws_port}`;
const hosts = [new URL(by_janus.base).host, new URL(url).host];

async function open_session() {
	const { ws_url, publisher, subscriber, webrtc_url, id } =
		await call("POST", "/session-storage/session", { subscriber_count: 1 });
	assert.equal(webrtc_url, url);
	return { id,
		speaker: page_of("speaker", { ws_url, token: publisher, from: "en", to: "es,fr", webrtc: 1 }),
		listener: page_of("listener", { ws_url, token: subscriber[0], language: "es" }) };
}

// Records the sound that the page receives from its mountpoint from now on.
const linked = page => way(page, "janus", 25);

async function a_room_is_translated_and_heard_at_its_mountpoint(browser) {
	const session = await open_session();
	const listener = await open(browser, session.listener);
	const speaker = await open(browser, session.speaker);
	await state(speaker, "running");
	await says(speaker, "es", 1, 12);
	assert.deepEqual((await lines(speaker, "en")).slice(0, 1), ["hello world"]);
	assert.deepEqual((await lines(speaker, "es")).slice(0, 1), ["[es] hello world"]);
	await linked(listener);
	await hears(listener);
	assert.equal(await speaker.text("spoken"), "");
	await end(speaker);
	await state(listener, "over", 2);
	for (const page of [speaker, listener])
		is_clean(page, hosts);
}

async function open_event() {
	const soon = hours => new Date(Date.now() + hours * 3600000).toISOString();
	const { event_id } = await call("POST", "/saas/v2/event", { title: "Health Forum",
		event_type: "online", utc_start_dt: soon(-1), utc_end_dt: soon(3) });
	const { input, channel_id } = await call("POST", "/saas/channel", { type: "event", name: "Main",
		event_id, source_language: "en", target_languages: ["es", "de"] });
	const place = await call("POST", `/saas/v2/event/public/${event_id}/join`, { language: "de" });
	assert.equal(place.webrtc_url, null);
	return { event_id, channel_id, input, ws_url: place.ws_url };
}

async function an_event_is_heard_at_its_mountpoints(browser) {
	const { event_id, input, ws_url } = await open_event();
	const listener = await open(browser, page_of("listener", { event: event_id, language: "es" }));
	await state(listener, "waiting");
	const { url: webrtc_url, room, pin, token } = input;
	const speaker = await open(browser, page_of("speaker", { webrtc_url, room, pin }));
	await state(speaker, "running");
	await linked(listener);
	await says(listener, "es", 1, 12);
	await hears(listener);
	assert.deepEqual(await lines(speaker, "en"), []);
	await end(speaker);

	// With an additional socket the speaker sees the texts of his own speech.
	const reader = await open(browser, page_of("speaker", { ws_url, token }));
	await says(reader, "es", 1, 12);
	assert.equal(await reader.text("spoken"), "");

	// The speaker gets no mountpoint of his own language.
	const before = (await listener.ask("sounds_played()")).length;
	await choose(listener, "original");
	await way(listener, "socket");
	await listener.until(`sounds_played().length > ${before}`, 10, "the original to be heard");
	await choose(listener, "es");
	await linked(listener);
	for (const page of [speaker, listener, reader])
		is_clean(page, hosts);
}

async function a_janus_is_killed_and_it_goes_on(browser) {
	const session = await open_session();
	const listener = await open(browser, session.listener);
	const speaker = await open(browser, session.speaker);
	await linked(listener);
	await says(listener, "es", 1, 12);
	janus_run("kill");
	const lost = Date.now();
	for (const page of [speaker, listener])
		await page.until("/The sound was lost/.test(error.textContent)", 5, "the loss to be told");
	await way(listener, "socket");
	janus_run("start");
	await linked(listener);
	await nap(500); // speech before the pause is still translated
	const before = (await lines(listener, "es")).length;
	await says(listener, "es", before + 1, 40);
	assert.ok(Date.now() - lost < 45000);
	await hears(listener);
	for (const page of [speaker, listener])
		assert.equal(await page.text("error"), "");
}

a_janus_is_killed_and_it_goes_on.alone = "janus";

module.exports = { cases: [a_room_is_translated_and_heard_at_its_mountpoint,
	an_event_is_heard_at_its_mountpoints, a_janus_is_killed_and_it_goes_on] };
