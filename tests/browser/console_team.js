// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: the people of an account, and browsers that stay signed in.
const assert = require("node:assert/strict");
const { enter, is_clean, press, shows, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, new_account } = require("./service.js");

const kept = page => page.ask("({ tab: sessionStorage.token, token: localStorage.token, refresh: localStorage.refresh })");

async function a_colleague_is_invited_stays_signed_in_and_is_removed(browser) {
	const of = new_account(`Team ${Date.now()}`), page = await enter(browser, "#/team", "", of);
	await shows(page, "Signed-in browsers");
	await type(page, "name", "Amira");
	await press(page, "Invite");
	await page.until("document.querySelector('img.qr')?.naturalWidth > 0", 15, "the QR code");
	const link = await page.ask("document.querySelector('[name=link]').value");
	await shows(page, "Invited");
	assert.equal(await page.ask("document.querySelector('form [name=role]').value"), "organiser"); // the next one is no owner by oversight
	await is_accessible(page);

	const hers = await (await browser.page()).open(`${base}/console/`);
	await shows(hers, "Sign in");
	await hers.ask(`location.href = ${JSON.stringify(link)}`); // pasted into an open tab
	await shows(hers, "You are invited");
	await is_accessible(hers);
	await hers.ask("document.querySelector('[name=remember]').click()");
	await press(hers, "Enter");
	await shows(hers, "Live now");
	const first = await kept(hers);
	assert.ok(!first.tab && first.token && first.refresh, JSON.stringify(first));
	assert.equal(await hers.ask("location.href"), `${base}/console/`);

	const { member_id } = (await of.call("GET", "/saas/members")).items.find(one => one.name === "Amira");
	await page.ask("location.reload()");
	await shows(page, "Active");
	await hers.ask("localStorage.token = 'void'"); // as after 12 hours
	await hers.ask("location.reload()");
	await hers.until("localStorage.token && localStorage.token !== 'void'", 15, "another token");
	await shows(hers, "Live now");
	const next = await kept(hers);
	assert.ok(next.token !== "void" && next.refresh !== first.refresh, JSON.stringify(next));
	await hers.ask("location.hash = '#/team'");
	await shows(hers, "This one");
	await be_phone(hers, { width: 320, height: 640 });
	await fits(hers);

	await page.ask(`(e => { e.value = "viewer"; e.dispatchEvent(new Event("change")); })([...document.querySelectorAll("tbody tr")].find(e => e.innerText.includes("Amira")).querySelector("select"))`);
	await shows(page, "Saved.");
	assert.equal((await of.call("GET", "/saas/members")).items.find(one => one.member_id === member_id).role, "viewer");
	await press(page, "Remove", "[...document.querySelectorAll('tbody tr')].find(e => e.innerText.includes('Amira'))");
	await shows(page, "Amira is removed");
	await press(page, "Undo");
	await shows(page, "Amira");
	await press(page, "Sign out", "[...document.querySelectorAll('.rows li')].find(e => e.innerText.includes('Amira'))");
	await hers.ask("location.hash = '#/events'");
	await hers.until("document.getElementById('again').open", 30, "the end of her sign-in");
	assert.ok(!(await kept(hers)).refresh);
	await page.ask("location.hash = '#/audit'");
	await shows(page, "member · update");
	await is_accessible(page);
	for (const one of [page, hers])
		is_clean(one);
}

module.exports = { cases: [a_colleague_is_invited_stays_signed_in_and_is_removed] };
