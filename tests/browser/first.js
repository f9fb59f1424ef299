// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The start page and the documentation.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { press, shows } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call, key, operate, own_instance } = require("./service.js");

async function the_first_page_says_whether_the_service_is_well(browser) {
	const page = await browser.page();
	await be_phone(page, { languages: "es-ES,es" });
	await page.open(`${base}/`);
	await page.until("health.textContent !== ''", 10);
	assert.equal(await page.text("health"), "El servicio funciona bien.");
	assert.equal(await page.ask("document.documentElement.lang"), "es");
	const led = await page.ask("[...document.querySelectorAll('nav a')].map(a => a.href)");
	assert.deepEqual(led, ["console/", "docs"].map(path => `${base}/${path}`));
	await fits(page);
	await is_accessible(page);
	assert.deepEqual(page.complaints, []);
}

async function a_join_code_leads_to_its_event(browser) {
	const { event_id, join_code } = await call("POST", "/saas/v2/event", { title: "Harbour talks", event_type: "in-person",
		utc_start_dt: new Date(Date.now() + 3600e3).toISOString(), utc_end_dt: new Date(Date.now() + 7200e3).toISOString() });
	const page = await browser.page();
	await be_phone(page);
	await page.open(`${base}/999999999999`); // longer than any join code
	await page.until("unknown.checkVisibility()", 10);
	assert.match(await page.text("unknown"), /999999999999/);
	assert.equal(await page.ask("code.value"), "999999999999", "to correct it");
	await fits(page);
	await is_accessible(page);
	const hindi = String(join_code).replace(/\d/g, digit => String.fromCodePoint(0x966 + Number(digit)));
	await page.ask(`code.value = ${JSON.stringify(`${hindi.slice(0, 3)} ${hindi.slice(3)}`)}, join.requestSubmit()`);
	await page.until("location.pathname === '/listen/'", 10);
	assert.equal(await page.ask("new URLSearchParams(location.search).get('e')"), event_id);
	await page.until("document.body.textContent.includes('Harbour talks')", 10);
}

async function an_address_without_a_page_is_a_page(browser) {
	for (const at of ["none", "listen/none", "docs/guides/none", "saas/none/at/all", "s/abcdefghij"]) {
		const page = await browser.page();
		await be_phone(page, { languages: "de" });
		await page.open(`${base}/${at}`);
		if (at.startsWith("s/"))
			await page.until("document.body.dataset.state === 'none' && /führt nirgendwohin/.test(error.textContent)", 10, at);
		else {
			await page.until("document.documentElement.lang === 'de' && /keine Seite/.test(unknown.textContent) && health.textContent", 10, at);
			assert.deepEqual(await page.ask("[...document.querySelectorAll('nav a, #health a')].map(a => a.href)"), ["console/", "docs", "health"].map(path => `${base}/${path}`));
			assert.equal(await page.ask("logo.naturalWidth > 0"), true);
			await fits(page);
			await is_accessible(page);
		}
		await page.close();
	}
	const answer = await fetch(`${base}/none`, { headers: { Accept: "text/html,*/*;q=0.8" } });
	assert.deepEqual([answer.status, answer.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
	assert.equal((await fetch(`${base}/none`)).headers.get("content-type"), "application/json");
}

an_address_without_a_page_is_a_page.complains = true; // of each answer 404

async function every_route_is_described_and_can_be_tried(browser) {
	const { paths, webhooks } = await (await fetch(`${base}/openapi.json`)).json();
	const { channels } = await (await fetch(`${base}/asyncapi.json`)).json();
	const wanted = [...Object.values({ ...paths, ...webhooks }).flatMap(item => Object.values(item)).map(one => one.operationId),
		...Object.entries(channels).flatMap(([name, { messages }]) => Object.keys(messages).map(id => `${name}-${id}`))];
	const page = await (await browser.page()).open(`${base}/docs`);
	await page.until(`document.querySelectorAll('details').length >= ${wanted.length}`, 10);
	assert.deepEqual((await page.ask("[...document.querySelectorAll('details')].map(e => e.id)")).sort(), wanted.sort());

	const at = "[...document.querySelectorAll('details')].find(e => /GET.saas.voice.limits/.test(e.dataset.words.replace('get ', 'GET')))";
	await page.ask(`token.value = ${JSON.stringify(key)}, token.dispatchEvent(new Event("input")), ${at}.open = true`);
	await page.until(`${at}.querySelector("button.strong")`, 5);
	assert.match(await page.ask(`${at}.querySelector("pre").textContent`), /^curl -sS -X GET \\\n  -H "Authorization: Bearer \$KEY" \\\n  '.*saas\/voice\/limits'$/);
	await page.ask(`${at}.querySelector("button.strong").click()`);
	await page.until(`/^200 /.test(${at}.querySelector(".answer").textContent)`, 10, "an answer");
	assert.match(await page.ask(`${at}.querySelector(".answer").textContent`), /"limit": 30/);

	await page.ask("document.getElementById('listener-outputAudioData').open = true");
	const message = await page.ask("document.getElementById('listener-outputAudioData').textContent");
	assert.match(message, /You receive.*200 ms of speech.*"last_chunk": false.*chunk_generation_delta \*integer \| null/s);
	await page.ask("document.getElementById('speaker-setTask').open = true");
	assert.match(await page.ask("document.getElementById('speaker-setTask').textContent"), /translation_queue_configs\.\*\.max_tempo/);

	await page.ask("search.value = 'glossary upload', search.dispatchEvent(new Event('input'))");
	const left = await page.ask("[...document.querySelectorAll('details')].filter(e => e.checkVisibility()).map(e => e.dataset.words)");
	assert.ok(left.length >= 2 && left.every(words => /glossar/.test(words) && /upload/.test(words)), JSON.stringify(left));
	await page.ask("document.querySelectorAll('details:not([hidden])').forEach(e => e.open = true)");
	await is_accessible(page);
	assert.deepEqual(page.complaints, []);
}

async function a_guide_is_framed_in_the_readers_language(browser) {
	for (const [at, text] of [["docs", "Routen, Nachrichten, Einstellungen und Anleitungen durchsuchen"], ["docs/guides/quickstart", "Die Anleitungen sind auf Englisch."]]) {
		const page = await browser.page();
		await be_phone(page, { languages: "de" });
		await page.open(`${base}/${at}`);
		await page.until("document.getElementById('ui').value === 'de'", 10, "German");
		await shows(page, text);
		await is_accessible(page);
		await fits(page);
		await page.ask("(e => { e.value = 'ar'; setTimeout(() => e.dispatchEvent(new Event('change'))); })(document.getElementById('ui'))");
		await nap(1000); // the page is loaded again
		await page.until("document.documentElement.dir === 'rtl'", 10, "Arabic");
		await fits(page);
		assert.deepEqual(page.complaints, []);
	}
}

async function a_service_without_an_account_says_how_its_owner_is_made(browser) {
	const own = own_instance("empty", "--empty"), { base: at, dir } = await own.up();
	try {
		const page = await (await browser.page()).open(`${at}/console/`);
		await shows(page, "dragoman init");
		assert.equal(await page.ask("location.href"), `${at}/`);
		assert.ok(!await page.ask("document.querySelector('form, input')"), "nothing to fill in");
		await is_accessible(page);
		await be_phone(page, { width: 320, height: 640 });
		await fits(page);
		const { link } = JSON.parse(operate(dir, "init", "--name", "First", "--json"));
		assert.throws(() => operate(dir, "init"), /there is an account already/);
		await page.open(link);
		await press(page, "Enter");
		await shows(page, "Live now");
		await page.ask("location.hash = '#/team'");
		await shows(page, "First · Owner");
		const next = await (await browser.page()).open(`${at}/`);
		await shows(next, "Listen to an event");
	} finally {
		await own.down();
	}
}

module.exports = { cases: [a_service_without_an_account_says_how_its_owner_is_made, a_guide_is_framed_in_the_readers_language, an_address_without_a_page_is_a_page, the_first_page_says_whether_the_service_is_well, a_join_code_leads_to_its_event, every_route_is_described_and_can_be_tried] };
