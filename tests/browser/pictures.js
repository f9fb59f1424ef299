// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The console during a live event and an attendee's phone; see tests/browser/pictures.
const { join } = require("node:path");
const { Chromium } = require("./chromium.js");
const { enter, shows } = require("./console.js");
const { ear } = require("./ear.js");
const { hours } = require("./halls.js");
const { be_phone } = require("./looks.js");
const { open, says } = require("./pages.js");
const { base, call, microphone, page_of } = require("./service.js");

const HALLS = ["Main hall", "River room"];

async function make_event() {
	const event = await call("POST", "/saas/v2/event", { title: "City and Water 2026", event_type: "in-person", location: "Madrid",
		stages: HALLS.map(name => ({ name })), utc_start_dt: hours(-1), utc_end_dt: hours(6) });
	const channels = [];
	for (const stage of event.stages)
		channels.push(await call("POST", "/saas/channel", { type: "event", name: stage.name, event_id: event.event_id,
			stage_id: stage.stage_id, source_language: "en", target_languages: ["es", "de", "fr"] }));
	return { event, channels };
}

async function attend(browser, { event_id, stages }, languages) {
	const phone = await browser.page();
	await be_phone(phone, { languages, height: 640 });
	await phone.open(`${base}/listen/?${new URLSearchParams({ e: event_id, s: stages[0].stage_id })}`, ear);
	await phone.until("!choice.hidden && !document.getElementById('listen').disabled", 15, "the door");
	await phone.click("listen");
	return phone;
}

async function keep(page, name) {
	await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] });
	await page.send("Emulation.setScrollbarsHidden", { hidden: true });
	const { data } = await page.send("Page.captureScreenshot", {});
	require("node:fs").writeFileSync(join(process.env.BROWSER_TO, `${name}.png`), Buffer.from(data, "base64"));
}

(async () => {
	const browser = new Chromium(microphone);
	try {
		const { event, channels } = await make_event();
		const phones = [await attend(browser, event, "es-ES,es"), await attend(browser, event, "de-DE,de"), await attend(browser, event, "es-MX,es")];
		for (const { input } of channels)
			await open(browser, page_of("speaker", { ws_url: input.url, token: input.token }));
		const page = await enter(browser, `#/event/${event.event_id}`);
		await page.send("Emulation.setDeviceMetricsOverride", { width: 1200, height: 760, deviceScaleFactor: 1, mobile: false });
		await says(phones[0], "es", 6, 90);
		await keep(phones[0], "phone");
		await shows(page, "Listen now: 3", 30);
		await page.until("[...document.querySelectorAll('[data-channel]')].every(one => one.querySelectorAll('.wave rect:not(.off)').length > 8 && one.querySelector('[lang=es]')?.textContent)", 90, "sound in both halls");
		await keep(page, "console");
	} finally {
		await browser.close();
	}
})().catch(error => {
	console.error(error);
	process.exitCode = 1;
}).finally(() => process.exit()); // closes all connections
