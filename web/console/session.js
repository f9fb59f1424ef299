// SPDX-License-Identifier: GPL-3.0-or-later
// The sign-in. A link, a key or a client pair is exchanged for a token, which this tab keeps. The
// key itself is never kept.
import { request, set_token, token } from "../shared/api.js";
import { byId, fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { sign_in_again } from "./service.js";
import { field, form } from "./words.js";

/** The answer of GET /auth/me. @type {any} */
export let me = null;

/** @param {string} scope "events:write" */
export const may = scope => !!me && (me.scopes.includes("*") || me.scopes.includes(scope));

/** @param {string} link @returns {Promise<void>} */
export async function use_link(link) {
	set_token((await request("POST", "auth/token", { data: { link }, open: true })).data.token);
}

/** @param {Record<string, string>} values */
async function use_credential({ key, client_id, client_secret }) {
	const headers = key ? { Authorization: `Bearer ${key.trim()}` } :
		{ ClientID: (client_id || "").trim(), ClientSecret: (client_secret || "").trim() };
	const { data } = await request("POST", "auth/token", { data: {}, open: true, headers: /** @type {any} */ (headers) });
	set_token(data.token);
}

export async function know_me() {
	me = (await request("GET", "auth/me")).data;
}

/** @param {() => any} done */
export function sign_in_form(done) {
	const pair = make("details", null, make("summary", null, t("console.pair")), make("div", { class: "stack" },
		field("client_id", t("console.client_id")), field("client_secret", t("console.client_secret"), { type: "password" })));
	const it = form(t("console.signin"), async (values, it) => {
		await use_credential(values);
		it.reset();
		await done();
	}, make("p", { class: "soft" }, t("console.how")), field("key", t("console.key"), { type: "password", placeholder: "dgm_…" }), pair);
	it.querySelector(".strong")?.classList.add("big");
	it.append(make("p", { class: "soft small" }, t("console.here_to_listen"), " ", make("a", { href: "../" }, t("console.enter_code"))));
	return it;
}

export function sign_out() {
	set_token(null);
	try {
		sessionStorage.clear();
	} catch {
		// this browser stores nothing
	}
	location.replace(location.pathname);
}

sign_in_again.run = () => new Promise(done => {
	const dialog = /** @type {HTMLDialogElement} */ (byId("again"));
	const was = me && me.user_id;
	set_token(null);
	fill(byId("again-form"), sign_in_form(async () => {
		await know_me();
		dialog.close();
		if (was && was !== me.user_id)
			return location.reload(); // remove everything of the other account
		done();
	}));
	dialog.oncancel = event => event.preventDefault();
	dialog.showModal();
});

export const signed_in = () => !!token();
