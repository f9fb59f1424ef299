// SPDX-License-Identifier: GPL-3.0-or-later
// The first page: asks for the code of an event, links to the other pages, and tells the health of
// the service. It is the answer to addresses that lead nowhere, too.
import { base, request } from "../shared/api.js";
import { byId, fill, make, say, show } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";
import { offer_ui } from "../shared/ui.js";

/** @param {string} key */
const tell = key => fill(byId("health"), make("a", { href: `${base}health` }, t(key)));

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
offer_ui(byId("ui"));
byId("join").onsubmit = (/** @type {Event} */ event) => {
	event.preventDefault();
	const code = digits(byId("code").value);
	if (code)
		location.href = base + code;
};
// The address that this page answers: its own, that of an unknown code, or another.
const asked = location.pathname.slice(new URL(base).pathname.length), [, code] = /^(\d+)$/.exec(asked) || [];
if (asked) {
	say("unknown", code ? t("home.unknown", { code }) : t("home.lost"));
	show("unknown", true);
	byId("code").value = code || "";
	byId("code").focus();
	byId("code").select();
}
try {
	await request("GET", "health", { open: true });
	tell("home.well");
} catch {
	tell("home.ill");
	byId("health").className = "bad";
}
