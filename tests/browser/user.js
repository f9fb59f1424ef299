// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// A new user of a page: presses with the mouse and types with the keyboard, only what the screen
// shows, found by its words. Counts the clicks and the fields.
const { nap } = require("./chromium.js");

// Finds, in the page: the elements that can be pressed, or the fields, with this name, that are shown.
const FINDER = `window.find_seen ||= (kinds, name, within) => {
	const plain = text => (text || "").replace(/\\s+/g, " ").trim(), named = e => [e.ariaLabel, e.innerText, e.placeholder, ...[...e.labels || []].map(one => one.firstChild.textContent), e.closest("[data-field]")?.firstChild.textContent].map(plain);
	const open = [...document.querySelectorAll("dialog[open]")].at(-1), areas = within ? [...(open || document).querySelectorAll("section, li, tr, .card, fieldset")].filter(e => e.checkVisibility() && plain(e.innerText).includes(within)).sort((a, b) => a.innerText.length - b.innerText.length) : [open || document];
	for (const area of areas)
		for (const e of area.querySelectorAll(kinds))
			if (named(e).includes(name) && e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !e.disabled)
				return e;
	return null;
}`;
const PRESSED = "button, a[href], summary, [role=option], label:has([type=checkbox], [type=radio])";
const FIELDS = "input:not([type=checkbox]):not([type=radio]), select, textarea";

class User {
	constructor(page) {
		Object.assign(this, { page, clicks: 0, fields: 0, begun: Date.now() });
	}

	// Clicks, fields and seconds since the last call.
	spent() {
		const { clicks, fields, begun } = this;
		Object.assign(this, { clicks: 0, fields: 0, begun: Date.now() });
		return { clicks, fields, seconds: (Date.now() - begun) / 1000 };
	}

	// The middle of an element. It is scrolled to unless it is seen; then nothing may cover it.
	async place_of(kinds, name, within) {
		const found = `find_seen(${JSON.stringify(kinds)}, ${JSON.stringify(name)}, ${JSON.stringify(within || "")})`;
		const seen = `(e => { if (!e) return null; const { x, y, width, height } = e.getBoundingClientRect(), at = { x: x + width / 2, y: y + height / 2 }, top = document.elementFromPoint(at.x, at.y);
			return top && (e.contains(top) || top.contains(e) && top.matches("label")) ? at : null; })(${found})`;
		await this.page.until(`(${FINDER}, !!${found})`, 15, `${name} on the screen`);
		if (!await this.page.ask(seen))
			await this.page.ask(`${found}.scrollIntoView({ block: "center" })`);
		await nap(100);
		return this.page.until(seen, 5, `${name}, with nothing before it`);
	}

	async click({ x, y }) {
		this.clicks++;
		for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
			await this.page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
	}

	async press(name, within) {
		await this.click(await this.place_of(PRESSED, name, within));
	}

	// A click into the field is not counted by itself.
	async into(name, within) {
		await this.click(await this.place_of(FIELDS, name, within));
		this.clicks--;
		this.fields++;
	}

	async type(name, text, within) {
		await this.into(name, within);
		await this.page.ask("document.activeElement.select?.()");
		await this.page.send("Input.insertText", { text });
	}

	async key(key) {
		const code = { Enter: 13, ArrowRight: 39, ArrowLeft: 37 }[key] || key.charCodeAt(0);
		await this.page.send("Input.dispatchKeyEvent", { type: "keyDown", key, windowsVirtualKeyCode: code, ...key === "Enter" ? { text: "\r" } : key.length === 1 && { text: key } });
		await this.page.send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
	}

	// Types a local time into the parts of a field for a date with time.
	async type_time(name, at) {
		const two = n => String(n).padStart(2, "0"), hour = at.getHours();
		await this.into(name);
		await this.page.ask("document.activeElement.blur()");
		await this.page.ask(`find_seen(${JSON.stringify(FIELDS)}, ${JSON.stringify(name)}, "").focus()`); // at its first part
		for (const key of [...two(at.getMonth() + 1), ...two(at.getDate()), ...String(at.getFullYear()), "ArrowRight", ...two(hour % 12 || 12), ...two(at.getMinutes()), hour < 12 ? "a" : "p"])
			await this.key(key);
	}
}

module.exports = { User };
