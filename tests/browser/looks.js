// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Accessibility: axe in light and dark colours, narrow windows, large fonts, other languages.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const axe = () => readFileSync(process.env.BROWSER_AXE, "utf8");

let kept = 0;

// Keeps pictures of the screen on a desk and on a phone, if pictures are wanted.
async function keep(page, colours) {
	if (!process.env.BROWSER_PICTURES)
		return;
	const { size } = page, place = (await page.ask("location.pathname + location.hash")).replace(/[^a-z]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
	kept++;
	for (const width of [1440, 390]) {
		await page.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 1000 });
		await page.picture(join(process.env.BROWSER_PICTURES, `screen-${place || "home"}-${kept}-${colours}-${width}.png`));
	}
	await page.send(...size ? ["Emulation.setDeviceMetricsOverride", size] : ["Emulation.clearDeviceMetricsOverride"]);
	page.size = size;
}

// Expects no finding of axe, in light and dark colours.  Only Chromium runs axe and phone sizes.
async function is_accessible(page) {
	if (!page.send)
		return;
	if (!await page.ask("!!window.axe"))
		await page.ask(`${axe()};true`);
	for (const value of ["light", "dark"]) {
		await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value },
			{ name: "prefers-reduced-motion", value: "reduce" }] });
		const found = await page.ask(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
			violations.map(one => one.id + ": " + one.help + ": " + one.nodes.map(node => node.html).join(" ")))`);
		assert.deepEqual(found, [], value);
		await keep(page, value);
	}
}

// Makes the page a phone with these languages, the preferred one first.
async function be_phone(page, { languages = "en-US,en", width = 390, height = 844 } = {}) {
	if (!page.send)
		return;
	const codes = languages.split(",").map(one => one.split(";")[0]);
	await page.send("Page.enable");
	await page.send("Page.addScriptToEvaluateOnNewDocument", { source:
		`Object.defineProperty(Navigator.prototype, "languages", { get: () => ${JSON.stringify(codes)} })` });
	await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 2, mobile: true });
}

// Expects no horizontal scrolling, and buttons that are large enough for a finger.
async function fits(page) {
	const { over, small } = await page.ask(`({
		over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
		small: [...document.querySelectorAll("button, a.button, select, input:not([type=range]):not([type=checkbox]):not([type=radio])")].filter(one => one.checkVisibility())
			.map(one => [one.id || one.textContent, one.getBoundingClientRect(), one.matches("button, .button") ? -2 * parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--reach")) || 0 : 0])
			.filter(([, box, reach]) => box.width > 0 && (box.height + reach < 43.5 || box.width + reach < 43.5)).map(([name, box]) => name + " " + box.width + "x" + box.height),
	})`);
	assert.ok(over <= 0, `${over} pixels too wide`);
	assert.deepEqual(small, []);
}

module.exports = { is_accessible, be_phone, fits };
