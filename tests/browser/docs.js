// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node docs.js INSTANCE...
//
// Opens /docs/swagger in a browser, at instances as tests/instance prints them. Swagger UI must
// show every operation, execute one with an API key, and send requests to the service only.
const assert = require("node:assert/strict");
const { Chromium } = require("./chromium.js");

const within = (page, operation, what) =>
	`document.querySelector("#operations-${operation} ${what}")`;

// Swagger UI makes the id of an operation from its tag and its operationId; webhooks have the tag
// "webhooks".
async function operations(base) {
	const { paths, webhooks } = await (await fetch(`${base}/openapi.json`)).json();
	const of = (all, tag) => Object.values(all).flatMap(item => Object.values(item))
		.map(one => `operations-${tag || one.tags[0]}-${one.operationId}`);
	return [...of(paths), ...of(webhooks, "webhooks")].sort();
}

async function is_shown(page, base) {
	const wanted = await operations(base);
	await page.until(`document.querySelectorAll(".opblock").length >= ${wanted.length}`, 30, "the operations");
	assert.deepEqual(await page.ask("[...document.querySelectorAll('.opblock')].map(e => e.id).sort()"), wanted);
	assert.equal(await page.ask("document.querySelectorAll('.errors-wrapper').length"), 0);
}

// Enter the key in the dialog, as a visitor does.
async function authorize(page, key) {
	await page.ask("document.querySelector('.btn.authorize').click()");
	const field = "document.querySelector('.auth-container input[aria-label=\"auth-bearer-value\"]," +
		" .auth-container input[type=text]')";
	await page.until(`!!${field}`, 10, "the field for the key");
	// React notices a new value only when the prototype's setter sets it.
	await page.ask(`(e => { Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(e, "${key}");
		e.dispatchEvent(new Event("input", { bubbles: true })); })(${field})`);
	await page.ask("document.querySelector('.auth-container button.authorize').click()");
	await page.until("document.querySelector('.auth-container button[aria-label=\"Remove authorization\"], .auth-container .btn-done') !== null", 10);
	await page.ask("document.querySelector('.btn-done').click()");
}

async function try_out(page, operation) {
	await page.ask(`${within(page, operation, ".opblock-summary-control")}.click()`);
	await page.until(`!!${within(page, operation, ".try-out__btn")}`, 10, "Try it out");
	await page.ask(`${within(page, operation, ".try-out__btn")}.click()`);
	await page.until(`!!${within(page, operation, ".execute")}`, 10, "Execute");
	await page.ask(`${within(page, operation, ".execute")}.click()`);
	const status = within(page, operation, ".live-responses-table tbody .response-col_status");
	await page.until(`!!${status}`, 15, "an answer");
	return { status: parseInt(await page.ask(`${status}.textContent`), 10),
		body: await page.ask(`${within(page, operation, ".live-responses-table .highlight-code code, .live-responses-table pre.microlight")}.textContent`) };
}

async function look_at(browser, { base_url, api_key }) {
	const page = await (await browser.page()).open(`${base_url}/docs/swagger`);
	await is_shown(page, base_url);
	const before = await try_out(page, "Balance-getBalance");
	assert.equal(before.status, 401);
	await authorize(page, api_key);
	await page.ask(`${within(page, "Balance-getBalance", ".opblock-summary-control")}.click()`);
	const after = await try_out(page, "Voices-getVoiceLimits");
	assert.equal(after.status, 200);
	assert.equal(JSON.parse(after.body).data.limit, 30);
	for (const url of page.requests)
		assert.ok(url.startsWith(`${base_url}/`) || /^(data|blob):/.test(url), `asked for ${url}`);
	// The browser logs the 401 that this test causes, and advice on the forms of Swagger UI.
	// Both are expected.
	const known = /status of 401|FormEmptyIdAndNameAttributesForInputError/;
	assert.deepEqual(page.complaints.filter(text => !known.test(text)), []);
	const { length } = page.requests;
	await page.close();
	return length;
}

(async () => {
	const browser = new Chromium("/dev/null");
	try {
		for (const text of process.argv.slice(2)) {
			const instance = JSON.parse(text);
			const asked = await look_at(browser, instance);
			console.log(`docs: ${instance.base_url}/docs/swagger: ok, ${asked} requests, all to itself`);
		}
	} catch (error) {
		console.log(`docs: FAILED: ${error.stack}`);
		process.exitCode = 1;
	} finally {
		await browser.close();
		process.exit();
	}
})();
