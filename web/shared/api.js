// SPDX-License-Identifier: GPL-3.0-or-later
// The REST interface: sends requests and throws a Problem with the slug of an error.
import { keep } from "./dom.js";

/** The service's address, with a slash at its end. */
export const base = new URL("../../", import.meta.url).href;

/**
 * Returns the address of a file beside the modules, of the same version.
 * @param {string} path from web/
 */
export function asset(path) {
	return new URL(`../${path}${new URL(import.meta.url).search}`, import.meta.url).href;
}

/**
 * An error of the service, or slug "network" when it did not answer. errors: all problems; a
 * problem of a field has `pointer`, such as "/data/title".
 */
export class Problem extends Error {
	/** @param {number} status @param {any[]} errors @param {number} retry_after seconds */
	constructor(status, errors, retry_after = 0) {
		const first = errors[0] || {};
		super(first.detail || first.title || "");
		this.status = status;
		this.errors = errors;
		this.retry_after = retry_after;
		this.slug = String(first.type || "").split("/").pop() || "unknown";
		this.request_id = first.instance || "";
	}
}

/** @returns {Problem} */
const nothing = () => new Problem(0, [{ type: "network" }]);

/* ---- the credential ---- */

const TOKEN = "token";

/** The API token of this tab, or of a browser that stays signed in, or null. */
export const token = () => keep("tab", TOKEN) || keep("ever", TOKEN);
/** @param {string | null} value null: remove it */
export const set_token = value => keep("tab", TOKEN, value);

/* ---- the clock ---- */

const CLOCKS_DIFFER = 60000; // ms

let ahead_ms = 0; // ms by which the service's clock is ahead of this device's

/** The service's current time, in ms. */
export const now = () => Date.now() + ahead_ms;
export const is_clock_wrong = () => ahead_ms !== 0;

/** @param {string | null} date Date header of an answer */
function set_clock(date) {
	const off = Date.parse(date || "") - Date.now();
	ahead_ms = Math.abs(off) > CLOCKS_DIFFER ? off : 0;
}

/* ---- requests ---- */

/**
 * @typedef {object} Wish
 * @property {Record<string, any>} [query] null and undefined are left out; arrays are repeated
 * @property {any} [data] sent as {"data": ...}
 * @property {BodyInit} [body] sent unchanged, instead of data
 * @property {string} [type] Content-Type of body
 * @property {boolean} [open] without the token
 * @property {string} [etag] sent as If-Match with a body, else as If-None-Match
 * @property {string} [key] Idempotency-Key
 * @property {Record<string, string>} [headers] further ones
 * @property {AbortSignal} [signal]
 * @property {number} [timeout] in ms; default 20,000
 * @property {boolean} [preloaded] the page's Link header named it
 */

/**
 * @typedef {object} Answer
 * @property {number} status 304: unchanged since etag; data is null
 * @property {any} data
 * @property {any} whole the whole body, which may have more members than data
 * @property {string | null} etag
 * @property {Response} response
 */

/** @param {string} path below the service, without a slash @param {Record<string, any>} [query] */
export function address(path, query = {}) {
	const url = new URL(path.replace(/^\//, ""), base);
	for (const [name, value] of Object.entries(query))
		for (const one of Array.isArray(value) ? value : [value])
			if (one !== null && one !== undefined && one !== "")
				url.searchParams.append(name, one);
	return url.href;
}

/** @param {string} method @param {Wish} wish */
function headers_of(method, wish) {
	/** @type {Record<string, string>} */
	const headers = { Accept: "application/json" };
	const mine = token();
	if (mine && !wish.open)
		headers.Authorization = `Bearer ${mine}`;
	if (wish.data !== undefined)
		headers["Content-Type"] = "application/json";
	else if (wish.type)
		headers["Content-Type"] = wish.type;
	if (wish.etag)
		headers[method === "GET" ? "If-None-Match" : "If-Match"] = wish.etag;
	if (wish.key)
		headers["Idempotency-Key"] = wish.key;
	return Object.assign(headers, wish.headers);
}

/** @param {Response} response @returns {Promise<any>} */
async function body_of(response) {
	const text = response.status === 304 ? "" : await response.text();
	try {
		return text ? JSON.parse(text) : null;
	} catch {
		return null;
	}
}

/**
 * Sends a request. Throws a Problem for every answer but success and 304.
 * @param {string} method @param {string} path @param {Wish} [wish]
 * @returns {Promise<Answer>}
 */
export async function request(method, path, wish = {}) {
	const stop = new AbortController();
	const timer = setTimeout(() => stop.abort(), wish.timeout || 20000);
	if (wish.signal)
		wish.signal.addEventListener("abort", () => stop.abort());
	try {
		const response = await fetch(address(path, wish.query), { method, headers: headers_of(method, wish),
			body: wish.data !== undefined ? JSON.stringify({ data: wish.data }) : wish.body,
			signal: stop.signal, cache: wish.preloaded ? "default" : "no-store" });
		set_clock(response.headers.get("Date"));
		const whole = await body_of(response);
		if (!response.ok && response.status !== 304)
			throw new Problem(response.status, whole && whole.errors || [{ title: response.statusText }],
				Number(response.headers.get("Retry-After")) || 0);
		return { status: response.status, data: whole && whole.data, whole, etag: response.headers.get("ETag"), response };
	} catch (error) {
		throw error instanceof Problem ? error : nothing();
	} finally {
		clearTimeout(timer);
	}
}

/** @param {string} path @param {Record<string, any>} [query] */
export const get = async (path, query) => (await request("GET", path, { query })).data;
/** @param {string} path @param {any} data @param {Wish} [wish] */
export const post = async (path, data, wish) => (await request("POST", path, { data, ...wish })).data;
