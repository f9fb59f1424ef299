// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: sound of a hall as an incoming and outgoing stream.
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { mkdirSync } = require("node:fs");
const { join } = require("node:path");
const { nap } = require("./chromium.js");
const { enter, is_clean, make_event, press, shows, type } = require("./console.js");
const { HOSTILE, stays_text } = require("./hostile.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call } = require("./service.js");

const card = "document.querySelector('[data-channel]')";
const copying = "navigator.clipboard.writeText = async text => { window.copied = text; };";
const place_of = label => `[...document.querySelectorAll("label")].find(e => e.checkVisibility() && e.firstChild.textContent === ${JSON.stringify(label)})?.parentNode`;
const value_of = (page, label) => page.until(`${place_of(label)}?.querySelector("input").value`, 15, label);

async function copy(page, label) {
	await press(page, "Copy", place_of(label));
	await shows(page, "Copied.");
	return page.ask("window.copied");
}

const channels_of = event_id => call("GET", `/saas/channels?event_id=${event_id}`);
const make_hall = (event_id, more = {}) => call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", source_language: "en", target_languages: ["es", "de"], ...more });

async function keep_picture(page, name) {
	mkdirSync(process.env.BROWSER_WALK, { recursive: true });
	await page.picture(join(process.env.BROWSER_WALK, `${name}.png`));
}

async function open_streams(page) {
	await press(page, "Sound in and out");
	await page.until(`${card}?.querySelector("h4, .soft") && [...${card}.querySelectorAll("h3")].length === 2`, 15, "what comes in and goes out");
}

/* ---- an event whose halls take streams ---- */

async function fill_in(page, title, inputs) {
	await page.until("document.querySelector('[name=title]')", 15);
	for (const [name, value] of [["title", title], ["start", "2030-07-01T09:00"], ["end", "2030-07-01T11:00"]])
		await type(page, name, value);
	for (const [i, { name, input_type, url }] of inputs.entries()) {
		if (i > 0)
			await press(page, "Add a hall");
		await page.until(`document.querySelector('[name=hall${i}]')`, 15);
		await type(page, `hall${i}`, name);
		await type(page, `input_type${i}`, input_type);
		if (url)
			await type(page, `input_url${i}`, url);
	}
}

async function to_the_end(page) {
	await page.until("document.querySelector('[name=target]')", 15);
	await page.ask("document.querySelector('[name=target]').focus()");
	await page.until("!!document.querySelector('[role=option][data-code=es]')", 15, "the languages");
	await page.ask("document.querySelector('[role=option][data-code=es]').click()");
}

// An encoder with the address that the console showed; it sends a tone of a second every three
// seconds. It never reconnects, so the case fails when an action in the console disconnects it.
const PHRASES = "aevalsrc='if(lt(mod(t,3),1),0.3*sin(1885*t),0)':s=48000";
const send = line => spawn("ffmpeg", ["-nostdin", "-loglevel", "quiet", "-re", "-f", "lavfi", "-i", PHRASES, "-c:a", "aac", "-f", "mpegts", line], { stdio: "ignore" });

async function copies_the_values_of_a_sender(page, { server, stream_id, stream_key }) {
	assert.deepEqual([await copy(page, "Server"), await copy(page, "Stream ID"), await copy(page, "Stream key or password")], [server, stream_id, stream_key]);
	const key = `${place_of("Stream key or password")}.querySelector("input")`;
	assert.equal(await page.ask(`${key}.type`), "password");
	assert.ok(!(await page.ask("document.documentElement.outerHTML")).includes(stream_key));
	await press(page, "Show", place_of("Stream key or password"));
	assert.deepEqual(await page.ask(`[${key}.type, ${key}.value]`), ["text", stream_key]);
	await press(page, "Show", place_of("Stream key or password"));
	assert.equal(await page.ask(`${key}.type`), "password");
}

async function obs_is_told_in_five_steps(page, { server, stream_id, stream_key }) {
	await press(page, "From OBS in five steps");
	await page.until("document.querySelectorAll('.steps > li').length === 5", 15, "five steps");
	await shows(page, "Waiting for the speaker");
	const line = await value_of(page, "Server");
	assert.equal(line, `${server}?streamid=${stream_id}&passphrase=${stream_key}`);
	assert.equal(await page.ask(`${place_of("Server")}.querySelector("input").type`), "password");
	assert.equal(await copy(page, "Server"), line);
	await is_accessible(page);
	return line;
}

// The default input of a hall. An encoder by WHIP replaces the speaker of a browser.
async function obs_is_told_of_whip(browser) {
	const { event_id } = await make_event(), { input } = await make_hall(event_id);
	const page = await enter(browser, `#/event/${event_id}/halls`, copying);
	await page.until(card, 30, "the hall");
	await open_streams(page);
	assert.deepEqual([await copy(page, "Server"), await copy(page, "Bearer Token")], [input.whip_url, input.token]);
	await press(page, "From OBS in five steps");
	await page.until("document.querySelectorAll('.steps > li').length === 5", 15, "five steps");
	await shows(page, "choose WHIP as the service");
	assert.deepEqual([await copy(page, "Server"), await copy(page, "Bearer Token")], [input.whip_url, input.token]);
	assert.equal(await page.ask(`${place_of("Bearer Token")}.querySelector("input").type`), "password");
	await is_accessible(page);
	is_clean(page);
}

async function hears_hls(page, event_id) {
	await press(page, "Add an output");
	await page.ask("document.querySelectorAll('[name=lang_codes]').forEach(e => e.click())");
	await page.ask("document.querySelector('[name=attendees]').value = 'first'");
	await press(page, "Add an output", "document.querySelector('form:has([name=protocol])')");
	await page.until(`${card}.querySelector("[data-output=hls_pull]")`, 15, "the output");
	const address = await value_of(page, "Address");
	assert.equal(await copy(page, "Address"), address);
	await page.until(`/^Live( · \\d+ kbit\\/s)?$/.test(${card}.querySelector("[data-output] .light")?.textContent)`, 60, "the output to be live");
	const [{ outputs: [{ lang_codes, attendees }] }] = await channels_of(event_id);
	assert.deepEqual([lang_codes, attendees], [["es", "original"], "first"]);
	await shows(page, "Pages of attendees play it: always");
	let text = "";
	for (let i = 0; i < 300 && !text.startsWith("#EXTM3U"); i++, await nap(200))
		text = await (await fetch(address)).text();
	assert.match(text, /^#EXTM3U[\s\S]*es-audio\.m3u8/);
}

async function a_hall_of_the_console_takes_a_stream_of_ffmpeg_and_goes_out_as_hls(browser) {
	const page = await enter(browser, "#/new", copying), title = `Stream ${Date.now()}`;
	await fill_in(page, title, [{ name: "Red hall", input_type: "srt_push" }]);
	await is_accessible(page);
	await to_the_end(page);
	await press(page, "Create the event");
	await page.until(card, 30, "the hall");
	const [{ event_id }] = await call("GET", `/saas/v2/events?q=${encodeURIComponent(title)}`), [{ channel_id, input }] = await channels_of(event_id);
	assert.equal(input.protocol, "srt_push");
	await open_streams(page);
	assert.ok(!(await page.ask(`${card}.innerText`)).includes("Speaker link"));
	await copies_the_values_of_a_sender(page, input);
	const line = await obs_is_told_in_five_steps(page, input), sender = send(line);
	try {
		await page.until("/^Live · \\d+ kbit\\/s$/.test(document.querySelector('.steps .light')?.textContent)", 60, "it to be live, with a bit rate");
		await keep_picture(page, "18-obs");
		await press(page, "Halls");
		await page.until(`${card}?.querySelector(".light.live") && /^In \\d+ kbit\\/s/.test(${card}.querySelector(".rates").textContent)`, 30, "the hall to be live");
		await open_streams(page);
		await hears_hls(page, event_id);
		await page.until(`/^In \\d+ kbit\\/s · Out \\d+ kbit\\/s$/.test(${card}.querySelector(".rates").textContent)`, 60, "the bit rate that goes out");
		await page.ask(`${card}.scrollIntoView()`);
		await keep_picture(page, "19-streams");
		await is_accessible(page);
		await be_phone(page, { width: 320, height: 640 });
		await fits(page);
		assert.equal(sender.exitCode, null, "the sender was cut off");
	} finally {
		sender.kill();
	}
	await page.until(`${card}.querySelector(".rates").textContent === ""`, 60, "that nothing comes any more");
	assert.deepEqual(page.requests.filter(url => url.includes(input.stream_key)), []);
	assert.ok(channel_id);
	is_clean(page);
}

async function an_address_to_pull_that_is_refused_is_told_at_its_field_and_mended(browser) {
	const page = await enter(browser, "#/new"), title = `Pulled ${Date.now()}`, private_ = "https://127.0.0.1/live.m3u8";
	await fill_in(page, title, [{ name: "Red hall", input_type: "webrtc_push" }, { name: "Blue hall", input_type: "hls_pull", url: private_ }]);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	await to_the_end(page);
	await press(page, "Create the event");
	await page.until("document.querySelector('[data-field=input_url1] .wrong')?.textContent.includes('public address')", 30, "what is wrong, at its field");
	assert.deepEqual(await page.ask("[document.querySelector('[name=input_url1]').value, document.querySelector('[name=hall0]').matches(':disabled'), document.querySelector('[name=hall1]').readOnly, document.activeElement.name]"),
		[private_, true, true, "input_url1"]);
	await is_accessible(page);
	await page.ask("location.hash = '#/home'"); // the form keeps its input when other screens are opened
	await shows(page, "hours of one hall");
	await page.ask("location.hash = '#/new'");
	await page.until("document.querySelector('[name=input_url1]')", 15);
	await type(page, "input_url1", "https://live.example.org/sound.m3u8");
	await press(page, "Finish what was begun");
	await page.until("document.querySelectorAll('[data-channel]').length === 2", 30, "both halls");
	const made = await call("GET", `/saas/v2/events?q=${encodeURIComponent(title)}`);
	assert.equal(made.length, 1);
	assert.deepEqual((await channels_of(made[0].event_id)).map(({ name, input_type, input }) => [name, input_type, input.url?.startsWith("https:")]).sort(),
		[["Blue hall", "hls_pull", true], ["Red hall", "webrtc_push", false]]);
	is_clean(page);
}

// No encoder connects to the operator's RTMP server in this case.
async function a_hall_that_takes_rtmp_is_added_to_an_event_in_the_console_and_deleted(browser) {
	const { event_id } = await make_event({ target_languages: ["es"] }), blue = "[...document.querySelectorAll('[data-channel]')].find(e => e.querySelector('h2').textContent === 'Blue')";
	await make_hall(event_id);
	const page = await enter(browser, `#/event/${event_id}/halls`, copying), stages = async () => (await call("GET", `/saas/v2/event/${event_id}`)).stages.map(one => one.name);
	const add_blue = async (input_type, url) => {
		await type(page, "name", "Blue");
		await type(page, "input_type", input_type);
		if (url)
			await type(page, "input_url", url);
		await press(page, "Save", "document.querySelector('form:has([name=input_type])')");
	};
	await press(page, "Add a hall");
	await page.until("document.querySelector('[name=input_type]')", 15, "the form");
	assert.equal(await page.ask("document.activeElement.name"), "name");
	assert.equal(await page.ask("[...document.querySelectorAll('button, summary')].filter(e => e.checkVisibility() && e.textContent === 'Add a hall').length"), 1);
	assert.ok(await page.ask("(e => e.getBoundingClientRect().bottom <= innerHeight)(document.querySelector('form:has([name=input_type]) .strong'))"), "the whole form is seen");
	await add_blue("hls_pull", "https://10.0.0.1/live.m3u8");
	await page.until("document.querySelector('[data-field=input_url] .wrong')?.textContent.includes('public address')", 15, "what is wrong, at its field");
	assert.deepEqual(await page.ask("['name', 'input_type', 'input_url'].map(name => document.querySelector(`[name=${name}]`).value)"), ["Blue", "hls_pull", "https://10.0.0.1/live.m3u8"]);
	await is_accessible(page);
	await add_blue("rtmp_push");
	await page.until(`!!${blue}`, 30, "the hall");
	const { channel_id, input, target_languages } = (await channels_of(event_id)).find(one => one.name === "Blue");
	assert.deepEqual([input.protocol, input.server, target_languages, await stages()], ["rtmp_push", "rtmp://live.example.org/live", ["es"], ["Main stage", "Blue"]]);
	await page.until(`/RTMP server/.test(${blue}.querySelector(".bad")?.textContent)`, 60, "what is wrong, in words");

	await page.ask(`location.hash = '#/event/${event_id}/halls/${channel_id}'`);
	await shows(page, "Paste these two: the server and the stream key.");
	assert.deepEqual([await copy(page, "Server"), await copy(page, "Stream key or password")], [input.server, input.stream_key]);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	await press(page, "Halls");
	await page.until(`!!${blue}`, 15, "the halls");
	await fits(page);
	await press(page, "Delete", blue);
	await press(page, "Yes, delete it for good");
	await page.until(`!${blue}`, 60, "it to be gone");
	assert.deepEqual((await channels_of(event_id)).map(one => one.name), ["Red hall"]);
	await press(page, "Add a hall");
	await page.until("document.querySelector('[name=input_type]')", 15, "the form");
	await add_blue("srt_push");
	await page.until(`!!${blue}`, 30, "the hall again");
	assert.deepEqual(await stages(), ["Main stage", "Blue"]); // the same QR code as before
	is_clean(page);
}

/* ---- outputs ---- */

const CAPTIONS = { protocol: "captions_push", lang_code: "es", url: "https://captions.example.org/post?cid=secret-of-captions" };

const RECORDING = { protocol: "recording", lang_codes: ["original"], format: "mp4" };

const faults = page => page.ask("Object.fromEntries([...document.querySelectorAll('[data-field]:has(> .wrong)')].map(e => [e.dataset.field, e.querySelector('.wrong').textContent]))");
const add = page => press(page, "Add an output", "document.querySelector('form:has([name=protocol])')");

async function an_output_of_a_hall_that_is_refused_is_told_at_its_field_and_stays(browser) {
	const { event_id } = await make_event();
	await make_hall(event_id, { outputs: [{ protocol: "webrtc_push" }, CAPTIONS, RECORDING] });
	const page = await enter(browser, `#/event/${event_id}/halls`);
	await open_streams(page);
	await shows(page, "Captions for a server of streams");
	await press(page, "Add an output");
	await add(page); // no language is chosen
	await page.until("document.querySelector('[data-field=lang_codes] .wrong')", 15, "that a language is missing");
	for (const [name, value] of [["protocol", "srt_push"], ["lang_code", "de"], ["server", "srt://studio.example.org"], ["stream_key", "short"], ["stream_id", "hall <1>"]])
		await type(page, name, value);
	await add(page);
	await page.until("document.querySelector('[data-field=server] .wrong')", 15, "what is wrong");
	assert.deepEqual(await faults(page), { server: "server must be an address such as srt://live.example.org:9000.", stream_key: "stream_key is the passphrase of SRT: 10 to 79 bytes." });
	await is_accessible(page);
	// Change the protocol while the channel gets another language.
	const [{ channel_id }] = await channels_of(event_id);
	await type(page, "protocol", "icecast_push");
	await type(page, "mount", "/de.mp3");
	await call("PATCH", `/saas/channel/${channel_id}`, { target_languages: ["es", "de", "fr"] });
	await page.until("[...document.querySelector('[name=lang_code]').options].some(e => e.value === 'fr')", 30, "the new language");
	await type(page, "protocol", "srt_push");
	const typed = ["protocol", "lang_code", "server", "stream_key", "stream_id", "mount"].map(name => `document.querySelector('[name=${name}]').value`);
	assert.deepEqual(await page.ask(`[${typed}]`), ["srt_push", "de", "srt://studio.example.org", "short", "hall <1>", "/de.mp3"]);
	await type(page, "server", "srt://studio.example.org:9000");
	await type(page, "stream_key", "long enough to keep");
	await add(page);
	await page.until("document.querySelector('[data-output=srt_push]')", 15, "the output");
	const kept = async () => (await channels_of(event_id))[0].outputs.map(({ runtime_status, error, bitrate, dropped, ...given }) => given);
	const mine = { protocol: "srt_push", lang_code: "de", server: "srt://studio.example.org:9000", stream_key: "long enough to keep", stream_id: "hall <1>" };
	assert.deepEqual(await kept(), [{ protocol: "webrtc_push" }, CAPTIONS, RECORDING, mine]);
	await shows(page, "Begins with the first speech");
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	// The commands for developers contain neither this secret nor that of the captions.
	await page.ask("location.hash = '#/developer'");
	await page.until("document.getElementById('sent')?.textContent.includes('STREAM_KEY')", 15, "STREAM_KEY");
	for (const secret of [mine.stream_key, "secret-of-captions"])
		assert.ok(!(await page.ask("document.documentElement.outerHTML")).includes(secret));
	await page.ask(`location.hash = '#/event/${event_id}/halls'`);
	await open_streams(page);
	await press(page, "Delete", "document.querySelector('[data-output=srt_push]')");
	await press(page, "Yes, delete it for good");
	await page.until("!document.querySelector('[data-output=srt_push]')", 15, "it to be gone");
	assert.deepEqual(await kept(), [{ protocol: "webrtc_push" }, CAPTIONS, RECORDING]);
	await press(page, "Add an output");
	await type(page, "protocol", "recording");
	await page.ask("document.querySelector('[name=lang_codes][value=es]').click()");
	await add(page);
	await page.until("document.querySelectorAll('[data-output=recording]').length === 2", 15, "another recording");
	assert.deepEqual((await kept())[3], { protocol: "recording", lang_codes: ["es"], format: "ogg" });
	if (page.send)
		is_clean(page);
}

// Errors contain text of foreign servers, and any organiser can write the fields: markup in both
// must stay text.
async function names_of_streams_stay_text(browser) {
	const { event_id } = await make_event(), [IMAGE, SCRIPT, SVG, , FRAME, FOCUS] = HOSTILE;
	const { channel_id } = await make_hall(event_id, { name: IMAGE, outputs: [{ protocol: "rtmp_push", lang_code: "es", server: "rtmp://live.example.org/<svg/onload=window.pwned=1>", stream_key: "key" }] });
	const page = await enter(browser, `#/event/${event_id}/halls`, `(real => { window.fetch = async (...args) => { const answer = await real(...args);
		if (!/saas\\/channels/.test(args[0])) return answer;
		const whole = await answer.json();
		for (const one of whole.data) {
			one.error = ${JSON.stringify(SCRIPT)};
			Object.assign(one.outputs[0], { error: ${JSON.stringify(SVG)}, runtime_status: "failed" });
			one.input = { protocol: "srt_push", server: ${JSON.stringify(FRAME)}, stream_id: ${JSON.stringify(FOCUS)}, stream_key: ${JSON.stringify(IMAGE)} };
		}
		return new Response(JSON.stringify(whole), { status: answer.status, headers: answer.headers }); }; })(window.fetch)`);
	await open_streams(page);
	await stays_text(page, [IMAGE, SCRIPT, SVG, FRAME, FOCUS, "<svg/onload=window.pwned=1>"], "a hall");
	await page.ask(`location.hash = '#/event/${event_id}/halls/${channel_id}'`);
	await page.until("document.querySelectorAll('.steps > li').length === 5", 15, "five steps");
	await stays_text(page, [IMAGE, SCRIPT, `${FRAME}?streamid=${FOCUS}&passphrase=${IMAGE}`], "the steps");
	is_clean(page);
}

async function a_viewer_sees_no_key_of_a_stream(browser) {
	const { event_id } = await make_event(), { channel_id, input } = await make_hall(event_id, { input_type: "srt_push" });
	const { api_key } = await call("POST", "/saas/key", { name: `Reader ${Date.now()}`, scopes: ["events:read", "channels:read"] });
	const of = { base, call: async (method, path, data) => (await (await fetch(base + path, { method, headers: { Authorization: `Bearer ${api_key}`, "Content-Type": "application/json" },
		body: JSON.stringify({ data }) })).json()).data };
	const page = await enter(browser, `#/event/${event_id}/halls`, "", of);
	await open_streams(page);
	assert.equal(await value_of(page, "Server"), input.server);
	assert.ok(!(await page.ask(`${card}.innerText`)).includes("Add an output"));
	assert.equal(await page.ask(`!!${place_of("Stream key or password")}`), false);
	await page.ask(`location.hash = '#/event/${event_id}/halls/${channel_id}'`);
	assert.equal(await value_of(page, "Server"), input.server);
	is_clean(page);
}

module.exports = { cases: [a_hall_of_the_console_takes_a_stream_of_ffmpeg_and_goes_out_as_hls, an_output_of_a_hall_that_is_refused_is_told_at_its_field_and_stays,
	an_address_to_pull_that_is_refused_is_told_at_its_field_and_mended, a_hall_that_takes_rtmp_is_added_to_an_event_in_the_console_and_deleted, names_of_streams_stay_text, a_viewer_sees_no_key_of_a_stream, obs_is_told_of_whip] };
