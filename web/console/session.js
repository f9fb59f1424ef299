// SPDX-License-Identifier: GPL-3.0-or-later
// The sign-in. A link, a key or a client pair is exchanged for a token, which this tab keeps. The
// key itself is never kept.
import { request, set_token, token } from "../shared/api.js";
import { byId, fill, keep, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { has_passkeys, passkey_of } from "./passkeys.js";
import { sign_in_again } from "./service.js";
import { field, form, ui_choice } from "./words.js";

/** The answer of GET /auth/me. @type {any} */
export let me = null;

/** @param {string} scope "events:write", which contains "events:read" */
export const may = scope => !!me && ["*", scope, scope.replace(/:\w+/, ":write")].some(one => me.scopes.includes(one));

/* ---- a browser that stays signed in: all of its tabs share a token, and renew it together ---- */

/** @param {any} answer of POST /auth/token or /auth/refresh; null: forget the sign-in */
function stay(answer) {
	keep("ever", "token", answer && answer.token);
	keep("ever", "refresh", answer && answer.refresh_token);
}

/** Renews the token that was refused, unless another tab has done so. Returns false if it cannot be. @param {string | null} refused */
const renew = refused => navigator.locks.request("sign-in", async () => {
	const refresh_token = keep("ever", "refresh");
	if (!refresh_token || keep("ever", "token") !== refused)
		return !!refresh_token;
	try {
		stay((await request("POST", "auth/refresh", { data: { refresh_token }, open: true })).data);
		return true;
	} catch (error) {
		if (/** @type {any} */ (error).status !== 401)
			throw error;
		stay(null);
		return false;
	}
});

/* ---- links ---- */

/** Returns the secret of a sign-in link or an invitation. @param {string} text @returns {Record<string, string> | null} */
export function secret_of(text) {
	const found = /#(link|invite)=([^&\s]+)/.exec(text);
	return found && { [found[1]]: found[2] };
}

/** @param {Record<string, any>} secret of a link, or a passkey @param {boolean} remember */
async function use_link(secret, remember) {
	const { data } = await request("POST", "auth/token", { data: { ...secret, ...remember && { remember } }, open: true });
	stay(data.refresh_token ? data : null);
	set_token(data.refresh_token ? null : data.token);
}

/**
 * Makes a form that signs in with what `secret` returns.
 * @param {string} text of its button @param {() => any} secret @param {() => any} done
 */
function stay_form(text, secret, done) {
	const it = form(text, async ({ remember }) => {
		await use_link(await secret(), !!remember);
		await done();
	}, make("label", { class: "check" }, make("input", { type: "checkbox", name: "remember" }), make("span", null, make("b", null, t("console.stay")), make("small", null, t("console.stay_how")))));
	it.querySelector(".strong")?.classList.add("big");
	return it;
}

/** The form that a link opens. @param {Record<string, string>} secret @param {() => any} done */
export const link_form = (secret, done) => stay_form(t("console.enter"), () => secret, done);

/** @param {() => any} done */
function passkey_form(done) {
	const it = stay_form(t("console.passkey_signin"), async () =>
		({ passkey: await passkey_of((await request("POST", "auth/passkey/options", { data: {}, open: true })).data) }), done);
	it.querySelector(".strong")?.classList.remove("strong");
	return it;
}

/** @param {Record<string, string>} values */
async function use_credential({ key, client_id, client_secret }) {
	const headers = key ? { Authorization: `Bearer ${key.trim()}` } :
		{ ClientID: (client_id || "").trim(), ClientSecret: (client_secret || "").trim() };
	const { data } = await request("POST", "auth/token", { data: {}, open: true, headers: /** @type {any} */ (headers) });
	set_token(data.token);
}

/** Ends the sign-in of this browser. */
async function end_sign_in() {
	const { sign_in_id } = (await request("GET", "auth/sign-ins")).data.find((/** @type {any} */ one) => one.current);
	await request("DELETE", `auth/sign-ins/${sign_in_id}`);
}

export async function know_me() {
	const asked = () => request("GET", "auth/me");
	me = (await asked().catch(async error => error.status === 401 && await renew(token()) ? asked() : Promise.reject(error))).data;
}

/** @param {() => any} done */
export function sign_in_form(done) {
	const pair = make("details", null, make("summary", null, t("console.pair")), make("div", { class: "stack" },
		field("client_id", t("console.client_id"), { dir: "ltr" }), field("client_secret", t("console.client_secret"), { type: "password", dir: "ltr" })));
	const it = form(t("console.signin"), async (values, it) => {
		const secret = secret_of(values.key || "");
		await (secret ? use_link(secret, false) : use_credential(values));
		it.reset();
		await done();
	}, make("p", { class: "soft" }, t("console.how")), field("key", t("console.key"), { type: "password", placeholder: "dgm_…", dir: "ltr" }), pair);
	it.querySelector(".strong")?.classList.add("big");
	return make("div", { class: "stack wide" }, it, ...has_passkeys() ? [make("hr"), passkey_form(done)] : [],
		make("p", { class: "soft small" }, t("console.here_to_listen"), " ", make("a", { href: "../" }, t("console.enter_code"))), ui_choice());
}

export async function sign_out() {
	if (keep("ever", "refresh"))
		await end_sign_in().catch(() => {}); // it ends by itself after 30 days
	set_token(null);
	stay(null);
	try {
		sessionStorage.clear();
	} catch {
		// this browser stores nothing
	}
	location.replace(location.pathname);
}

sign_in_again.run = async () => {
	if (!await renew(token()))
		await ask_again();
};

/** @returns {Promise<void>} */
const ask_again = () => new Promise(done => {
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
