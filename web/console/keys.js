// SPDX-License-Identifier: GPL-3.0-or-later
// API keys of the account. Each is created, shown once, and can be revoked.
import { now } from "../shared/api.js";
import { fill, make, say } from "../shared/dom.js";
import { number, t, time } from "../shared/i18n.js";
import { card_head, empty, head, pill, table_of } from "./parts.js";
import { all, change, read } from "./service.js";
import { may, me } from "./session.js";
import { button, button_twice, copyable, fail, field, form, keyed, sentence, tell } from "./words.js";

const MOST_LINES = 200, LATE_MS = 3600000; // lines of a key's log; its last use is stored later

/** Scopes that a key can be given, if the user has them. */
const SCOPES = ["events", "channels", "sessions", "voices", "glossaries", "webhooks", "keys"].flatMap(name => [`${name}:read`, `${name}:write`]).concat("balance:read");

/** @param {string[]} scopes */
const scopes_told = scopes => scopes.includes("*") ? t("console.everything") : scopes.join(" ");

/** Shows the last requests with a key. @param {any} key @param {HTMLElement} place */
async function show_requests({ key_id, name }, place) {
	const lines = await read(`saas/key/${key_id}/requests`);
	fill(place, make("section", { class: "card" }, card_head(t("console.requests_of", { name: name || key_id })), make("ul", { class: "rows" }, ...lines.map((/** @type {any} */ one) => make("li", null,
		pill(one.status < 400 ? "live" : "bad", String(one.status)), make("span", { class: "grow" }, make("code", null, `${one.method} ${one.route}`), make("small", null,
			[time(one.utc_at), one.slug && sentence({ slug: one.slug, message: one.slug }), `${one.ms} ms`, one.request_id].filter(Boolean).join(" · "))))),
	!lines.length && make("li", { class: "soft" }, t("console.no_requests_of")))));
	place.scrollIntoView({ block: "nearest" });
}

/** Says how many requests a key had today; the service keeps the last 200. @param {any} key @param {HTMLElement} place */
async function count_today({ key_id, last_used_at }, place) {
	const today = new Date(now()).setHours(0, 0, 0, 0), lines = last_used_at && Date.parse(last_used_at) < today - LATE_MS ? [] : await read(`saas/key/${key_id}/requests`);
	const count = lines.filter((/** @type {any} */ one) => Date.parse(one.utc_at) >= today).length;
	say(place, number(count) + (count < MOST_LINES ? "" : "+"));
}

/** @param {any} key @param {() => Promise<void>} again @param {HTMLElement} place */
function key_row(key, again, place) {
	const cell = (/** @type {string} */ label, /** @type {any[]} */ ...parts) => make("td", { "data-label": label }, ...parts), all = key.scopes.includes("*"), count = make("td", { class: "n", "data-label": t("console.today_head") }, "…");
	count_today(key, count).catch(fail);
	return make("tr", null, make("th", { scope: "row", dir: "auto" }, key.name || key.key_id),
		cell(t("console.scopes"), make("span", { class: "chips" }, ...(all ? [t("console.everything")] : key.scopes).map((/** @type {string} */ one) => make("span", { class: "chip" }, one)))),
		cell(t("console.last_used_head"), key.last_used_at ? time(key.last_used_at) : make("span", { class: "soft" }, t("console.never_used"))),
		cell(t("console.good_until_head"), key.expires_at ? time(key.expires_at) : "–"),
		count, make("td", { class: "acts" }, make("div", { class: "row" }, button(t("console.requests_word"), () => show_requests(key, place), "bare"), may("keys:write") && button_twice(t("console.revoke"), t("console.revoke_sure"), async () => {
			await change("DELETE", `saas/key/${key.key_id}`, undefined);
			tell(t("console.revoked"));
			await again();
		}, "danger bare", ""))));
}

/** @param {() => Promise<void>} again */
function key_form(again) {
	const boxes = make("div", { class: "choices" }, ...SCOPES.filter(may).map(scope =>
		make("label", null, make("input", { type: "checkbox", name: "scope", value: scope }), make("code", null, scope))));
	const shown = make("div", { role: "status", class: "stack" });
	return make("section", { class: "card" }, card_head(t("console.new_key")), form(t("console.make_key"), async ({ name }, it) => {
		const scopes = new FormData(it).getAll("scope");
		const { api_key } = await change("POST", "saas/key", { name, scopes });
		shown.classList.add("pad");
		fill(shown, make("p", null, t("console.key_once")), copyable(t("console.key"), api_key));
		it.reset();
		await again();
	}, field("name", t("console.name"), { required: true, maxLength: 64 }),
	make("fieldset", { "data-field": "scopes" }, make("legend", null, t("console.scopes")), boxes)), shown);
}

/** The card of keys, and the place of a key's log. */
export function keys_part() {
	const none = make("div", { role: "status" }), place = make("div", null), { element: table, list } = table_of([t("console.name"), t("console.scopes"), t("console.last_used_head"), t("console.good_until_head"), t("console.today_head")], 4);
	list.id = "keys";
	const again = async () => {
		const keys = await all("saas/keys");
		table.hidden = !keys.length;
		fill(none, !keys.length && empty("key", t("console.no_keys"), t("console.no_keys_how")));
		keyed(list, keys, one => one.key_id, one => key_row(one, again, place));
	};
	return { parts: [make("section", { class: "card" }, card_head(t("console.keys")), table, none), place], again };
}

/** @param {HTMLElement} view */
export async function draw_keys(view) {
	const { parts, again } = keys_part();
	head({ title: t("console.keys"), meta: [`${t("console.opens")} ${scopes_told(me.scopes)}`] });
	view.append(...parts, ...may("keys:write") ? [key_form(again)] : []);
	await again();
}
