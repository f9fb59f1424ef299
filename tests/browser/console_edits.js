// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: edits that collide with changes by workers and other organisers, and
// parts of the page that are loaded on demand.
const assert = require("node:assert/strict");
const { once } = require("node:events");
const { createServer } = require("node:http");
const { setTimeout: wait } = require("node:timers/promises");
const { gzipSync } = require("node:zlib");

const { enter, is_clean, make_event, press, shows, type } = require("./console.js");
const { is_accessible } = require("./looks.js");
const { base, call, new_account } = require("./service.js");

// Replaces fetch in the page: before the page's first change of this path, another client changes
// the record.
const overtaken = (path, data) => `(real => { let n = 0; window.fetch = async (...args) => {
	const [url, { method = "GET", headers = {} } = {}] = args;
	if (method !== "GET" && String(url).endsWith(${JSON.stringify(path)}) && ++n === 1) {
		const { "If-Match": _, ...others } = headers;
		await real(url, { method, headers: others, body: JSON.stringify(${JSON.stringify({ data })}) });
	}
	return real(...args); }; })(window.fetch)`;

const conflicts = page => page.complaints.filter(text => /status of 412/.test(text)).length;
const told = name => `document.querySelector('[data-field="${name}"] > .wrong')?.textContent`;
const MEANWHILE = "Another user changed this meanwhile. Your input is still here: save again to overwrite the other change.";

async function a_webhook_that_was_written_meanwhile_is_switched_off_all_the_same(browser) {
	const url = `https://example.org/${Date.now()}`, { webhook_id } = await call("POST", "/saas/webhook", { url, events: ["*"] });
	const path = `/saas/webhook/${webhook_id}`, page = await enter(browser, "#/webhooks", overtaken(path, { description: "By another user" }));
	const card = `[...document.querySelectorAll("#hooks > li")].find(e => e.innerText.includes(${JSON.stringify(url.slice(8))}))`;
	await page.until(card, 15, "the webhook");
	await press(page, "Switch off", `(${card})`);
	await page.until(`(${card}).innerText.includes("Switched off")`, 15, "it to be off");
	const { is_enabled, description } = await call("GET", path);
	assert.deepEqual([is_enabled, description, conflicts(page)], [false, "By another user", 1]);
	await call("DELETE", path);
	is_clean(page);
}

const make_hall = (event_id, more = {}) => call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", source_language: "en", target_languages: ["es"], ...more });

async function languages_changed_by_another_user_are_reported_and_nothing_typed_is_lost(browser) {
	const { event_id } = await make_event(), { channel_id } = await make_hall(event_id), path = `/saas/channel/${channel_id}`;
	const page = await enter(browser, `#/event/${event_id}/halls`, overtaken(path, { source_language: "de" }));
	const choice = "document.querySelector('[name=source_language]').value", save = () => press(page, "Save", "document.querySelector('form:has([name=source_language])')");
	const stored = async () => (({ source_language, target_languages, name }) => [source_language, target_languages, name])(await call("GET", path));
	await press(page, "Languages", "document.getElementById('view')");
	await page.until("document.querySelector('[name=source_language]')", 15, "the form");
	await call("PATCH", path, { target_languages: ["de", "es"], name: "Blue hall" }); // these members must stay as they are
	await type(page, "source_language", "fr");
	await save();
	await page.until(`${told("source_language")} === ${JSON.stringify(MEANWHILE)}`, 15, "that it was changed");
	assert.deepEqual([await page.ask(choice), conflicts(page), await stored()], ["fr", 1, ["de", ["de", "es"], "Blue hall"]]);
	await is_accessible(page);
	await save();
	await shows(page, "Saved.");
	assert.deepEqual(await stored(), ["fr", ["de", "es"], "Blue hall"]);
	is_clean(page);
}

async function a_voice_changed_by_another_user_keeps_typed_text_and_reports_it(browser) {
	const name = `Guide ${Date.now()}`, { voice_id } = await call("POST", "/saas/voice/clone", { name, samples: [{ filename: "a.wav", mime_type: "audio/wav", lang_code: "en" }] });
	const path = `/saas/voice/m/${voice_id}`, page = await enter(browser, "#/voices", overtaken(path, { labels: { mood: "Calm" } })), card = `document.querySelector('[data-voice="${voice_id}"]')`;
	await page.until(card, 15, "the voice");
	await press(page, "Change", card);
	await type(page, "name", `${name} of mine`, card);
	await call("POST", path, { name: `${name} of theirs`, labels: { age_group: "Old" } });
	await page.until(`${card}.querySelector("[data-field=name] > .wrong")?.textContent === ${JSON.stringify(MEANWHILE)}`, 30, "that it was changed");
	assert.deepEqual(await page.ask(`["name", "age_group"].map(name => ${card}.querySelector("[name=" + name + "]").value)`), [`${name} of mine`, "Old"]);
	await press(page, "Save", card);
	await shows(page, "Saved.");
	const voice = await call("GET", path);
	assert.deepEqual([voice.name, voice.labels.age_group, voice.labels.mood], [`${name} of mine`, "Old", "Calm"]);
	await call("DELETE", path);
	is_clean(page);
}

const voice_of = (channel, code) => {
	const { speech_generation: is } = channel.translation_pipeline.translations.find(one => one.target_language === code);
	return is && (is.voice_timbre_detection?.enabled ? "pitch" : is.voice_id);
};

async function two_users_choosing_voices_of_a_hall_do_not_undo_one_another(browser) {
	const { event_id } = await make_event(), { channel_id } = await make_hall(event_id, { target_languages: ["es", "de"] }), path = `/saas/channel/${channel_id}`;
	const page = await enter(browser, `#/event/${event_id}/speech`), now = async () => { const channel = await call("GET", path); return [voice_of(channel, "es"), voice_of(channel, "de")]; };
	const choose = (es, de) => call("PATCH", path, { translation_pipeline: { translations: [["es", es], ["de", de]].map(([target_language, voice_id]) => ({ target_language, speech_generation: { voice_id } })) } });
	await page.until("document.querySelector('[name=voice-es]')", 15, "the form");
	await choose("default_low", "default_high");
	await type(page, "voice-es", "pitch");
	await press(page, "Save");
	await shows(page, "Saved. Halls: 1");
	assert.deepEqual(await now(), ["pitch", "default_high"]);
	await choose("default_high", "default_high");
	await type(page, "voice-es", "default_low");
	await press(page, "Save");
	await page.until(`${told("voice-es")} === ${JSON.stringify(MEANWHILE)}`, 15, "that it was changed");
	assert.deepEqual(await now(), ["default_high", "default_high"]);
	await press(page, "Save");
	// "Saved" may still be there from the first time.
	for (let i = 0; i < 50 && (await now())[0] !== "default_low"; i++)
		await wait(200);
	assert.deepEqual(await now(), ["default_low", "default_high"]);
	is_clean(page);
}

/* ---- parts ---- */

// Cached parts have a version in their address.  This proxy compresses all answers and changes
// their ETag, as mod_deflate and nginx do.
async function compressing(tag_of) {
	const server = createServer(async (request, answer) => {
		const { connection: _, ...headers } = request.headers, { method } = request;
		const body = /^(GET|HEAD)$/.test(method) ? undefined : Buffer.concat(await request.toArray());
		const got = await fetch(base + request.url, { method, headers, body }), kept = Object.fromEntries(got.headers);
		for (const name of ["connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"])
			delete kept[name];
		if (kept.etag)
			kept.etag = tag_of(kept.etag);
		const bytes = gzipSync(Buffer.from(await got.arrayBuffer()));
		answer.writeHead(got.status, bytes.length > 20 ? { ...kept, "content-encoding": "gzip" } : kept).end(bytes.length > 20 ? bytes : "");
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	return server;
}

async function edits_are_saved_behind_proxies_that_compress(browser) {
	for (const tag_of of [tag => tag.replace(/"$/, '-gzip"'), tag => `W/${tag.replace(/^W\//, "")}`]) {
		const { event_id } = await make_event(), { channel_id } = await make_hall(event_id), proxy = await compressing(tag_of);
		const page = await enter(browser, `#/event/${event_id}/halls`, "", { base: `http://127.0.0.1:${proxy.address().port}`, call });
		await press(page, "Languages", "document.getElementById('view')");
		await page.until("document.querySelector('[name=source_language]')", 15, "the form");
		await type(page, "source_language", "fr");
		await press(page, "Save", "document.querySelector('form:has([name=source_language])')");
		await shows(page, "Saved.");
		assert.equal((await call("GET", `/saas/channel/${channel_id}`)).source_language, "fr");
		assert.equal(conflicts(page), 0);
		proxy.close();
	}
}

async function screens_come_when_they_are_asked_for_and_are_kept(browser) {
	// A hall of another account that is on the air needs no further part.
	const page = await enter(browser, "", "", new_account("Parts")), parts = () => page.requests.map(url => new URL(url)).filter(({ pathname }) => /\/web\/console\/.*\.js$/.test(pathname));
	await shows(page, "hours of one hall");
	assert.deepEqual(parts().map(({ pathname }) => pathname.split("/").pop()), ["main.js"]);
	for (const [screen, text] of [["keys", "A new key"], ["usage", "Grouped by"], ["keys", "A new key"]]) {
		await page.ask(`location.hash = "#/${screen}"`);
		await shows(page, text);
	}
	assert.deepEqual(parts().map(({ pathname }) => pathname.split("/").pop()), ["main.js", "rest.js"]);
	const [version, ...others] = new Set(parts().map(({ search }) => search));
	assert.match(version, /^\?v=[0-9a-f]{12}$/);
	assert.deepEqual(others, []);
	for (const { href } of parts())
		assert.equal((await fetch(href)).headers.get("Cache-Control"), "public, max-age=31536000, immutable");
	is_clean(page);
}

async function a_screen_that_cannot_be_had_comes_once_there_is_a_connection(browser) {
	const page = await enter(browser), network = offline => page.send("Network.emulateNetworkConditions", { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
	await shows(page, "hours of one hall");
	await network(true);
	await page.ask("location.hash = '#/usage'");
	await page.until("!offline.hidden", 30, "that there is no connection");
	await network(false);
	await shows(page, "Grouped by", 30);
	await page.until("sessionStorage.getItem('reloaded') === null", 15, "that the next failure loads the page again");
}

// After an upgrade, a part of the new version must reload the old page with the new main.js.
async function a_page_that_is_older_than_the_service_takes_the_newer_one(browser) {
	const page = await enter(browser);
	await shows(page, "hours of one hall");
	await page.ask("window.old = true, import(document.querySelector('script').src + 'newer').catch(error => (window.refused = error.message)), true");
	await page.until("window.refused === 'there is a newer version'", 15, "that it does not begin twice");
	await page.send("Fetch.enable", { patterns: [{ urlPattern: "*/recorder.js" }, { urlPattern: "*/rest.js*" }] }); // the tests' recorder.js is sent in place of rest.js
	await page.ask("location.hash = '#/keys'");
	await page.until("!window.old", 30, "the page to be loaded anew");
	await page.until("document.getElementById('notice')?.textContent === 'This part of the page could not be loaded. Please reload the page.'", 30, "that it does not help");
	assert.equal(await page.ask("sessionStorage.getItem('reloaded')"), "yes"); // the page reloads only once
	await page.send("Fetch.enable", { patterns: [{ urlPattern: "*/recorder.js" }] });
	await page.send("Page.reload");
	await shows(page, "A new key");
}

module.exports = { cases: [a_webhook_that_was_written_meanwhile_is_switched_off_all_the_same, languages_changed_by_another_user_are_reported_and_nothing_typed_is_lost,
	a_voice_changed_by_another_user_keeps_typed_text_and_reports_it, two_users_choosing_voices_of_a_hall_do_not_undo_one_another,
	edits_are_saved_behind_proxies_that_compress, screens_come_when_they_are_asked_for_and_are_kept, a_screen_that_cannot_be_had_comes_once_there_is_a_connection, a_page_that_is_older_than_the_service_takes_the_newer_one] };
