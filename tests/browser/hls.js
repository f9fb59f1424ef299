// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Listening by HLS: the attendee's page when no other way works, and other players.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { hall } = require("./halls.js");
const { phone, enter } = require("./listen.js");
const { nap } = require("./chromium.js");
const { open, end, way, choose, state, lines, says } = require("./pages.js");
const { base, call, end_program } = require("./service.js");

// This page can open no sockets and has no WebRTC.
const NO_LINES = `delete window.RTCPeerConnection; window.WebSocket = class extends WebSocket {
	constructor() { super(location.origin.replace("http", "ws") + "/none"); }
}`;
const by_hls = lang_codes => ({ outputs: [{ protocol: "hls_pull", lang_codes }], original_ducked_volume: 0 });

async function hls_comes_where_no_line_gets_through(browser) {
	const event = await hall({ target_languages: ["es", "de"], channel: by_hls(["es", "de"]) });
	const page = await phone(browser, event.link("language=es"), {}, NO_LINES);
	await enter(page);
	await page.until("document.body.dataset.way === 'hls'", 15);
	await state(page, "waiting");
	const talker = await open(browser, event.speaker);
	await says(page, "es", 2, 60);
	await state(page, "live");
	await page.until("audio.currentTime > 1", 10);
	const sounds = await page.ask("sounds_of(audio.captureStream().getAudioTracks()[0], 12)"); // the original is heard in the pauses of the translation
	assert.ok(sounds.some(({ whole, hz, seconds }) => whole && Math.abs(hz - 220) < 3 && seconds > 0.9 && seconds < 1.1), JSON.stringify(sounds));
	await choose(page, "de");
	await says(page, "de", 1, 30);
	await end(talker);
	await state(page, "break", 60);
}

// The organiser prefers HLS; a listener by it counts, and opens no line.
async function the_page_takes_hls_when_the_answer_says_so(browser) {
	const event = await hall({ channel: { outputs: [{ protocol: "hls_pull", lang_codes: ["es"], attendees: "first" }], original_ducked_volume: 0 } });
	const page = await phone(browser, event.link("language=es"));
	await enter(page);
	await page.until("document.body.dataset.way === 'hls'", 15);
	const talker = await open(browser, event.speaker);
	await says(page, "es", 1, 60);
	await state(page, "live");
	const { hls_url, listen_by } = await call("POST", `/saas/v2/event/public/${event.event.event_id}/join`, { language: "es", kind: "screen" });
	assert.equal(listen_by, "hls");
	assert.ok(hls_url);
	const begun = Date.now();
	for (let now = { listeners: 0 }; now.listeners === 0; await nap(1000)) {
		({ now } = await call("GET", `/saas/v2/event/${event.event.event_id}/stats`));
		assert.ok(Date.now() < begun + 60000, "nobody is counted");
	}
	assert.ok(!page.requests.some(url => /\/rtc\?|speech-to-speech/.test(url) && /audio=1|format=opus/.test(url)), "no line for sound");
	await end(talker);
}

async function a_line_takes_over_from_hls(browser) {
	const event = await hall({ channel: by_hls(["es"]) });
	const page = await phone(browser, event.link("language=es"), {}, `const Real = WebSocket; ${NO_LINES}; window.mend = () => window.WebSocket = Real`);
	await enter(page);
	await page.until("document.body.dataset.way === 'hls'", 15);
	const talker = await open(browser, event.speaker);
	await says(page, "es", 1, 60);
	await page.ask("mend()");
	await way(page, "socket", 30);
	await state(page, "live");
	await says(page, "es", 2, 15);
	assert.ok((await lines(page, "es")).length <= (await lines(talker, "es")).length, "none twice");
	await end(talker);
}

// hls.js from npm, on a page without a Content-Security-Policy.
async function other_player(browser, event) {
	const { outputs: [{ url }] } = await call("GET", `/saas/channel/${event.channel_id}`);
	const page = await (await browser.page()).open(`${base}/health`);
	await page.ask(`${readFileSync(process.env.BROWSER_HLS_JS, "utf8")};true`);
	await page.until(`fetch(${JSON.stringify(url)}).then(answer => answer.ok)`, 20, "the playlist");
	await page.ask(`(() => {
		window.faults = [];
		window.film = document.body.appendChild(document.createElement("video"));
		window.player = new Hls({ enableWorker: false });
		player.on(Hls.Events.ERROR, (_, { fatal, details }) => fatal && faults.push(details));
		player.loadSource(${JSON.stringify(url)});
		player.attachMedia(film);
		film.muted = true;
	})()`);
	return page;
}

async function another_player_chooses_among_languages(browser) {
	const event = await hall({ target_languages: ["es", "de"], channel: by_hls(["es", "de", "original"]) });
	const talker = await open(browser, event.speaker);
	await says(talker, "es", 1, 20);
	const page = await other_player(browser, event);
	await page.until("player.audioTracks.length === 3 && player.subtitleTracks.length === 3", 20, "the languages");
	assert.deepEqual(await page.ask("player.audioTracks.map(({ name, lang }) => [name, lang || ''])"),
		[["es", "es"], ["de", "de"], ["original", ""]]);
	await page.ask("player.subtitleTrack = 0, film.play()");
	await page.until("film.currentTime > 0 && film.readyState > 2", 40, "sound");
	await page.until("[...film.textTracks].some(({ cues }) => [...cues || []].some(({ text }) => text === '[es] hello world'))", 20, "subtitles");
	const then = await page.ask("film.currentTime");
	await page.ask("player.audioTrack = 1");
	await page.until(`player.audioTrack === 1 && film.currentTime > ${then} + 8`, 40, "the other language");
	assert.deepEqual(await page.ask("faults"), []);
	await end(talker);
}

// A restarted output marks a discontinuity in its playlist.
async function players_go_on_when_an_output_is_killed(browser) {
	const event = await hall({ channel: by_hls(["es"]) });
	const page = await phone(browser, event.link("language=es"), {}, NO_LINES);
	await enter(page);
	const talker = await open(browser, event.speaker);
	await says(page, "es", 1, 60);
	const other = await other_player(browser, event);
	await other.ask("film.play()");
	await other.until("film.currentTime > 0 && film.readyState > 2", 40, "sound");
	const [ours, theirs] = [await page.ask("audio.currentTime"), await other.ask("film.currentTime")];
	const said = (await lines(page, "es")).length;
	end_program("dragoman-egress", "SIGKILL");
	await other.until(`film.currentTime > ${theirs} + 30`, 60, "what comes behind a discontinuity");
	assert.deepEqual(await other.ask("faults"), []);
	await page.until(`audio.currentTime > ${ours} + 20`, 20, "the same of ours");
	await says(page, "es", said + 2, 30);
	await end(talker);
}
players_go_on_when_an_output_is_killed.alone = "gateway";

module.exports = { cases: [the_page_takes_hls_when_the_answer_says_so, hls_comes_where_no_line_gets_through, a_line_takes_over_from_hls, another_player_chooses_among_languages, players_go_on_when_an_output_is_killed] };
