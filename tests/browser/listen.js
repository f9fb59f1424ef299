// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The attendee's page: faults of its predecessor, and the screens before an event can be heard.
const assert = require("node:assert/strict");
const { readFileSync, readdirSync } = require("node:fs");
const { join } = require("node:path");
const { nap } = require("./chromium.js");
const { ear } = require("./ear.js");
const { hall, say_words, hours } = require("./halls.js");
const { HOSTILE, stays_text } = require("./hostile.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { open, end, settings, way, choose, state, lines, says, is_clean, icy_way, picks, pick } = require("./pages.js");
const { base, call } = require("./service.js");

async function phone(browser, url, how = {}, before = "") {
	const page = await browser.page(how.like);
	await be_phone(page, how);
	return page.open(url, `${ear};${before}`);
}

async function enter(page) {
	await page.until("!choice.hidden && !listen.disabled", 15, "the door");
	await page.click("listen");
}

async function a_phone_hears_in_its_language(browser) {
	const { event, speaker, link } = await hall({ target_languages: ["de", "fr", "es"] });
	const page = await phone(browser, link(), { languages: "es-ES,es;q=0.9,en;q=0.5" });
	await page.until("!choice.hidden", 10);
	assert.equal(await page.ask("document.documentElement.lang"), "es");
	assert.equal(await page.ask("document.querySelector('#languages input:checked').value"), "es");
	assert.deepEqual(await picks(page), ["es", "de", "fr", "original"]);
	assert.deepEqual(await page.ask("[...document.querySelectorAll('#languages span')].map(one => one.textContent)"),
		["Español", "Deutsch", "Français", "English"]);
	assert.equal(await page.text("listen"), "Escuchar");
	await fits(page);
	await is_accessible(page);
	await enter(page);
	const talker = await open(browser, speaker);
	await says(page, "es", 2, 15);
	await state(page, "live");
	assert.equal(await page.text("state"), "En directo");
	assert.equal(await page.ask("navigator.mediaSession.metadata.title"), event.title);
	await fits(page);
	await is_accessible(page);
	await settings(page);
	await is_accessible(page);
	await page.click("done");
	await end(talker);
	await state(page, "break");
	assert.equal(await page.text("state"), "Pausa: esperando al siguiente orador");
	is_clean(page);
}

// The share of the window that captions fill.
const share = page => page.ask("captions.clientHeight / innerHeight");

async function captions_fill_any_phone(browser) {
	const { input, link } = await hall();
	const page = await phone(browser, link("language=es"));
	await enter(page);
	await state(page, "waiting");
	const words = Array.from({ length: 30 }, (_, i) => `This is sentence number ${i + 1}.`);
	await say_words(browser, { input }, words);
	await says(page, "es", 30, 20);
	assert.equal(await page.ask("getComputedStyle(log).fontSize"), "22px");
	assert.ok(await share(page) > 0.75);
	await page.click("larger");
	const larger = await page.ask("getComputedStyle(log).fontSize");
	assert.notEqual(larger, "22px");
	const last = "log.lastElementChild.getBoundingClientRect()";
	await page.until(`${last}.bottom <= captions.getBoundingClientRect().bottom + 40 && ${last}.bottom > 0`, 5, "the newest line");
	for (const [width, height] of [[844, 390], [390, 844], [320, 640]]) { // the phone is turned
		await be_phone(page, { width, height });
		await nap(300);
		await page.until(`${last}.bottom <= captions.getBoundingClientRect().bottom && newer.hidden`, 5, `the newest line at ${width}x${height}`);
	}
	await page.ask("captions.scrollTop = 0");
	await nap(300);
	for (const [width, height, letters, least] of [[844, 390, 1, 0.65], [320, 640, 2, 0.5], [360, 740, 1, 0.7]]) {
		await be_phone(page, { width, height });
		await page.ask(`document.documentElement.style.fontSize = "${letters * 100}%"`);
		await page.until(`captions.clientHeight / innerHeight > ${least}`, 5, `captions at ${width}x${height}`);
		await fits(page);
	}
	const again = await phone(browser, link("language=es"), { like: page });
	await enter(again);
	assert.equal(await again.ask("getComputedStyle(log).fontSize"), larger);
	is_clean(page);
}

async function a_reader_further_up_stays_there(browser) {
	const event = await hall();
	const page = await phone(browser, event.link("language=es"));
	await enter(page);
	await state(page, "waiting");
	const words = n => Array.from({ length: n }, (_, i) => `Sentence ${i + 1} of many that are said here.`);
	await say_words(browser, event, words(30));
	await says(page, "es", 30, 20);
	await page.ask("captions.scrollTop = 0");
	await nap(300);
	await say_words(browser, event, words(3));
	await says(page, "es", 33, 20);
	await page.until("!newer.hidden", 5, "the chip");
	assert.equal(await page.ask("captions.scrollTop"), 0);
	await page.click("newer");
	assert.ok(await page.ask("newer.hidden && captions.scrollTop > 0"));
}

async function texts_missed_without_a_network_are_filled_in(browser) {
	const event = await hall();
	const path = await icy_way();
	const page = await phone(browser, event.link("language=es", `http://${path.host}`), {}, `${path.leads};delete window.RTCPeerConnection`);
	await enter(page);
	await state(page, "waiting");
	const direct = await phone(browser, event.link("language=es"));
	await enter(direct);
	const talker = await open(browser, event.speaker);
	await says(page, "es", 1, 15);
	path.freeze(true);
	await state(page, "away", 30);
	await page.until("/No connection for \\d+ s/.test(document.getElementById('state').textContent)", 5);
	await nap(4000);
	path.thaw();
	await state(page, "live", 40);
	await end(talker);
	for (const one of [page, direct])
		await state(one, "break", 20);
	assert.equal((await lines(page, "es")).length, (await lines(direct, "es")).length);
}

async function a_late_listener_reads_earlier_texts(browser) {
	const event = await hall();
	const early = await phone(browser, event.link("language=es"));
	await enter(early);
	await state(early, "waiting");
	await say_words(browser, event, ["Good morning.", "Welcome.", "Thank you."]);
	await says(early, "es", 3, 15);
	const late = await phone(browser, event.link("language=es"));
	await enter(late);
	await says(late, "es", 3, 5);
	assert.deepEqual(await lines(late, "es"), await lines(early, "es"));
}

async function arabic_goes_from_right_to_left(browser) {
	const event = await hall({ target_languages: ["ar", "es"], location: "Madrid" });
	const page = await phone(browser, event.link(), { languages: "ar-EG,ar" });
	await page.until("!choice.hidden", 10);
	await page.until("where.textContent.includes(' · ')", 5, "the date");
	// The date begins to the left of the place; the whole of it may be wrapped.
	const [place, date] = await page.ask(`(text => ["Madrid", text.data.slice(text.data.indexOf(" · ") + 3).slice(0, 6)].map(what => {
		const range = new Range(), at = text.data.indexOf(what);
		range.setStart(text, at), range.setEnd(text, at + what.length);
		const { left, right } = range.getBoundingClientRect();
		return { left, right };
	}))(document.getElementById("where").firstChild)`);
	assert.ok(date.right <= place.left && date.right > date.left, JSON.stringify({ place, date }));
	assert.equal(await page.ask("document.documentElement.dir"), "rtl");
	await fits(page);
	await enter(page);
	await state(page, "waiting");
	await say_words(browser, event, ["Welcome."]);
	await says(page, "ar", 1, 15);
	assert.equal(await page.ask("getComputedStyle(document.querySelector('#log [lang=ar]')).direction"), "rtl");
	assert.equal(await page.ask("getComputedStyle(larger).direction"), "ltr", "A+, not +A");
	await choose(page, "es");
	await say_words(browser, event, ["Welcome again."]);
	await says(page, "es", 1, 15);
	assert.equal(await page.ask("getComputedStyle(document.querySelector('#log [lang=es]')).direction"), "ltr");
	is_clean(page);
}

async function reading_only_takes_texts_alone(browser) {
	const event = await hall();
	const page = await phone(browser, event.link("language=es"));
	await page.until("!choice.hidden && !read.disabled", 15);
	await page.click("read");
	await way(page, "none");
	await say_words(browser, event, ["Welcome."]);
	await says(page, "es", 1, 15);
	assert.ok(page.requests.some(url => /^ws.*audio=0/.test(url)));
	assert.ok(!page.requests.some(url => /rtc\?|ring\.js|listen\.(ogg|mp3)/.test(url)));
	assert.ok(await page.ask("pause.hidden"));
}

async function an_older_phone_hears_a_file(browser) {
	const event = await hall();
	const page = await phone(browser, event.link("language=es"), {}, "delete window.RTCPeerConnection, delete window.AudioDecoder");
	await enter(page);
	await way(page, "file");
	const talker = await open(browser, event.speaker);
	await says(page, "es", 1, 15);
	try {
		await page.until("/listen\\.(ogg|mp3)/.test(audio.src) && audio.currentTime > 1 && !audio.error", 30, "the file");
	} catch (error) {
		throw new Error(`${error.message} ${await page.ask("JSON.stringify([audio.src.slice(0, 60), audio.currentTime, audio.error && audio.error.message, audio.readyState, audio.networkState, audio.paused, audio.buffered.length && audio.buffered.end(0), audio.playbackRate])")}`);
	}
	await page.ask("audio.src = URL.createObjectURL(new Blob(['it breaks off']))");
	await page.until("/listen\\.(ogg|mp3)/.test(audio.src) && audio.currentTime > 1", 15, "the file again");
	await end(talker);
	assert.deepEqual(page.complaints, []);
}

async function both_languages_stand_together_and_are_saved(browser) {
	const event = await hall();
	const page = await phone(browser, event.link("language=es"));
	await enter(page);
	await state(page, "waiting");
	await settings(page);
	await page.ask("both.click(), done.click()");
	await nap(1500);
	const talker = await open(browser, event.speaker);
	await page.until("[...log.children].some(one => one.querySelector('[lang=en]') && one.querySelector('[lang=es]')) && log.children.length >= 2", 25, "both");
	const order = "[...log.children].filter(one => one.children.length > 1).map(one => [...one.children].map(p => p.lang).join())";
	assert.deepEqual([...new Set(await page.ask(order))], ["en,es"]);
	const [small, large] = await page.ask("[...[...log.children].find(one => one.children.length > 1).children].map(p => parseFloat(getComputedStyle(p).fontSize))");
	assert.ok(small < large, `${small} above ${large}`);
	await end(talker);
	await say_words(browser, event, ["<b>Bold</b> & more."]);
	await page.until("/Bold/.test(log.textContent)", 15);
	await settings(page);
	await page.ask("window.kept = [], URL.createObjectURL = blob => (kept.push(blob), 'blob:none'), HTMLAnchorElement.prototype.click = () => {}");
	await page.ask("[...saves.children].forEach(one => one.click())");
	await page.until("kept.length === 3", 10, "files");
	const files = await page.ask("Promise.all(kept.map(one => one.text()))");
	const [srt, vtt] = [/^1\n/, /^WEBVTT/].map(begin => files.find(one => begin.test(one)));
	const text = files.find(one => one !== srt && one !== vtt);
	assert.match(text, /hello world\n\[es\] hello world\n/);
	assert.match(srt, /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\n/);
	assert.match(vtt, /^WEBVTT\n\n00:00:00\.000 --> /);
	assert.match(vtt, /&lt;b&gt;Bold&lt;\/b&gt; &amp; more/);
}

async function a_line_that_is_corrected_changes_in_place(browser) {
	const event = await hall({ transcript: "public" });
	const page = await phone(browser, event.link("language=es"));
	await enter(page);
	await state(page, "waiting");
	const talker = await open(browser, event.speaker);
	await says(page, "es", 2, 20);
	const at = `/saas/channel/${event.channel_id}/transcript`;
	let line;
	for (let i = 0; !line && i < 60; i++, await nap(500)) // statistics are written in batches
		[line] = (await call("GET", `${at}?language=es`).catch(() => ({ items: [] }))).items;
	await call("PATCH", `${at}/${line.line_id}`, { text: "Corregido." });
	await page.until("[...log.querySelectorAll('[lang=es]')].some(one => one.textContent === 'Corregido.')", 15, "the corrected line");
	assert.equal(await page.ask("[...log.querySelectorAll('[lang=es]')].findIndex(one => one.textContent === 'Corregido.')"), 0);
	await settings(page);
	assert.match(await page.ask("transcript.href"), /language=es/);
	await end(talker);
}

/* ---- the door ---- */

async function the_door_gives_the_reason_of_a_refusal(browser) {
	const none = await phone(browser, `${base}/listen/`);
	await none.until("/QR code/.test(notice.textContent)", 5);
	assert.equal(await none.ask("[...document.querySelectorAll('input')].filter(one => one.checkVisibility()).length"), 0);
	const unknown = await phone(browser, `${base}/listen/?e=00000000-0000-4000-8000-000000000000`);
	await unknown.until("notice.textContent === 'There is no such event.'", 10);
	const over = await hall({ utc_start_dt: hours(-5), utc_end_dt: hours(-4) });
	const finished = await phone(browser, over.link());
	await finished.until("notice.textContent === 'This event is over.' && choice.hidden", 10);
	const uk = await phone(browser, (await hall({ target_languages: ["es"] })).link("language=uk"));
	await uk.until("/This language cannot be had now/.test(notice.textContent) && !choice.hidden", 10);
	assert.equal(await uk.ask("other.hidden"), true);
	for (const page of [none, unknown, finished]) {
		assert.equal(await page.ask("other.innerText"), "Listen to an event");
		await fits(page);
	}
	for (const page of [none, unknown, finished, uk])
		await is_accessible(page);
	await unknown.click("other");
	await unknown.until("location.pathname === '/' && document.getElementById('code')", 10, "the field for a code");
}

// The lines of the page on which the end of a text is, from a word on.
const lines_of = (page, word, of) => page.ask(`(text => { const range = new Range();
	range.setStart(text, text.data.lastIndexOf("${word}")), range.setEnd(text, text.length);
	return new Set([...range.getClientRects()].map(one => Math.round(one.top))).size; })(${of}.firstChild)`);

async function a_narrow_phone_shows_code_and_language_whole(browser) {
	const { event, speaker, link } = await hall({ target_languages: ["pt-br", "es"] });
	const page = await phone(browser, link("language=pt-br"), { width: 320, height: 640 });
	await page.until("!choice.hidden", 10);
	assert.equal(await lines_of(page, event.join_code.slice(0, 3), "host"), 1);
	const talker = await open(browser, speaker);
	await says(talker, "es", 1, 20);
	await page.ask("location.reload()");
	await page.until("document.body?.dataset.state === 'live' && !choice.hidden", 10, "the state beside the code");
	assert.equal(await lines_of(page, event.join_code.slice(0, 3), "host"), 1);
	await enter(page);
	await says(page, "pt-br", 1, 20);
	for (const letters of [1, 2]) {
		await page.ask(`document.documentElement.style.fontSize = "${letters * 100}%"`);
		const { name, room } = await page.ask(`(style => { const context = new OffscreenCanvas(1, 1).getContext("2d");
			context.font = style.font;
			return { name: context.measureText(language.selectedOptions[0].text).width, room: language.clientWidth - 2 * parseFloat(style.paddingInlineStart) - 20 }; })(getComputedStyle(language))`);
		assert.ok(name <= room, `${name} in ${room}`);
		await fits(page);
	}
	assert.ok(await share(page) > 0.5);
	await end(talker);
}

async function an_early_listener_is_let_in_in_time(browser) {
	const event = await hall({ utc_start_dt: hours(1) });
	const page = await phone(browser, event.link());
	await page.until("/It begins on/.test(notice.textContent) && listen.disabled", 10);
	await call("PATCH", `/saas/v2/event/${event.event.event_id}`, { utc_start_dt: hours(-1) });
	await page.until("notice.textContent === '' && !listen.disabled", 40, "the door to open by itself");
}

async function a_language_that_is_missing_is_asked_for(browser) {
	const event = await hall();
	for (const count of [1, 2]) {
		const page = await phone(browser, event.link());
		await page.until("!choice.hidden && !missing.hidden", 10);
		await page.click("missing");
		await page.until("document.getElementById('wish')", 10, "the form");
		const low = await page.ask("wish.blur(), scrollTo(0, 0), wish.getBoundingClientRect().bottom");
		await be_phone(page, { height: Math.ceil(low) + 4 }); // where the bar with the buttons would cover the field
		await page.ask("wish.focus()");
		await page.until("wish.getBoundingClientRect().bottom <= document.querySelector('.go').getBoundingClientRect().top", 5, "the field above the bar");
		await page.ask("wish.value = 'uk', document.getElementById('request').requestSubmit()");
		await page.until(`asked.textContent === "Ukrainian was requested. Requests so far: ${count}. You are told here when it comes."`, 10);
		await is_accessible(page);
		is_clean(page);
	}
}

async function one_of_several_halls_is_chosen(browser) {
	const event = await hall({ stages: [{ name: "Aula" }, { name: "Room <2>" }] });
	await call("POST", "/saas/channel", { type: "event", name: "Second", event_id: event.event.event_id,
		stage_id: event.event.stages[1].stage_id, source_language: "en", target_languages: ["fr", "de"] });
	const page = await phone(browser, `${base}/listen/?e=${event.event.event_id}`);
	await page.until("document.querySelectorAll('#halls input').length === 2", 10);
	assert.deepEqual(await picks(page), ["es", "original"]);
	await page.ask("document.querySelectorAll('#halls input')[1].click()");
	await page.until("document.querySelectorAll('#languages input').length === 3", 5);
	assert.deepEqual((await picks(page)).sort(), ["de", "fr", "original"]);
	await pick(page, "fr");
	await enter(page);
	await state(page, "waiting");
	is_clean(page);
}

// The agenda and the picture of a hall in which nothing is said yet, before the event and in it.
async function a_waiting_listener_reads_the_agenda(browser) {
	const event = await hall({ utc_start_dt: hours(1), cover_image_key: "logo.svg" }); // below media.url
	const [{ stage_id }] = event.event.stages;
	await call("PATCH", `/saas/v2/event/${event.event.event_id}`, { sessions: [
		{ stage_id, title: "Opening", utc_start_dt: hours(-2), utc_end_dt: hours(-1.9), speakers: [] },
		{ stage_id, title: "The first hour", utc_start_dt: hours(1), utc_end_dt: hours(1.5), speakers: [{ name: "Ana Gil" }] },
		{ stage_id, title: "Questions", utc_start_dt: hours(1.5), utc_end_dt: hours(2), speakers: [] }] });
	const page = await phone(browser, event.link("language=es"));
	const items = "[...document.querySelectorAll('#programme li')].map(one => one.textContent)";
	await page.until(`${items}.length === 2`, 10, "the agenda");
	assert.match((await page.ask(items))[0], /^Next · .*The first hour.*Ana Gil$/);
	await page.until("document.querySelector('#programme img').naturalWidth > 0", 10, "the picture");
	await fits(page);
	await is_accessible(page);
	await call("PATCH", `/saas/v2/event/${event.event.event_id}`, { utc_start_dt: hours(-1) });
	await enter(page);
	await page.until("document.querySelectorAll('#captions #programme li').length === 2", 10, "the agenda while nobody speaks");
	await say_words(browser, event, ["Welcome."]);
	await says(page, "es", 1, 15);
	await is_accessible(page);
	is_clean(page, [new URL(base).host, `localhost:${new URL(base).port}`]);
}

async function a_language_that_was_asked_for_is_told(browser) {
	const event = await hall();
	const page = await phone(browser, event.link(), {}, "window.told = [], Notification = class { static permission = 'granted'; constructor(title, { body }) { told.push(title, body) } }");
	await page.until("!choice.hidden && !missing.hidden", 10);
	await page.click("missing");
	await page.until("document.getElementById('wish')", 10, "the form");
	await page.ask("wish.value = 'fr', document.getElementById('request').requestSubmit()");
	await page.until("/^French was requested/.test(asked.textContent)", 10);
	await enter(page);
	await state(page, "waiting");
	await page.ask("Object.defineProperty(document, 'hidden', { get: () => true })");
	await call("PATCH", `/saas/channel/${event.channel_id}`, { target_languages: ["es", "fr"] });
	await page.until("document.getElementById('came')", 60, "the message");
	assert.match(await page.text("came"), /^French is here now\./);
	assert.deepEqual(await page.ask("told"), ["Health Forum", "French is here now."]);
	await is_accessible(page);
	await page.ask("came.querySelector('.strong').click()");
	await page.until("language.value === 'fr' && !document.getElementById('came')", 10, "French");
	await state(page, "waiting");
	await say_words(browser, event, ["Welcome."]);
	await says(page, "fr", 1, 15);
}

async function another_hall_is_entered_from_the_settings(browser) {
	const event = await hall({ stages: [{ name: "Aula" }, { name: "Blue room" }] });
	const second = await call("POST", "/saas/channel", { type: "event", name: "Second", event_id: event.event.event_id,
		stage_id: event.event.stages[1].stage_id, source_language: "en", target_languages: ["fr", "es"] });
	const page = await phone(browser, event.link("language=es")); // its address names the first hall
	await enter(page);
	await state(page, "waiting");
	assert.equal(await page.text("where"), "Aula");
	await settings(page);
	await page.ask(`hall.value = "${event.event.stages[1].stage_id}", hall.dispatchEvent(new Event("change"))`);
	await page.until("where.textContent === 'Blue room' && !document.getElementById('settings')", 10, "the other hall");
	await state(page, "waiting");
	await say_words(browser, second, ["Welcome."]);
	await says(page, "es", 1, 15);
	assert.deepEqual(await page.ask("[...language.options].map(one => one.value)"), ["fr", "es", "original"]);
	is_clean(page);
}

async function the_look_and_the_language_of_the_page_are_kept(browser) {
	const event = await hall();
	const page = await phone(browser, event.link("language=es"));
	await enter(page);
	await state(page, "waiting");
	await settings(page);
	await page.ask("colours.value = 'yellow', colours.dispatchEvent(new Event('change')), document.querySelectorAll('label.row input').forEach(one => one.click())");
	await page.ask("page_language.value = 'ar', page_language.dispatchEvent(new Event('change'))");
	await page.until("document.documentElement.dir === 'rtl' && title.textContent === 'Health Forum'", 10, "Arabic");
	const looks = `({ ink: getComputedStyle(document.body).color, font: getComputedStyle(document.body).fontFamily.slice(0, 12),
		high: parseFloat(getComputedStyle(captions).lineHeight) / parseFloat(getComputedStyle(captions).fontSize) })`;
	const wanted = { ink: "rgb(255, 255, 0)", font: "OpenDyslexic", high: 1.9 };
	await page.until(`getComputedStyle(document.body).color === "${wanted.ink}"`, 5, "yellow letters");
	const near = is => ({ ...is, high: Math.round(is.high * 10) / 10 });
	assert.deepEqual(near(await page.ask(looks)), wanted);
	await settings(page);
	await is_accessible(page);
	await fits(page);
	const again = await phone(browser, event.link("language=es"), { like: page });
	await again.until(`!choice.hidden && getComputedStyle(document.body).color === "${wanted.ink}"`, 10, "the look that was kept");
	assert.equal(await again.ask("document.documentElement.lang"), "ar");
	assert.deepEqual(near(await again.ask(looks)), wanted);
	await is_accessible(again);
	await again.ask("ui.value = 'de', ui.dispatchEvent(new Event('change'))");
	await again.until("document.readyState === 'complete' && document.documentElement.lang === 'de' && !choice.hidden", 10, "German");
	assert.equal(await again.text("listen"), "Zuhören");
}

// The packets of each socket that the page decodes are counted by the socket's language.
const COUNT_SOUND = `window.heard = {};
	const take = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage").set;
	Object.defineProperty(WebSocket.prototype, "onmessage", { set(run) { take.call(this, run && (event => {
		const language = new URL(this.url).searchParams.get("language");
		if (typeof event.data === "string" && JSON.parse(event.data).message_type === "output_audio_data")
			heard[language] = (heard[language] || 0) + 1;
		run(event);
	})) } })`;

async function the_original_is_heard_under_the_translation(browser) {
	const event = await hall();
	const page = await phone(browser, event.link("language=es"), {}, `${COUNT_SOUND};delete window.RTCPeerConnection`);
	await enter(page);
	await way(page, "socket");
	const talker = await open(browser, event.speaker);
	await says(page, "es", 1, 15);
	assert.equal(await page.ask("heard.original"), undefined);
	await settings(page);
	await page.ask("own_volume.value = '0.3', own_volume.dispatchEvent(new Event('input'))");
	await page.until("heard.original > 3 && heard.es > 0", 20, "both sounds");
	await page.ask("own_volume.value = '0', own_volume.dispatchEvent(new Event('input')), done.click()");
	await nap(1000);
	const before = await page.ask("heard.original");
	await says(page, "es", await page.ask("log.children.length") + 1, 15);
	assert.equal(await page.ask("heard.original"), before);
	await end(talker);
	is_clean(page);
}

/* ---- what strangers write ---- */

async function texts_of_strangers_stay_text(browser) {
	const event = await hall({ title: HOSTILE[0], location: HOSTILE[1], stages: [{ name: HOSTILE[2] }, { name: "Other" }] });
	const page = await phone(browser, event.link("language=es"));
	await page.until("!choice.hidden", 10);
	assert.equal(await page.text("title"), HOSTILE[0]);
	assert.ok((await page.text("where")).includes(HOSTILE[1]));
	await enter(page);
	await state(page, "waiting");
	const talker = await say_words(browser, event, HOSTILE);
	await says(page, "es", HOSTILE.length, 20);
	await stays_text(page, [...HOSTILE.slice(0, 3), "window.pwned=1</script>", "javascript:window.pwned=1"], "the attendee's page");
	assert.equal(await page.ask("document.title"), HOSTILE[0]);
	const screen = await (await browser.page()).open(`${base}/screen/?e=${event.event.event_id}#l=es&logo=javascript:alert(1)`);
	await screen.until("document.querySelectorAll('.board').length === 1 && document.title !== ''", 10);
	for (let i = 0; i < 10 && (await lines(screen, "es")).length === 0; i++, await nap(1500)) // until the page is connected
		await talker.ask(`socket.send(JSON.stringify({ message_type: "tts_task", data: { text: ${JSON.stringify(HOSTILE[0])}, language: "en", translate_text: true } }))`);
	assert.match((await lines(screen, "es"))[0], /<img src=x/);
	assert.equal(await screen.ask("[...document.querySelectorAll('img')].filter(one => one.checkVisibility()).length"), 0);
	await stays_text(screen, [HOSTILE[0]], "a screen");
	for (const one of [page, screen])
		assert.deepEqual(one.complaints, []);
}

// Opens a speaker's page, and waits until the public view of the event calls the hall live.
async function speak_in(browser, { event, speaker }) {
	const talker = await open(browser, speaker);
	for (let i = 0; (await call("GET", `/saas/v2/event/public/${event.event_id}`)).stages[0].status !== "live"; i++, await nap(500))
		assert.ok(i < 40, "the hall is live");
	return talker;
}

// Texts are read at the door of a live hall, and passed on for the same language alone.
async function texts_read_at_the_door_are_shown_at_once_and_not_counted(browser) {
	const event = await hall({ target_languages: ["es", "de"] }), talker = await speak_in(browser, event);
	const count = async () => (await call("GET", `/saas/v2/event/${event.event.event_id}/stats`)).participants_count;
	await says(talker, "es", 1, 20);
	const [page, other] = [await phone(browser, event.link("language=es")), await phone(browser, event.link("language=es"))];
	for (const one of [page, other]) {
		await one.until("!choice.hidden && !listen.disabled", 15, "the door");
		for (let i = 0; !one.requests.some(url => /^ws.*language=es.*audio=0/.test(url)); i++, await nap(100))
			assert.ok(i < 100, "texts are read");
	}
	assert.equal(await count(), 0);
	await nap(1500); // until the last texts have come
	assert.ok(await page.ask("listen.click(), document.querySelectorAll('#log [lang=es]').length > 0"));
	await pick(other, "de");
	await other.click("listen");
	await says(other, "de", 1, 15);
	assert.deepEqual(await lines(other, "es"), []);
	for (let i = 0; await count() !== 2; i++, await nap(100))
		assert.ok(i < 100, "two are counted");
	await end(talker);
	for (const one of [page, other])
		is_clean(one);
}

// Slow 4G with Chromium's values, and a processor slowed down by four.
async function slow(page) {
	await page.send("Network.enable");
	await page.send("Network.emulateNetworkConditions", { offline: false, latency: 562.5,
		downloadThroughput: 1.6e6 / 8 * 0.9, uploadThroughput: 0.75e6 / 8 * 0.9 });
	await page.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

// The promise is 3 s on an idle machine. The time is printed here and not checked.
async function first_captions_come_soon_on_a_slow_phone(browser) {
	const event = await hall(), talker = await speak_in(browser, event);
	const page = await browser.page();
	await be_phone(page);
	await slow(page);
	const begun = Date.now();
	const opened = page.open(event.link("language=es"), `addEventListener("DOMContentLoaded", () => {
		const look = setInterval(() => choice.hidden || listen.disabled || (clearInterval(look), listen.click()), 20);
	});`);
	await says(page, "es", 1, 15);
	const ms = Date.now() - begun;
	await opened;
	console.log(`browser: first captions on a slow phone after ${ms} ms`);
	assert.ok(ms < 15000, `${ms} ms`);
	for (const once of [`event/public/${event.event.event_id}$`, "i18n/listen"])
		assert.equal(page.requests.filter(url => new RegExp(once).test(url)).length, 1, once);
	await end(talker);
}

first_captions_come_soon_on_a_slow_phone.alone = "gateway";

// The texts of every language must be shown and fit.
async function the_door_fits_in_every_language(browser) {
	const event = await hall();
	const page = await phone(browser, event.link());
	for (const file of readdirSync(join(__dirname, "../../web/i18n"))) {
		const code = file.replace(".json", "");
		await page.ask(`location.hash = "ui=${code}"`);
		await page.until(`document.readyState === "complete" && document.documentElement.lang === "${code}" && !choice.hidden`, 15, code);
		assert.equal(await page.text("listen"), JSON.parse(readFileSync(join(__dirname, "../../web/i18n", file))).listen["listen.listen"]);
		await fits(page);
		await page.send("Emulation.setDeviceMetricsOverride", { width: 320, height: 640, deviceScaleFactor: 1, mobile: true });
		await page.ask("document.documentElement.style.fontSize = '200%'");
		await fits(page);
		await page.ask("document.documentElement.style.fontSize = ''");
	}
	is_clean(page);
}

module.exports = { phone, enter, cases: [texts_missed_without_a_network_are_filled_in, a_phone_hears_in_its_language, captions_fill_any_phone,
	an_early_listener_is_let_in_in_time, a_reader_further_up_stays_there, a_late_listener_reads_earlier_texts, arabic_goes_from_right_to_left, reading_only_takes_texts_alone,
	an_older_phone_hears_a_file, both_languages_stand_together_and_are_saved, the_door_gives_the_reason_of_a_refusal,
	a_waiting_listener_reads_the_agenda, a_narrow_phone_shows_code_and_language_whole, a_language_that_was_asked_for_is_told, another_hall_is_entered_from_the_settings,
	the_look_and_the_language_of_the_page_are_kept, the_original_is_heard_under_the_translation, a_language_that_is_missing_is_asked_for, one_of_several_halls_is_chosen, texts_of_strangers_stay_text, the_door_fits_in_every_language, texts_read_at_the_door_are_shown_at_once_and_not_counted, a_line_that_is_corrected_changes_in_place,
	first_captions_come_soon_on_a_slow_phone] };
