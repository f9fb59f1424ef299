// SPDX-License-Identifier: GPL-3.0-or-later
// API keys of the account. Each is created, shown once, and can be revoked.
import { fill, make, say } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { all, change } from "./service.js";
import { may, me } from "./session.js";
import { button_twice, copyable, field, form, keyed, tell } from "./words.js";

/** Scopes that a key can be given, if the user has them. */
const SCOPES = ["events", "channels", "sessions", "voices", "glossaries", "webhooks", "keys"].flatMap(name => [`${name}:read`, `${name}:write`]).concat("balance:read");

/** @param {string[]} scopes */
const scopes_told = scopes => scopes.includes("*") ? t("console.everything") : scopes.join(" ");

/** @param {any} key @param {() => Promise<void>} again */
function key_card(key, again) {
	return make("li", { class: "card" }, make("h2", { dir: "auto" }, key.name || key.key_id), make("p", { class: "soft" }, scopes_told(key.scopes)),
		make("p", null, key.last_used_at ? t("console.last_used", { time: time(key.last_used_at) }) : t("console.never_used")),
		key.expires_at && make("p", null, t("console.good_until", { time: time(key.expires_at) })),
		may("keys:write") && button_twice(t("console.revoke"), t("console.revoke_sure"), async () => {
			await change("DELETE", `saas/key/${key.key_id}`, undefined);
			tell(t("console.revoked"));
			await again();
		}));
}

/** @param {() => Promise<void>} again */
function key_form(again) {
	const boxes = make("div", { class: "choices" }, ...SCOPES.filter(may).map(scope =>
		make("label", null, make("input", { type: "checkbox", name: "scope", value: scope }), make("code", null, scope))));
	const shown = make("div", { role: "status" });
	return make("section", { class: "card" }, make("h2", null, t("console.new_key")), form(t("console.make_key"), async ({ name }, it) => {
		const scopes = new FormData(it).getAll("scope");
		const { api_key } = await change("POST", "saas/key", { name, scopes });
		fill(shown, make("p", null, t("console.key_once")), copyable(t("console.key"), api_key));
		it.reset();
		await again();
	}, field("name", t("console.name"), { required: true, maxLength: 64 }),
	make("fieldset", { "data-field": "scopes" }, make("legend", null, t("console.scopes")), boxes)), shown);
}

/** @param {HTMLElement} view */
export async function draw_keys(view) {
	const list = make("ul", { class: "plain", id: "keys" }), state = make("p", { role: "status" });
	const again = async () => {
		const keys = await all("saas/keys");
		say(state, keys.length ? "" : t("console.no_keys"));
		keyed(list, keys, one => one.key_id, one => key_card(one, again));
	};
	view.append(make("p", null, t("console.opens"), " ", make("strong", null, scopes_told(me.scopes))));
	if (may("keys:write"))
		view.append(key_form(again));
	view.append(state, list);
	await again();
}
