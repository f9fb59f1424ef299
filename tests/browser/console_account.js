// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: API keys and usage of the account.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { enter, is_clean, press, shows, type } = require("./console.js");
const { hall } = require("./halls.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call } = require("./service.js");

async function a_key_is_made_shown_once_and_revoked_in_the_console(browser) {
	const page = await enter(browser, "#/keys"), name = `Robot ${Date.now()}`;
	await page.until("document.querySelector('[name=name]')", 15);
	await type(page, "name", name);
	await page.ask("document.querySelector('[name=scope][value=\"events:read\"]').click()");
	await press(page, "Make the key");
	await page.until("document.querySelector('[readonly]')", 15);
	const key = await page.ask("document.querySelector('[readonly]').value");
	const use = () => fetch(`${base}/auth/me`, { headers: { Authorization: `Bearer ${key}` } });
	assert.deepEqual((await (await use()).json()).data.scopes, ["events:read"]);
	await shows(page, name);
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	const log = `[...document.querySelectorAll("#keys > tr")].find(e => e.innerText.includes(${JSON.stringify(name)}))`;
	await fetch(`${base}/saas/v2/event`, { method: "POST", headers: { Authorization: `Bearer ${key}` } });
	await page.ask("location.hash = '#/developer'");
	await page.until(`(${log})?.querySelector(".n").textContent === "2"`, 15, "two requests today");
	await page.ask("location.hash = '#/keys'");
	await page.until(`(${log})?.checkVisibility()`, 15);
	await press(page, "Log", log);
	await shows(page, "POST /saas/v2/event");
	await shows(page, "GET /auth/me");
	const card = `[...document.querySelectorAll("#keys > tr")].find(e => e.innerText.includes(${JSON.stringify(name)}))`;
	await press(page, "Revoke", `(${card})`);
	assert.equal((await use()).status, 200);
	await press(page, "Yes, revoke it for good");
	await shows(page, "Revoked.");
	await page.until(`!(${card})`, 15, "the key to be gone");
	assert.equal((await use()).status, 401);
	is_clean(page);
}

const keys = "[...document.querySelectorAll('tbody th')].map(e => e.textContent)";

// Chooses one of a row of choices.
const choose = (page, value) => page.ask(`document.querySelector('.seg [value="${value}"]').click()`);

async function usage_is_shown_in_the_console(browser) {
	const { items } = await call("GET", "/payments/v2/usage?group=kind");
	const page = await enter(browser, "#/usage");
	await page.until("document.querySelector('#used')?.textContent", 15);
	await choose(page, "kind");
	const names = { broadcast: "Halls", tts: "Texts spoken", s2s: "Sessions", stt: "Transcription" };
	await page.until(`${keys}.sort().join() === ${JSON.stringify(items.map(one => names[one.key]).sort().join())}`, 15, "the kinds");
	assert.deepEqual(await page.ask("[...document.querySelectorAll('.legend li')].map(e => e.textContent)"), [...Object.values(names), "Ahead"]);
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

async function a_chart_is_as_wide_as_its_window(browser) {
	const page = await enter(browser, "#/usage");
	for (const width of [1440, 390, 800]) {
		await page.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
		await page.until("(e => e && e.querySelector('text') && Math.abs(e.getScreenCTM().a - 1) < 0.01 && e.viewBox.baseVal.width > e.parentNode.clientWidth - 40)(document.querySelector('svg.chart'))", 10, `a chart with letters of their size at ${width}`);
		const spans = await page.ask("[...document.querySelectorAll('svg.chart text:not([text-anchor=end])')].map(e => e.getBoundingClientRect()).map(({ left, right }) => [left, right])");
		assert.ok(spans.length > 1 && spans.every(([left], i) => i === 0 || left > spans[i - 1][1]), `names of days at ${width}: ${JSON.stringify(spans)}`);
	}
	await fits(page);
	is_clean(page);
}

// Speak for some seconds in a hall, so that the account has usage.
async function use_some(browser) {
	const title = `=1+1 <b>${Date.now()}</b>`, { event, speaker: link } = await hall({ title });
	const speaker = await (await browser.page()).open(link);
	await speaker.until("document.body.dataset.state === 'none'", 15);
	await speaker.click("start");
	const used = async () => (await call("GET", "/payments/v2/usage?group=event&page_size=100")).items.find(({ key }) => key === event.event_id);
	for (let i = 0; i < 600 && !await used(); i++)
		await nap(200);
	await speaker.close();
	return { title, ...await used() };
}

async function usage_is_drawn_and_taken_away_in_the_console(browser) {
	const { title, key } = await use_some(browser);
	const page = await enter(browser, "#/usage");
	const columns = "[...document.querySelectorAll('svg.chart g')]";
	await page.until(`${columns}.length === 37`, 15, "a column for each day, and a week ahead");
	const tiles = "[...document.querySelectorAll('.tiles .large')].map(e => e.textContent)";
	await page.until(`${tiles}.length === 3 && ${tiles}.every(text => /^[\\d,]+ /.test(text))`, 15, "credits, time and balance");
	const heights = `[...${columns}.at(-8).querySelectorAll("rect:not(.all)")].map(e => Number(e.getAttribute("height")))`;
	await page.until(`(([halls, , , , ahead]) => halls > 0 && ahead > 0)(${heights})`, 15, "what halls used today, and what is ahead");
	await shows(page, "If every hall speaks all the time.");
	await is_accessible(page);
	await page.until(`${keys}.includes(${JSON.stringify(title)})`, 15, "the event by its name");
	await choose(page, "7");
	await page.until(`${columns}.length === 14`, 15, "a week and a week ahead");
	assert.equal(await page.ask("(Date.parse(document.querySelector('[name=to]').value) - Date.parse(document.querySelector('[name=from]').value)) / 86400000"), 6);
	await type(page, "to", await page.ask("document.querySelector('[name=from]').value"));
	await page.until(`${columns}.length === 1`, 15, "one day");
	await choose(page, "30");
	await page.until(`${columns}.length === 37 && ${keys}.includes(${JSON.stringify(title)})`, 15, "30 days");
	assert.equal(await page.ask("document.querySelectorAll('svg.chart').length"), 1);
	await page.ask("(real => { URL.createObjectURL = blob => (window.taken = blob, real(blob)); })(URL.createObjectURL.bind(URL))");
	await press(page, "Save as CSV");
	await page.until("!!window.taken", 15, "a file");
	const lines = (await page.ask("taken.text()")).split("\r\n");
	assert.equal(lines[0], "event,name,seconds,characters,credits");
	assert.ok(lines.some(line => line.startsWith(`"${key}","'${title}",`)), lines.join("\n"));
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

async function a_webhook_is_made_tried_and_deleted_in_the_console(browser) {
	const page = await enter(browser, "#/webhooks"), url = `https://example.org/${Date.now()}`;
	await page.until("document.querySelector('[name=url]')", 15);
	await type(page, "url", url);
	await page.ask("document.querySelector('[value=\"event.live\"]').click()");
	await press(page, "Make a webhook");
	await page.until("document.querySelector('[readonly]')", 15);
	assert.match(await page.ask("document.querySelector('[readonly]').value"), /^whsec_/);
	const card = `[...document.querySelectorAll("#hooks > li")].find(e => e.innerText.includes(${JSON.stringify(url.slice(8))}))`;
	await page.until(card, 15);
	await press(page, "Send a test", `(${card})`);
	await page.until(`/webhook\\.test/.test((${card}).innerText)`, 15, "the test");
	await page.ask(`(${card}).querySelector("details:not(.menu) summary").click()`);
	await page.until(`(${card}).querySelector("pre").innerText.includes('"type": "webhook.test"')`, 15, "the body of the message");
	await is_accessible(page);
	await press(page, "Switch off", `(${card})`);
	await page.until(`(${card}) && (${card}).innerText.includes("Switched off")`, 15, "switched off");
	const mine = async () => (await call("GET", "/saas/webhooks")).items.find(one => one.url === url);
	assert.equal((await mine()).is_enabled, false);
	assert.deepEqual((await mine()).events, ["event.live"]);
	await press(page, "Choose events", `(${card})`);
	await page.ask(`(${card}).querySelector('[value="channel.failed"]').click()`);
	await press(page, "Save", `(${card})`);
	await shows(page, "Saved.");
	assert.deepEqual((await mine()).events.sort(), ["channel.failed", "event.live"]);
	await press(page, "New secret", `(${card})`);
	await press(page, "Replace the secret");
	await page.until(`(${card}).querySelector('[readonly]')?.value.startsWith("whsec_")`, 15, "the new secret");
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	await press(page, "Delete", `(${card})`);
	assert.ok(await mine());
	await press(page, "Yes, delete it for good");
	await shows(page, "Deleted.");
	assert.equal(await mine(), undefined);
	is_clean(page);
}

module.exports = { cases: [a_webhook_is_made_tried_and_deleted_in_the_console, a_key_is_made_shown_once_and_revoked_in_the_console, usage_is_shown_in_the_console, a_chart_is_as_wide_as_its_window,
	usage_is_drawn_and_taken_away_in_the_console] };
