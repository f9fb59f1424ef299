// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call, dragoman, key, new_account } = require("./service.js");

const url = `${base}/console/`;
const soon = hours => new Date(Date.now() + hours * 3600000).toISOString();

const refused = /status of 4\d\d/; // refused requests that a case causes on purpose

function is_clean(page) {
	assert.deepEqual(page.complaints.filter(text => !refused.test(text)), []);
	for (const asked of page.requests)
		assert.ok(asked.startsWith(`${base}/`) || asked.startsWith(`${base.replace("http", "ws")}/`) || /^(data|blob):/.test(asked), `asked for ${asked}`);
}

const shows = (page, text, seconds = 15) =>
	page.until(`document.body && document.body.innerText.includes(${JSON.stringify(text)})`, seconds, text);

// Types into the field with this name, as a user would.
const type = (page, name, value, within = "document") => page.ask(`(e => { e.focus(); e.value = ${JSON.stringify(value)};
	e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); })
	(${within}.querySelector('[name="${name}"]'))`);

// Presses what has this text or label; in a menu that is closed, opens that first.
const press = async (page, text, within = "document") => {
	const at = `[...${within}.querySelectorAll("button, a, summary")].find(e => !e.disabled && [e.textContent, e.ariaLabel].includes(${JSON.stringify(text)}) &&
		(e.checkVisibility() || e.closest(".menu:not([open])")?.checkVisibility()))`;
	await page.until(`!!${at}`, 15, `${text} to press`);
	await page.ask(`(e => { const menu = e.closest(".menu"); if (menu) menu.open = true; e.click(); })(${at})`);
};

// of: the service and the account to sign in to
async function enter(browser, at = "", before = "", of = { base, call }) {
	const { token } = await of.call("POST", "/auth/token", {});
	return (await browser.page()).open(`${of.base}/console/${at}`, `if (!sessionStorage.getItem("token")) sessionStorage.setItem("token", ${JSON.stringify(token)});${before}`);
}

const make_event = (more = {}, of = { call }) => of.call("POST", "/saas/v2/event", { title: "Forum", event_type: "in-person",
	utc_start_dt: soon(-1), utc_end_dt: soon(3), ...more });

async function a_console_is_entered_by_link_once_and_left(browser) {
	const link = dragoman("account", "link", "--account", (await call("GET", "/auth/me")).user_id);
	const page = await (await browser.page()).open(link);
	await press(page, "Enter");
	await shows(page, "hours of one hall");
	const told = Number((await page.ask("[...document.querySelectorAll('.tile')].find(e => e.innerText.includes('Balance')).querySelector('.large').textContent")).replace(/ credits|,/g, ""));
	const { credits } = await call("GET", "/payments/v2/balance");
	assert.ok(told > 0 && Math.abs(told - credits) < 100, `${told} told, ${credits} left`); // other cases use credits meanwhile
	assert.equal(await page.ask("location.href"), url);
	const kept = await page.ask("JSON.stringify({ ...sessionStorage, ...localStorage })");
	assert.ok(!kept.includes("dgm_") && !kept.includes(link.split("=")[1]), kept);
	await page.ask("leave.click()");
	await shows(page, "Open the link that you were given");
	assert.equal(await page.ask("sessionStorage.length"), 0);
	const second = await (await browser.page()).open(link);
	await press(second, "Enter");
	await shows(second, "This link was used before");
	for (const one of [page, second])
		is_clean(one);
}

async function the_console_accepts_a_key_and_refuses_a_wrong_one_readably(browser) {
	const page = await browser.page();
	await be_phone(page, { width: 320, height: 640 });
	await page.open(url);
	await page.until("document.querySelector('[name=key]')", 15);
	assert.deepEqual(await page.ask("[...document.querySelectorAll('[name=key], #show [lang]')].map(one => one.lang + one.dir)"), ["ltr", "enltr", "esltr", "deltr", "arrtl"]);
	await is_accessible(page);
	await fits(page);
	await type(page, "key", "dgm_wrong");
	await press(page, "Sign in");
	await shows(page, "is wrong or has expired");
	assert.equal(await page.ask("document.querySelector('[name=key]').value"), "dgm_wrong");
	await type(page, "key", key);
	await press(page, "Sign in");
	await shows(page, "hours of one hall");
	assert.ok(!(await page.ask("JSON.stringify({ ...sessionStorage, ...localStorage })")).includes(key));
	is_clean(page);
}

async function the_console_shows_the_next_event_and_waiting_requests(browser) {
	const title = `Summit ${Date.now()}`, of = new_account(title); // the events of other cases may come sooner
	const event = await make_event({ title, utc_start_dt: soon(1) }, of);
	await of.call("POST", "/saas/channel", { type: "event", event_id: event.event_id, name: "Hall", source_language: "en", target_languages: ["es"] });
	await call("POST", `/saas/v2/event/public/${event.event_id}/requests`, { type: "add_language", payload: { language: "fr" } });
	const page = await enter(browser, "", "", of);
	await shows(page, "Languages asked for: 1");
	await shows(page, title);
	await page.ask("acts.firstElementChild.focus()");
	await make_event({ title: `${title} later`, utc_start_dt: soon(2) }, of);
	await shows(page, `${title} later`);
	assert.equal(await page.ask("document.activeElement.textContent"), "New event", "the focus stays");
	assert.ok(await page.ask(`[...document.querySelectorAll("#events a")].some(a => a.hash === "#/event/${event.event_id}")`));
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	assert.ok(await page.ask(`[...document.querySelectorAll("#events td[data-label]:not(:empty)")].every(one => { // below its label, not at it
		const range = new Range();
		range.selectNodeContents(one);
		return Math.abs(range.getBoundingClientRect().left - one.getBoundingClientRect().left) < 1;
	})`));
	await press(page, "Events", "dock");
	await page.until("document.querySelector('[name=q]')", 15, "the events");
	await type(page, "q", "no such words at all");
	await press(page, "Find");
	await shows(page, "There are no events.");
	is_clean(page);
}

async function what_is_gone_leads_to_the_list_that_it_was_in(browser) {
	const none = "00000000-0000-4000-8000-000000000000", page = await enter(browser);
	await shows(page, "Live now");
	for (const [gone, title] of [[`event/${none}`, "Events"], [`glossaries/${none}`, "Glossaries"]]) {
		await page.ask(`location.hash = "#/${gone}"`);
		await page.until("document.querySelector('#view [role=alert]')?.innerText.includes('It is not there any more.')", 15, gone);
		assert.equal(await page.ask("notice.hidden"), true, "it is said once");
		await is_accessible(page);
		await press(page, title, "document.querySelector('#view [role=alert]')");
		await page.until(`location.hash === "#/${title.toLowerCase()}" && !document.querySelector("#view [role=alert]")`, 15, title);
	}
	is_clean(page);
}

async function the_console_asks_again_when_a_token_is_no_longer_good(browser) {
	const page = await enter(browser, "#/events");
	await page.until("document.querySelector('[name=q]')", 15, "the events");
	await type(page, "q", "typed before");
	await page.ask("sessionStorage.setItem('token', 'void')");
	await press(page, "Find");
	await page.until("again.open", 15);
	await is_accessible(page);
	await type(page, "key", key, "again");
	await press(page, "Sign in", "again");
	await page.until("!again.open", 15);
	await shows(page, "There are no events.");
	assert.equal(await page.ask("document.querySelector('[name=q]').value"), "typed before");
	is_clean(page);
}

async function the_console_tells_of_a_lost_connection_and_goes_on(browser) {
	const page = await enter(browser, "#/events");
	await page.until("document.querySelector('[name=q]')", 15, "the events");
	await type(page, "q", "typed before");
	await page.send("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
	await press(page, "Find");
	await page.until("!offline.hidden", 15);
	await page.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
	await page.until("offline.hidden", 30);
	assert.equal(await page.ask("document.querySelector('[name=q]').value"), "typed before");
}

// Holds back the requests with window.hold in their address, until release() is called.
const HELD = `(real => {
	const open = [];
	window.held = () => open.length;
	window.release = () => (window.hold = "", Promise.allSettled(open.splice(0).map(one => one())));
	window.fetch = (url, how) => !window.hold || !String(url).includes(window.hold) ? real(url, how) :
		new Promise((done, fail) => open.push(() => real(url, how).then(done, fail)));
})(fetch);`;

async function a_late_screen_leaves_the_next_one_alone(browser) {
	const of = new_account(`Late ${Date.now()}`), { event_id } = await make_event({ title: "Late forum" }, of);
	const { glossary_id } = await of.call("POST", "/saas/glossary", { name: "Late words", glossary_type: "translation", source_lang: "en", target_lang: "es" });
	const { channel_id } = await of.call("POST", "/saas/channel", { type: "event", event_id, name: "Hall", source_language: "en", target_languages: ["es"] });
	const page = await enter(browser, "#/usage", HELD, of);
	await shows(page, "What it went to");
	for (const [late, asked] of [[`event/${event_id}`, "v2/event/"], [`event/${event_id}/look/${channel_id}`, "channel/"], ["event/no-such-event", "v2/event/"], ["new", "languages"],
		[`glossaries/${glossary_id}`, "glossary/"], ["languages", "engines"]]) {
		await page.ask(`hold = ${JSON.stringify(asked)}, location.hash = "#/${late}"`);
		await page.until("held()", 15, `a request of ${late}`);
		await page.ask("location.hash = '#/voices'");
		await page.until("heading.textContent === 'Voices' && document.querySelector('#voices')", 15, "the voices");
		await page.ask("release()");
		await nap(500);
		assert.deepEqual(await page.ask("[heading.textContent, document.title, crumb.hidden, notice.hidden]"), ["Voices", "Voices", true, true], late);
	}
	is_clean(page);
}

module.exports = { enter, is_clean, make_event, press, shows, soon, type, cases: [a_console_is_entered_by_link_once_and_left,
	the_console_accepts_a_key_and_refuses_a_wrong_one_readably, the_console_shows_the_next_event_and_waiting_requests,
	the_console_asks_again_when_a_token_is_no_longer_good, the_console_tells_of_a_lost_connection_and_goes_on, a_late_screen_leaves_the_next_one_alone,
	what_is_gone_leads_to_the_list_that_it_was_in] };
