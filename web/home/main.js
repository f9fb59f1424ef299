// SPDX-License-Identifier: GPL-3.0-or-later
// The first page: links to the other pages, and the health of the service.
import { request } from "../shared/api.js";
import { byId, fill, make, say, show } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";

/** @param {string} key */
const tell = key => fill(byId("health"), make("a", { href: "health" }, t(key)));

/**
 * The digits of a text, as ASCII.  Keyboards of many scripts write their own digits; in
 * Unicode the ten digits of a script follow one another.
 * @param {string} text
 */
function digits(text) {
	const is = (/** @type {number} */ point) => /\p{Nd}/u.test(String.fromCodePoint(point));
	let all = "";
	for (const sign of text.normalize("NFKC")) {
		const point = /** @type {number} */ (sign.codePointAt(0));
		let zero = point;
		while (is(zero - 1) && zero > point - 9)
			zero--;
		all += is(point) ? point - zero : "";
	}
	return all;
}

await load("home");
byId("join").onsubmit = (/** @type {Event} */ event) => {
	event.preventDefault();
	const code = digits(byId("code").value);
	if (code)
		location.href = code;
};
// This page, at the address of a code, is the answer to an unknown code.
const asked = /\/(\d+)$/.exec(location.pathname);
if (asked) {
	say("unknown", t("home.unknown", { code: asked[1] }));
	show("unknown", true);
	byId("code").focus();
}
try {
	await request("GET", "health", { open: true });
	tell("home.well");
} catch {
	tell("home.ill");
	byId("health").className = "bad";
}
