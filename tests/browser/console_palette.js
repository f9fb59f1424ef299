// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: its palette, and the language of its texts.
const assert = require("node:assert/strict");
const { enter, is_clean, make_event, shows } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");

const press_key = (page, key, more = {}) => page.ask(`(document.activeElement || document.body).dispatchEvent(new KeyboardEvent("keydown", ${JSON.stringify({ key, bubbles: true, cancelable: true, ...more })}))`);

async function everything_is_found_by_the_palette(browser) {
	const title = `Säle ${Date.now()}`, { event_id } = await make_event({ title, stages: [{ name: "Red" }, { name: `Violet ${title}` }] });
	const page = await enter(browser);
	await shows(page, "Live now");
	await press_key(page, "k", { ctrlKey: true });
	await page.until("document.querySelector('.palette')?.open", 15, "the palette");
	assert.equal(await page.ask("document.querySelector('.palette li').innerText"), "New event");
	await is_accessible(page);
	assert.deepEqual(await page.ask("(({ boxShadow, borderStyle, outlineStyle }) => [boxShadow, borderStyle, outlineStyle])(getComputedStyle(document.activeElement))"), ["none", "none", "none"], "one frame: the dialog's");
	const find = words => page.ask(`(e => { e.value = ${JSON.stringify(words)}; e.dispatchEvent(new Event("input")); })(document.querySelector(".palette input"))`);
	await find(`violet ${title.replace("ä", "a")}`);
	await page.until(`document.querySelector('.palette li').innerText.startsWith(${JSON.stringify(`Violet ${title}`)})`, 15, "the hall");
	await press_key(page, "Enter");
	await page.until(`location.hash === "#/event/${event_id}"`, 15, "its event");
	await page.until("!document.querySelector('.palette')", 15, "no palette");
	await press_key(page, "k", { metaKey: true });
	await page.until("document.querySelector('.palette')?.open", 15, "the palette");
	await find("usag");
	await press_key(page, "ArrowDown");
	await press_key(page, "Enter");
	await page.until("location.hash === '#/usage'", 15, "a screen");
	await be_phone(page, { width: 320, height: 640 });
	await page.click("find-top");
	await page.until("document.querySelector('.palette')?.open", 15, "the palette");
	await find("no such thing");
	await shows(page, "Nothing has this name.");
	await fits(page);
	is_clean(page);
}

async function the_console_speaks_another_language_on_wish(browser) {
	const page = await enter(browser);
	await shows(page, "Live now");
	await page.ask("(e => { e.value = 'de'; e.dispatchEvent(new Event('change')); })(document.querySelector('#ui select'))");
	await shows(page, "Veranstaltungen");
	assert.equal(await page.ask("document.documentElement.lang"), "de");
	is_clean(page);
}

module.exports = { cases: [everything_is_found_by_the_palette, the_console_speaks_another_language_on_wish] };
