// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: recordings of a hall.
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { nap } = require("./chromium.js");
const { enter, is_clean, make_event, press, shows } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { call, new_account } = require("./service.js");

const rows = "document.querySelectorAll('[data-recording]')";
const hall = "document.querySelector('[data-channel]')";
const row = `[...${rows}].find(e => /^Spanish/.test(e.querySelector("p").textContent))`;
const all_row = row.replace("/^Spanish/", "/ Spanish/");

// Thirteen outputs make two pages of files, ten per page.
const OUTPUTS = [["es"], ["original"], ["de"], ["es", "de"], ["es", "original"], ["de", "original"], ["es", "de", "original"]]
	.map(lang_codes => ({ protocol: "recording", format: "ogg", lang_codes })).concat({ protocol: "recording", format: "mp4", lang_codes: ["es", "original"] });

const PHRASES = "aevalsrc='if(lt(mod(t,3),1),0.3*sin(1885*t),0)':s=48000";

// Records some seconds of a hall.
async function record({ call }, event_id) {
	const { channel_id, input } = await call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", input_type: "srt_push",
		source_language: "en", target_languages: ["es", "de"], outputs: OUTPUTS });
	const runs = async () => (await call("GET", `/saas/channel/${channel_id}`)).outputs.every(one => one.runtime_status === "active");
	return { channel_id, run: async () => {
		const sender = spawn("ffmpeg", ["-nostdin", "-loglevel", "quiet", "-re", "-f", "lavfi", "-i", PHRASES, "-c:a", "aac", "-f", "mpegts",
			`${input.server}?streamid=${input.stream_id}&passphrase=${input.stream_key}`], { stdio: "ignore" });
		try {
			for (let i = 0; i < 300 && !await runs(); i++)
				await nap(200);
			await nap(5000);
			await call("PATCH", `/saas/channel/${channel_id}`, { outputs: [] });
		} finally {
			sender.kill();
		}
	} };
}

async function delete_in(page, within) {
	const count = await page.ask(`${rows}.length`);
	await press(page, "Delete", within);
	await press(page, "Yes, delete it for good");
	await page.until(`${rows}.length !== ${count}`, 30, "it to be gone");
}

// On the event's own screen, with the name of the hall.
async function all_halls_are_listed(page, event_id) {
	await page.ask(`location.hash = "#/event/${event_id}/recordings"`);
	await page.until(`${rows}.length === 10`, 15, "a page of the event's recordings");
	assert.match(await page.ask(`(${all_row}).querySelector("p").textContent`), /^Red hall · Spanish · OGG · 00:00:\d\d · [\d.]+ kB$/);
	assert.match(await page.ask(`(${all_row}).querySelector("a").href`), /\/blobs\//);
	await is_accessible(page);
	await page.ask(`location.hash = "#/event/${event_id}/halls"`);
	await page.until(hall, 15, "the halls");
	await press(page, "Recordings", hall);
	await page.until(`${rows}.length === 10`, 15, "the hall's recordings");
}

async function recordings_of_a_hall_are_played_downloaded_and_deleted_in_the_console(browser) {
	const of = new_account("Recordings"); // whose plan has room for so many outputs
	const { event_id } = await make_event({}, of), { channel_id, run } = await record(of, event_id);
	const page = await enter(browser, `#/event/${event_id}/halls`, "", of);
	await page.until(hall, 15, "the hall");
	await press(page, "Recordings", hall);
	await shows(page, "There are no recordings.");
	await run();
	await page.until(`${rows}.length === 10`, 90, "a page of recordings");
	assert.match(await page.ask(`(${row}).querySelector("p").textContent`), /^Spanish · OGG · 00:00:\d\d · [\d.]+ kB$/);
	await is_accessible(page);
	await press(page, "Play", `(${row})`);
	await page.until(`(${row}).querySelector("audio")?.currentTime > 0.5`, 30, "it to play");
	const { name, text } = await page.ask(`(async a => { a.addEventListener("click", event => event.preventDefault()); a.click(); const bytes = await (await fetch(a.href)).arrayBuffer();
		return { name: a.download, text: String.fromCharCode(...new Uint8Array(bytes.slice(0, 4))) }; })((${row}).querySelector("a"))`);
	assert.match(name, /^Red hall \d{4}-\d\d-\d\dT\d\d\.\d\d es\.ogg$/);
	assert.equal(text, "OggS");
	await all_halls_are_listed(page, event_id);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	await press(page, "Next");
	await page.until(`${rows}.length === 3`, 15, "the second page");
	for (let left = 3; left > 0; left--) // the page is empty after its last file is deleted
		await delete_in(page, `${rows}[0]`);
	await page.until(`${rows}.length === 10`, 15, "the page before");
	assert.equal((await of.call("GET", `/saas/channel/${channel_id}/recordings?page_size=100`)).count, 10);
	is_clean(page);
}

async function a_list_of_recordings_that_fails_says_so_and_goes_on(browser) {
	const { event_id } = await make_event();
	await call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", source_language: "en", target_languages: ["es"] });
	const page = await enter(browser, `#/event/${event_id}/halls`, `(real => { window.fetch = async (...args) => window.ill !== false && /recordings/.test(args[0]) ?
		new Response(JSON.stringify({ errors: [{ type: "https://example.org/problems/service-busy" }] }), { status: 503 }) : real(...args); })(window.fetch)`);
	await page.until(hall, 15, "the hall");
	await press(page, "Recordings", hall);
	await shows(page, "The service is busy. Please try again.");
	await is_accessible(page);
	await page.ask("window.ill = false");
	await shows(page, "There are no recordings.", 30);
	assert.ok(!await page.ask("document.body.innerText.includes('The service is busy')"));
	is_clean(page);
}

module.exports = { cases: [recordings_of_a_hall_are_played_downloaded_and_deleted_in_the_console, a_list_of_recordings_that_fails_says_so_and_goes_on] };
