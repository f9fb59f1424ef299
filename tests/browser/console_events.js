// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: creating events and controlling their halls.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { enter, is_clean, make_event, press, shows, soon, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call, new_account } = require("./service.js");

// Opens the list of languages in the form that has this selector.
const open_list = async (page, within = "document") => {
	await page.ask(`(e => { e.blur(); e.focus(); })(${within}.querySelector("[name=target]"))`);
	await page.until("!!document.querySelector('[role=listbox]:not([hidden]) [data-code]')", 15, "the languages");
};

// The languages that are listed, and whether each can be chosen.
const open_languages = async page => Object.fromEntries(await page.ask("[...document.querySelectorAll('[role=listbox]:not([hidden]) [data-code]')].map(e => [e.dataset.code, e.ariaDisabled === 'true'])"));

const tick = async (page, code) => {
	await open_list(page);
	await page.ask(`document.querySelector('[role=listbox]:not([hidden]) [data-code="${code}"]').click()`);
};

async function fill_in(page, title) {
	await page.until("document.querySelector('[name=title]')", 15);
	await type(page, "title", title);
	await type(page, "timezone", "Europe/Madrid");
	await type(page, "start", "2030-07-01T09:00");
	await type(page, "end", "2030-07-01T08:00");
	await type(page, "hall0", "Red hall");
	await press(page, "Add a hall");
	await type(page, "hall1", "Blue hall");
	await press(page, "Create the event");
	assert.equal(await page.ask("document.querySelector('[name=end]').validationMessage"), "The end must be after the beginning.");
	await type(page, "end", "2030-07-01T11:00");
	await is_accessible(page);
}

async function an_event_of_the_console_is_made_once_though_its_creation_stops_half_way(browser) {
	const page = await enter(browser, "#/new"), title = `Half ${Date.now()}`;
	await fill_in(page, title);
	const { source, target, pairs } = await call("GET", "/languages");
	const served = new Set(pairs.filter(one => one.source === "en" && one.engine).map(one => one.target));
	await open_list(page);
	for (const [code, disabled] of Object.entries(await open_languages(page)))
		assert.equal(disabled, !served.has(code), code);
	assert.ok(source.length > 1 && target.length > 1);
	await type(page, "target", "alem");
	assert.deepEqual(Object.keys(await open_languages(page)), []);
	await type(page, "target", "spa");
	assert.equal(Object.keys(await open_languages(page))[0], "es");
	await type(page, "target", "deutsch");
	assert.deepEqual(Object.keys(await open_languages(page)), ["de"]);
	await page.ask("document.querySelector('[name=target]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))");
	await tick(page, "es");
	await is_accessible(page);
	await shows(page, "320"); // credits: two hours of two halls, 80 each
	assert.deepEqual(await page.ask("[...document.querySelectorAll('.ph-l')].map(e => e.textContent)"), ["Deutsch", "Español"]);
	// The second hall's answer is lost, though it is made.
	await page.ask(`(real => { let n = 0; window.fetch = async (...args) => { const answer = await real(...args);
		if (/saas\\/channel$/.test(args[0]) && ++n === 2) throw new TypeError("lost"); return answer; }; })(window.fetch)`);
	await press(page, "Create the event");
	await shows(page, "The service cannot be reached.");
	await page.send("Page.reload");
	await press(page, "Finish what was begun");
	await page.until("/^#.event.*halls$/.test(location.hash)", 20);
	const made = await call("GET", `/saas/v2/events?q=${encodeURIComponent(title)}`);
	assert.equal(made.length, 1);
	assert.equal(made[0].utc_start_dt.slice(0, 16), "2030-07-01T07:00");
	assert.equal(made[0].transcript, "organizer");
	const channels = await call("GET", `/saas/channels?event_id=${made[0].event_id}`);
	assert.deepEqual(channels.map(one => one.name).sort(), ["Blue hall", "Red hall"]);
	assert.deepEqual(channels[0].target_languages.sort(), ["de", "es"]);
	assert.equal(await page.ask("sessionStorage.getItem('draft')"), null);
	is_clean(page);
}

async function an_event_is_edited_ended_and_deleted_in_the_console(browser) {
	const title = `Whole ${Date.now()}`, { event_id } = await make_event({ title, access_code: "FORUM26" }), path = `/saas/v2/event/${event_id}`;
	await call("POST", "/saas/channel", { type: "event", event_id, name: "Hall", source_language: "en", target_languages: ["es"] });
	const page = await enter(browser, `#/event/${event_id}`);
	await press(page, "Edit");
	await page.until("document.querySelector('[name=title]')", 15, "the form");
	await type(page, "location", "Madrid");
	await type(page, "access_code", "");
	await is_accessible(page);
	await call("PATCH", path, { title: `${title} of another` }); // meanwhile; another field
	await press(page, "Save");
	await shows(page, "Saved.");
	const { location, access_code, title: kept } = await call("GET", path);
	assert.deepEqual([location, access_code, kept], ["Madrid", undefined, `${title} of another`]);
	await page.ask(`location.hash = "#/events"`);
	const row = `[...document.querySelectorAll("#events tr")].find(e => e.innerText.includes(${JSON.stringify(title)}))`;
	await page.until(row, 15, "its row");
	await press(page, "Delete", `(${row})`);
	await page.until(`!(${row})`, 5, "it to leave the list");
	await press(page, "Undo");
	await page.until(row, 5, "it to be back");
	await nap(11000);
	assert.equal((await call("GET", path)).event_id, event_id);
	await press(page, "Delete", `(${row})`);
	await nap(10500);
	for (let i = 0; i < 50 && (await call("GET", `/saas/v2/events?q=${encodeURIComponent(title)}`)).length; i++)
		await nap(200);
	assert.deepEqual(await call("GET", `/saas/v2/events?q=${encodeURIComponent(title)}`), []);
	is_clean(page);
}

async function an_event_ends_eight_hours_after_it_begins_unless_told_otherwise(browser) {
	const page = await enter(browser, "#/new"), end = () => page.ask("document.querySelector('[name=end]').value");
	await page.until("document.querySelector('[name=start]')", 15);
	await type(page, "start", "2030-07-01T09:00");
	assert.equal(await end(), "2030-07-01T17:00");
	await type(page, "end", "2030-07-02T12:30");
	await type(page, "start", "2030-07-08T10:00"); // the end moves along
	assert.equal(await end(), "2030-07-09T13:30");
	await type(page, "start", "");
	await type(page, "start", "0002-07-09T13:00"); // a year that is being typed
	await type(page, "start", "2030-07-09T13:00");
	assert.equal(await end(), "2030-07-09T13:30");
	assert.equal(await page.ask("JSON.parse(sessionStorage.draft).about.end"), "2030-07-09T13:30");
	is_clean(page);
}

async function a_field_with_a_fault_is_seen_with_its_label(browser) {
	const page = await enter(browser, "#/new"), seen = "(e => e.getBoundingClientRect().top - Math.max(0, document.getElementById('top').getBoundingClientRect().bottom))(document.activeElement.closest('label'))";
	await be_phone(page, { height: 700 });
	await page.until("document.querySelector('[name=title]')", 15);
	await type(page, "start", "2030-07-01T09:00");
	await type(page, "hall0", "");
	for (const name of ["title", "hall0"]) {
		await page.ask("scrollTo(0, document.body.scrollHeight)");
		await press(page, "Create the event");
		await page.until(`document.activeElement.name === "${name}" && ${seen} >= 0`, 5, `${name} and its label`);
		await type(page, "title", "Forum");
	}
	is_clean(page);
}

async function an_access_code_of_six_is_made_on_wish(browser) {
	const page = await enter(browser, "#/new");
	await page.until("document.querySelector('[name=access_code]')", 15);
	const code = "document.querySelector('[name=access_code]')";
	assert.equal(await page.ask(`${code}.minLength`), 6);
	await press(page, "Make a code");
	const first = await page.ask(`${code}.value`);
	assert.match(first, /^[A-HJ-NP-Z2-9]{6}$/);
	await press(page, "Make a code");
	assert.notEqual(await page.ask(`${code}.value`), first);
	is_clean(page);
}

async function a_second_event_takes_two_clicks_and_a_save(browser) {
	const title = `Rounds ${Date.now()} of all that are ever to be held in the halls beside the river`, event = await make_event({ title, utc_start_dt: soon(-200), utc_end_dt: soon(-198) });
	await call("POST", "/saas/channel", { type: "event", event_id: event.event_id, stage_id: event.stages[0].stage_id, name: "Red hall", source_language: "en", target_languages: ["es", "de"] });
	const page = await enter(browser, "#/events"), id = "(/event\\/(.*)\\/edit/.exec(location.hash) || [])[1]";
	await page.until(`[...document.querySelectorAll("#events a")].some(e => e.textContent === ${JSON.stringify(title)})`, 15, "the event");
	await press(page, "Duplicate", `[...document.querySelectorAll("#events tr")].find(e => e.innerText.includes(${JSON.stringify(title)}))`);
	await page.until(id, 15, "its form");
	await shows(page, "Made like");
	const made = await call("GET", `/saas/v2/event/${await page.ask(id)}`);
	assert.notEqual(made.event_id, event.event_id);
	assert.ok(Date.parse(made.utc_start_dt) > Date.now());
	assert.equal((Date.parse(made.utc_start_dt) - Date.parse(event.utc_start_dt)) % (7 * 86400000), 0);
	assert.deepEqual(made.stages.flatMap(one => one.channels).map(one => one.target_languages.sort()), [["de", "es"]]);
	await page.until("document.querySelector('[name=title]')", 15, "the form");
	await type(page, "title", `${title} again`);
	await press(page, "Save");
	await shows(page, `${title} again`);
	await page.ask("location.hash = '#/new'");
	await shows(page, "Like before");
	assert.ok(await page.ask("[...document.querySelectorAll('.pad.row > button')].every(one => one.getBoundingClientRect().right <= one.parentNode.getBoundingClientRect().right)"), "long titles stay in their card");
	await press(page, `${title} again`);
	await page.until(`${id} && ${id} !== ${JSON.stringify(made.event_id)}`, 15, "a third one");
	await is_accessible(page);
	is_clean(page);
}

async function a_new_link_is_asked_for_while_the_speaker_is_on_the_air(browser) {
	const { event_id } = await make_event(), { channel_id } = await call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", source_language: "en", target_languages: ["es"] });
	const link = async () => (await call("GET", `/saas/channel/${channel_id}/speaker-token`)).short_url, was = await link();
	const speaker = await (await browser.page()).open(was);
	await speaker.until("document.body.dataset.state", 15);
	await speaker.click("start");
	const page = await enter(browser, `#/event/${event_id}/halls`);
	await press(page, "Speaker link");
	await page.until("document.querySelector('.hall.live, .hall.silent, .hall.break')", 60, "sound");
	await press(page, "New link");
	await page.until("document.querySelector('dialog[open]')", 15, "the question");
	await is_accessible(page);
	await press(page, "Back", "document.querySelector('dialog[open]')");
	assert.equal(await link(), was);
	await press(page, "New link");
	await press(page, "End the old link");
	await shows(page, "There is a new link.");
	assert.notEqual(await link(), was);
	is_clean(page);
}

async function the_halls_of_an_event_are_looked_after_in_the_console(browser) {
	const { event_id, join_code } = await make_event({ access_code: "FORUM26" });
	const channel = await call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", source_language: "en", target_languages: ["es"] });
	const page = await enter(browser, `#/event/${event_id}/halls`);
	await shows(page, "Waiting for the speaker");
	await shows(page, "Listen now: 0");
	await call("POST", `/saas/v2/event/public/${event_id}/join?code=forum26`, { language: "es" });

	const now = async () => (await call("GET", `/saas/channel/${channel.channel_id}/speaker-token`)).short_url, shown = "[...document.querySelectorAll('[readonly]')].map(e => e.value).find(e => e.includes('/s/'))";
	await press(page, "Speaker link");
	await page.until(shown, 15);
	const first = await page.ask(shown);
	assert.equal(first, await now());
	await page.until("document.querySelector('.hall img.qr')?.naturalWidth > 0", 15, "its QR code");
	await press(page, "Screen");
	await page.until("[...document.querySelectorAll('[readonly]')].some(e => e.value.includes('/screen/'))", 15, "the screen's links");
	const links = await page.ask("[...document.querySelectorAll('[readonly]')].map(e => e.value)");
	await press(page, "Speaker link");
	await page.until(`${shown} === ${JSON.stringify(first)}`, 15, "the same link");
	assert.equal(await now(), first);
	await press(page, "New link"); // the speaker is not there: at once
	await page.until(`${shown} !== ${JSON.stringify(first)}`, 15, "another link");
	await shows(page, "There is a new link.");
	assert.equal(await page.ask(shown), await now());
	assert.ok(links.includes(`${base}/${join_code}?s=${channel.stage_id.slice(-6)}#code=FORUM26`), links.join("\n"));
	assert.ok(links.includes(`${base}/screen/?e=${event_id}&s=${channel.stage_id}#l=es&code=FORUM26`), links.join("\n"));
	assert.ok(links.includes(`${base}/screen/?e=${event_id}&s=${channel.stage_id}#l=es&code=FORUM26&bg=transparent`));

	await page.ask("document.querySelectorAll('details').forEach(e => e.open = true)");
	await page.until("document.querySelector('[name=target]')", 15);
	await tick(page, "fr");
	await press(page, "Save", "document.querySelector('form:has([name=target])')");
	await shows(page, "Saved.");
	assert.deepEqual((await call("GET", `/saas/channel/${channel.channel_id}`)).target_languages.sort(), ["es", "fr"]);
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

const lines = page => page.ask("[...document.querySelectorAll('.ear [lang]')].filter(e => e.textContent).map(e => `${e.lang}: ${e.textContent}`)");

// The console's short link for speakers uses WebRTC where possible.
async function speak_by_link(browser, page, before = "") {
	await press(page, "Speaker link");
	const at = "[...document.querySelectorAll('[readonly]')].map(e => e.value).find(e => e.includes('/s/'))";
	const speaker = await (await browser.page()).open(await page.until(at, 15, "the speaker's link"), before);
	const url = await speaker.ask("location.href");
	await speaker.until("document.body.dataset.state === 'none'", 15);
	await speaker.click("start");
	await speaker.until("document.body.dataset.state === 'running'", 30, "to speak");
	return { speaker, url };
}

async function a_hall_is_seen_and_heard_in_the_console(browser) {
	const { event_id } = await make_event({ title: "<img src=x onerror=alert(1)>" });
	const { channel_id } = await call("POST", "/saas/channel", { type: "event", event_id, name: "<script>alert(1)</script>", source_language: "en", target_languages: ["es", "ar"] });
	const page = await enter(browser, `#/event/${event_id}/halls`);
	await shows(page, "Waiting for the speaker");
	await page.ask("document.querySelectorAll('details').forEach(e => e.open = true)");
	await page.until("document.querySelector('[name=target]')", 15);
	const { speaker, url } = await speak_by_link(browser, page, `(real => navigator.mediaDevices.getUserMedia = async wish => window.given = await real(wish))
		(navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices))`);
	assert.match(url, /[#&]webrtc_url=/);
	await page.until("document.querySelector('.light.live')", 20, "the hall to be live");
	await page.until("document.querySelectorAll('.ear .wave rect:not(.off)').length > 4", 20, "a wave");
	await page.until("document.querySelector('.ear [lang=en]')?.textContent && document.querySelector('.ear [lang=es]')?.textContent.startsWith('[es] ')", 30, "both lines");
	await type(page, "heard", "ar");
	await page.until("document.querySelector('.ear [lang=ar]')?.textContent.startsWith('[ar] ')", 30, "the other line");
	assert.equal(await page.ask("getComputedStyle(document.querySelector('.ear [lang=ar]')).direction"), "rtl");
	await press(page, "Listen in");
	await page.until("document.querySelector('.hall [aria-pressed=true]')", 5);
	assert.equal((await call("GET", `/saas/v2/event/${event_id}/stats`)).participants_count, 0, JSON.stringify(await lines(page)));
	// An open section stays open when its card is redrawn.
	assert.ok(await page.ask("[...document.querySelectorAll('details.panel')].every(e => e.open)"));
	await is_accessible(page);
	// A microphone that is muted at the mixing desk sends silence.
	await speaker.ask("given.getAudioTracks()[0].enabled = false");
	await page.until("/^Silent for \\d+ s$/.test(document.querySelector('.light').textContent)", 30, "that there is no sound");
	await is_accessible(page);
	await speaker.ask("given.getAudioTracks()[0].enabled = true");
	await page.until("document.querySelector('.light').textContent === 'Live'", 15, "sound again");
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
	await speaker.close();
	await page.until("document.querySelector('.light.break, .light.waiting')", 30, "a break");
	assert.equal((await call("GET", `/saas/channel/${channel_id}`)).lifecycle_status, "ready");
}

const count_sockets = "window.WebSocket = class extends WebSocket { constructor(...args) { super(...args); (window.sockets ||= []).push(this); } };";
const OPEN = "(window.sockets || []).filter(one => one.readyState === 1).length";

async function a_few_halls_in_view_are_listened_to_and_none_unseen(browser) {
	const of = new_account("Nine halls"); // Home listens to halls of other cases
	const event = await make_event({ stages: Array.from({ length: 9 }, (_, i) => ({ name: `Hall ${i + 1}` })) }, of);
	for (const { stage_id, name } of event.stages)
		await of.call("POST", "/saas/channel", { type: "event", event_id: event.event_id, stage_id, name, source_language: "en", target_languages: ["es"] });
	const page = await enter(browser, "", count_sockets, of);
	await page.send("Emulation.setDeviceMetricsOverride", { width: 1200, height: 4000, deviceScaleFactor: 1, mobile: false });
	await page.ask(`location.hash = "#/event/${event.event_id}/halls"`);
	await page.until(`${OPEN} === 12`, 30, "two sockets for each of six halls");
	assert.equal(await page.ask("sockets.length"), 12);
	await page.send("Emulation.setDeviceMetricsOverride", { width: 320, height: 640, deviceScaleFactor: 1, mobile: true });
	await page.until(`${OPEN} <= 4`, 30, "those out of view to be closed");
	await page.ask("document.querySelectorAll('.halls > li')[8].scrollIntoView()");
	await page.until(`${OPEN} > 0 && sockets.length > 12`, 30, "the last hall to be listened to");
	await page.ask("location.hash = '#/home'");
	await page.until(`${OPEN} === 0`, 30, "none to be open");
	is_clean(page);
}

module.exports = { cases: [an_event_is_edited_ended_and_deleted_in_the_console, an_access_code_of_six_is_made_on_wish, a_field_with_a_fault_is_seen_with_its_label, an_event_ends_eight_hours_after_it_begins_unless_told_otherwise, an_event_of_the_console_is_made_once_though_its_creation_stops_half_way,
	a_second_event_takes_two_clicks_and_a_save, a_new_link_is_asked_for_while_the_speaker_is_on_the_air, the_halls_of_an_event_are_looked_after_in_the_console, a_hall_is_seen_and_heard_in_the_console,
	a_few_halls_in_view_are_listened_to_and_none_unseen] };
