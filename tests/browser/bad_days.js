// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console when a key is revoked, the service restarts, the clock is wrong, or an
// account has many records.
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { enter, is_clean, make_event, press, shows, soon, type } = require("./console.js");
const { hall, say_words } = require("./halls.js");
const { phone } = require("./listen.js");
const { says } = require("./pages.js");
const { base, call, dir, key, new_account, own_instance } = require("./service.js");

/* ---- what is typed outlives it ---- */

async function half_type_a_session(page, event_id, title) {
	await page.ask(`location.hash = "#/event/${event_id}/agenda"`);
	await press(page, "Add a session");
	await type(page, "title", title);
	await type(page, "description", "Typed before.");
}

const titles = async (event_id, of = { call }) => (await of.call("GET", `/saas/v2/event/${event_id}`)).sessions.map(one => one.title);

async function sign_in(page, with_key, within = "document") {
	await page.until(`${within}.querySelector("[name=key]")?.checkVisibility()`, 15, "the form to sign in");
	await type(page, "key", with_key, within);
	await press(page, "Sign in", within);
}

const make_key = () => call("POST", "/saas/key", { name: `Desk ${Date.now()}`, scopes: ["events:read", "events:write", "channels:read", "channels:write", "balance:read"] });

async function a_revoked_key_loses_no_typed_text(browser) {
	const { event_id } = await make_event({ transcript: "organizer" }), { api_key, key_id } = await make_key();
	const page = await (await browser.page()).open(`${base}/console/`);
	await sign_in(page, api_key);
	await shows(page, "hours of one hall");
	await half_type_a_session(page, event_id, "Half typed");
	await call("DELETE", `/saas/key/${key_id}`);
	await page.until("again.open", 60, "to be asked"); // the console asks without a click, when it polls again
	await shows(page, "Your sign-in has expired. Your input stays here.");
	await sign_in(page, api_key, "again");
	await shows(page, "is wrong or has expired");
	await sign_in(page, key, "again");
	await page.until("!again.open", 15);
	assert.equal(await page.ask("document.querySelector('[name=description]').value"), "Typed before.");
	await press(page, "Save");
	await shows(page, "Saved.");
	assert.deepEqual(await titles(event_id), ["Half typed"]);
	// Files are requested by another function, so the dialog must work there, too.
	await press(page, "Numbers");
	await shows(page, "No listeners so far.");
	await page.ask("sessionStorage.setItem('token', 'void')");
	await press(page, "Save as CSV");
	await page.until("again.open", 15, "to be asked for a file");
	await sign_in(page, key, "again");
	await page.until("!again.open", 15);
	is_clean(page);
}

async function a_restart_of_the_service_loses_no_typed_text(browser) {
	const own = own_instance("restarted"), service = await own.up();
	try {
		const { event_id } = await make_event({}, service), page = await enter(browser, "#/keys", "", service);
		await page.until("document.querySelector('[name=name]')", 15);
		await type(page, "name", "Typed before");
		await page.ask("document.querySelector('[name=scope][value=\"events:read\"]').click()");
		const other = await enter(browser, "", "", service);
		await half_type_a_session(other, event_id, "Half typed");
		await own.down();
		await press(page, "Make the key");
		await shows(page, "The service cannot be reached.");
		await press(other, "Save");
		for (const one of [page, other])
			await one.until("!offline.hidden", 30, "that there is no connection");
		await own.up();
		for (const one of [page, other])
			await one.until("offline.hidden", 60, "the connection to be back");
		await press(page, "Make the key");
		await page.until("document.querySelector('[readonly]')", 15, "the key");
		await press(other, "Save");
		await shows(other, "Saved.");
		assert.deepEqual(await titles(event_id, service), ["Half typed"]);
		const keys = (await service.call("GET", "/saas/keys")).items;
		assert.deepEqual(keys.find(one => one.name === "Typed before").scopes, ["events:read"]);
	} finally {
		await own.down();
	}
}

// A list that is redrawn keeps the text that is being typed in it.
async function a_reason_stays_while_others_ask_for_the_same(browser) {
	const { event_id } = await make_event(), path = `/saas/v2/event/public/${event_id}/requests`;
	await call("POST", "/saas/channel", { type: "event", event_id, name: "Hall", source_language: "en", target_languages: ["es"] });
	const ask_for = () => call("POST", path, { type: "add_language", payload: { language: "fr" } });
	await ask_for();
	const page = await enter(browser, `#/event/${event_id}/requests`);
	await shows(page, "Asked for by: 1");
	await type(page, "reason", "Half typed");
	await ask_for();
	await shows(page, "Asked for by: 2", 30);
	assert.equal(await page.ask("document.querySelector('[name=reason]').value"), "Half typed");
	await page.until("document.activeElement.name === 'reason'", 5, "the focus");
	is_clean(page);
}

/* ---- a clock that is wrong ---- */

const TWO_DAYS = 2 * 24 * 3600000;
const clock_off = ms => `window.Date = class extends Date { constructor(...of) { of.length ? super(...of) : super(Date.now()); }
	static now() { return super.now() + ${ms}; } };`;

async function a_clock_that_is_wrong_is_told_and_changes_no_time(browser) {
	const { event, speaker, input, link } = await hall({ sessions: [{ stage_index: 0, title: "On now", utc_start_dt: soon(-1), utc_end_dt: soon(1) }] });
	await make_event({ title: `Next ${Date.now()}`, utc_start_dt: soon(0.1) });
	const right = await enter(browser);
	const coming = "document.querySelector('#events tr')?.innerText", next = await right.until(`${coming}?.includes(':') && ${coming}`, 15, "the next event");
	assert.ok(await right.ask("clock.hidden"));
	for (const off of [TWO_DAYS, -TWO_DAYS]) {
		const page = await enter(browser, "", clock_off(off));
		await shows(page, "The clock of this device is wrong.");
		await page.until(`${coming} === ${JSON.stringify(next)}`, 15, "the same event to be next");
		await page.ask(`location.hash = "#/event/${event.event_id}/agenda"`);
		await page.until("document.querySelector('[data-session] .pill')?.innerText.trim() === 'Now'", 15, "what is on now");
		await page.ask(`location.hash = "#/event/${event.event_id}/numbers"`);
		await shows(page, "1 hours of halls, by the agenda");
		await page.ask("location.hash = '#/usage'");
		await page.until("document.querySelector('[name=to]')", 15);
		assert.equal(await page.ask("document.querySelector('[name=to]').value"), new Date().toISOString().slice(0, 10));
		is_clean(page);

		const listener = await phone(browser, link("language=es"), {}, clock_off(off));
		await listener.until("!choice.hidden && !listen.disabled", 15, "the door");
		await listener.click("listen");
		await listener.until("/^(waiting|break)$/.test(document.body.dataset.state)", 20, "the hall");
		await say_words(browser, { input }, ["Welcome."]);
		await says(listener, "es", 1, 20);
		assert.ok(speaker);
		is_clean(listener);
	}
}

/* ---- a lot ---- */

const LINES = 10000, STAGES = 50, REQUESTS = 500;
const WISHES = ("ar bg bn ca cs da de el et fa fi fr gu he hi hr hu id it ja ko lt lv mr ms nl no pa pl pt ro ru sk sl sq sr " +
	"sv sw ta te th tl tr uk ur vi zh").split(" ");

const sql = text => execFileSync("sqlite3", [`${dir}/var/dragoman.db`, `.timeout 20000`, text]).toString();

const put_lines = channel_id => sql(`INSERT INTO transcript_lines (id, account, channel, event, stage, segment, part, language, original, text, start_us, end_us, public)
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${LINES})
	SELECT (SELECT coalesce(max(id), 0) FROM transcript_lines) + i, account, id, event, stage, 'seg' || i, 0, 'en', 1,
	'Line ' || i || ' of what was said to everybody who was there.', ${Date.now() - LINES * 300} * 1000 + i * 300000, ${Date.now() - LINES * 300} * 1000 + i * 300000 + 200000, 0
	FROM n, channels WHERE channels.id = '${channel_id}'`);

const put_requests = event_id => sql(`INSERT INTO requests (id, event, type, channel, language, status, asked, first_us)
	WITH language(code) AS (VALUES ${WISHES.map(code => `('${code}')`).join()})
	SELECT lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6)))),
	'${event_id}', 'add_language', id, code, 'pending', 1, ${Date.now()} * 1000 FROM channels, language WHERE event = '${event_id}' LIMIT ${REQUESTS}`);

async function large_account() {
	const account = new_account("Large"), stages = Array.from({ length: STAGES }, (_, i) => ({ name: `Hall ${i + 1}` }));
	const event = await make_event({ title: "Large", transcript: "organizer", stages }, account);
	for (const { stage_id, name } of event.stages)
		await account.call("POST", "/saas/channel", { type: "event", event_id: event.event_id, stage_id, name, source_language: "en", target_languages: ["es", "de", "fr"] });
	const [{ channel_id }] = await account.call("GET", `/saas/channels?event_id=${event.event_id}`);
	put_lines(channel_id);
	put_requests(event.event_id);
	return { account, event };
}

const text_of = async (account, path) => (await fetch(account.base + path, { headers: { Authorization: `Bearer ${account.key}` } })).text();

async function a_large_account_is_usable(browser) {
	const { account, event } = await large_account(), page = await enter(browser, "#/developer", "", account);
	const see = async (what, hash, expression, most) => {
		const begun = Date.now(), bytes = page.bytes;
		await page.ask(`location.hash = "${hash}"`);
		await page.until(expression, 60, what);
		const seconds = (Date.now() - begun) / 1000, kB = Math.round((page.bytes - bytes) / 1000);
		console.log(`browser: ${what}: ${seconds.toFixed(1)} s, ${kB} kB`);
		assert.ok(kB <= most, `${what}: ${kB} kB`);
	};
	const at = `#/event/${event.event_id}`;
	await see("what waits of 500 requests", "#/home", "document.querySelector('.two .rows')?.innerText.includes('Languages asked for')", 500);
	await see("the first of 500 requests", `${at}/requests`, "document.querySelectorAll('#view .stack > li.card').length === 50", 500);
	await press(page, "More");
	await page.until("document.querySelectorAll('#view .stack > li.card').length === 100", 15, "more requests");
	await see("50 halls", `${at}/halls`, `document.querySelectorAll("[data-channel]").length === ${STAGES}`, 500);
	await see("voices of 50 halls", `${at}/speech`, `document.querySelectorAll("[data-channel]").length === ${STAGES}`, 500);
	await see("the first of 10,000 lines", `${at}/transcript`, "document.querySelectorAll('#lines > li').length > 0", 500);
	await see("200 of 10,000 lines", `${at}/transcript`, "document.querySelectorAll('#lines > li').length === 200", 500);
	await shows(page, "The first lines: 200");
	await press(page, "More");
	await page.until("document.querySelectorAll('#lines > li').length === 400", 30, "more lines");
	await shows(page, "The first lines: 400");
	for (const [format, mark] of [["txt", /^Line \d+ /gm], ["srt", / --> /g], ["vtt", / --> /g], ["csv", /Line \d+ /g], ["json-times", /"text":"Line/g]])
		assert.equal((await text_of(account, `/saas/v2/event/${event.event_id}/transcript?format=${format}`)).match(mark).length, LINES, format);
	const begun = Date.now();
	await type(page, "words", "Line 9999 ");
	await press(page, "Find");
	await page.until("document.querySelector('#lines')?.innerText.includes('Line 9999 ')", 60, "a line near the end");
	console.log(`browser: a line near the end of 10,000: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
	sql(`UPDATE events SET channels_active = 1 WHERE id = '${event.event_id}'`);
	await page.ask(`location.hash = "${at}/numbers"`);
	await see("the last lines of a live event", `${at}/transcript`, "/Lines since .*: [1-9]/.test(document.querySelector('#view').innerText)", 500);
	await press(page, "From the beginning");
	await shows(page, "The first lines: 200");
	is_clean(page);
}

module.exports = { cases: [a_large_account_is_usable, a_restart_of_the_service_loses_no_typed_text, a_revoked_key_loses_no_typed_text,
	a_reason_stays_while_others_ask_for_the_same, a_clock_that_is_wrong_is_told_and_changes_no_time] };
