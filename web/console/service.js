// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of the console. Asks for a new sign-in when it has expired, reports a lost connection,
// and polls what changes every few seconds.
import { address, asset, is_clock_wrong, Problem, request, token } from "../shared/api.js";
import { byId, make, nap, show } from "../shared/dom.js";
import { load_more, t } from "../shared/i18n.js";
import { keep_request } from "./curl.js";

/** @typedef {import("../shared/api.js").Wish} Wish */

const EVERY = 5000;

/** Signs in again; session.js sets it. @type {{ run: () => Promise<void> }} */
export const sign_in_again = { run: () => Promise.reject(new Error("no sign-in")) };

/** @type {Promise<void> | null} one question for all requests that wait for it */
let asking = null;

/**
 * Runs `run`. If the sign-in has expired, asks for a new one and runs it again.
 * @template T @param {() => Promise<T>} run @returns {Promise<T>}
 */
async function while_signed_in(run) {
	for (;;) {
		try {
			return await run();
		} catch (error) {
			if (/** @type {Problem} */ (error).status !== 401)
				throw error;
			asking = asking || sign_in_again.run().finally(() => (asking = null));
			await asking;
		}
	}
}

const is_offline = () => request("GET", "health", { open: true }).then(() => false, error => error.slug === "network");

/**
 * @type {Promise<void> | null} waits for the service, as some screens send no requests by
 * themselves
 */
let looking = null;

function tell_offline() {
	show("offline", true);
	return looking ||= (async () => {
		do
			await nap(EVERY);
		while (await is_offline());
		looking = null;
		show("offline", false);
	})();
}

/** Resolves when the service can be reached. */
export const until_online = async () => await is_offline() ? tell_offline() : undefined;

/** @param {string} method @param {string} path @param {Wish} [wish] */
export const ask = (method, path, wish = {}) => while_signed_in(async () => {
	try {
		const answer = await request(method, path, wish);
		show("offline", false);
		show("clock", is_clock_wrong());
		keep_request(method, path, wish, answer.status);
		return answer;
	} catch (error) {
		const { status, slug } = /** @type {Problem} */ (error);
		if (!(wish.signal && wish.signal.aborted)) {
			keep_request(method, path, wish, status);
			if (slug === "network")
				tell_offline();
		}
		throw error;
	}
});

/** @param {string} path @param {Record<string, any>} [query] */
export const read = async (path, query) => (await ask("GET", path, { query })).data;

/** @param {string} method @param {string} path @param {any} data */
export const change = async (method, path, data) => (await ask(method, path, { data })).data;

/* ---- edits ---- */

const EDIT_TRIES = 5;

/**
 * Returns a value as text to compare. Members that are null and the order of members make no
 * difference.
 * @param {any} value
 */
const plain = value => JSON.stringify(value ?? null, (_, one) => one && typeof one === "object" && !Array.isArray(one) ?
	Object.fromEntries(Object.entries(one).filter(([, part]) => part !== null).sort()) : one);

/** @param {any} a @param {any} b */
const same = (a, b) => plain(a) === plain(b);

/**
 * Returns the fields of a form that the user changed. Throws once when another user has changed the
 * same fields.
 * @param {Record<string, any>} wanted @param {Record<string, any>} seen as the form was drawn @param {Record<string, any>} now
 */
function changes(wanted, seen, now) {
	const mine = Object.keys(wanted).filter(name => !same(wanted[name], seen[name]) && !same(wanted[name], now[name]));
	const theirs = mine.filter(name => !same(seen[name], now[name]));
	theirs.forEach(name => (seen[name] = now[name])); // saving again overwrites the other change
	if (theirs.length)
		throw new Problem(412, theirs.map(name => ({ type: "stale-version", pointer: `/data/${name}`, detail: t("console.changed_meanwhile") })));
	return Object.fromEntries(mine.map(name => [name, wanted[name]]));
}

/**
 * Changes the current version of a record, with If-Match. If it was changed meanwhile, by a worker
 * or another user, reads it again and applies the change to that.
 * @param {string} path @param {(record: any) => any} how returns the members to change
 * @param {{ method?: string, seen?: Record<string, any>, fields?: (record: any) => Record<string, any>, members?: (changed: any, record: any) => any }} [form]
 *   seen: the form's fields when it was drawn; those that the user changed are sent. Throws
 *   when another user changed them. fields: returns a record's fields. members: makes the body of
 *   the changed ones
 */
export async function edit(path, how, { method = "PATCH", seen, fields = one => one, members = one => one } = {}) {
	for (let tries = 1; ; tries++) {
		const { data: now, etag } = await ask("GET", path);
		const wanted = seen ? changes(how(now), seen, fields(now)) : how(now);
		if (!Object.keys(wanted).length)
			return now;
		const written = await ask(method, path, { data: members(wanted, now), etag: etag || undefined })
			.catch(error => error.status === 412 && tries < EDIT_TRIES ? null : Promise.reject(error));
		if (!written)
			continue;
		Object.assign(seen || {}, wanted);
		return written.data;
	}
}

/**
 * Yields the pages of a list; requests each when the caller wants it.
 * @param {string} path @param {Record<string, any>} [query]
 */
export async function* pages(path, query = {}) {
	for (let more = query; ;) {
		const { data, whole } = await ask("GET", path, { query: more });
		yield /** @type {any[]} */ (Array.isArray(data) ? data : data.items);
		const [name, next] = [["token", data.next], ["pagination_token", whole.pagination_token],
			["page_token", whole.next_page_token]].find(([, value]) => value) || [];
		if (!name)
			return;
		more = { ...query, page_size: null, sort: null, [name]: next }; // the page token contains these
	}
}

/**
 * Returns the items of all pages of a list, at most `most`.
 * @param {string} path @param {Record<string, any>} [query] @param {number} [most]
 */
export async function all(path, query, most = 500) {
	const found = [];
	for await (const page of pages(path, query)) {
		found.push(...page);
		if (found.length >= most)
			break;
	}
	return found;
}

/**
 * Requests `path` every few seconds until the signal. Calls draw with the data and the whole body
 * whenever they differ.
 * @param {AbortSignal} signal @param {string} path @param {(data: any, whole: any) => void} draw
 * @param {(error: any) => void} fail @param {Record<string, any>} [query]
 * @returns {() => Promise<void>} requests it now
 */
export function watch(signal, path, draw, fail, query) {
	/** @type {string | null | undefined} */
	let etag, seen = "";
	const look = async () => {
		try {
			const { status, data, whole, etag: now } = await ask("GET", path, { query, etag: etag || undefined, signal });
			const text = JSON.stringify(whole);
			if (signal.aborted || status === 304 || text === seen)
				return;
			etag = now;
			seen = text;
			draw(data, whole);
		} catch (error) {
			if (!signal.aborted && /** @type {Problem} */ (error).slug !== "network")
				fail(error);
		}
	};
	(async () => {
		for (; !signal.aborted; await nap(EVERY))
			if (!document.hidden)
				await look();
	})();
	return look;
}

/** Returns the bytes of a file. @param {string} path @param {Record<string, any>} [query] @param {FormData} [body] is sent */
export const file = (path, query, body) => while_signed_in(async () => {
	const response = await fetch(address(path, query), { method: body && "POST", body, headers: { Authorization: `Bearer ${token()}` }, cache: "no-store" })
		.catch(() => null);
	if (!response)
		throw new Problem(0, [{ type: "network" }]);
	if (!response.ok)
		throw new Problem(response.status, (await response.json().catch(() => ({}))).errors || []);
	return response.blob();
});

/* ---- parts of the page that are asked for later ---- */

export const PART_MISSING = "part-missing";

/** @type {Promise<any> | undefined} texts and style that all parts need */
let with_parts;

/** The style of the parts. */
const more_style = () => new Promise((done, failed) => document.head.append(
	make("link", { rel: "stylesheet", href: asset("console/parts.css"), onload: done, onerror: () => failed(new Error("no style")) })));

/** @template T @param {Promise<T>} coming what import() returns @returns {Promise<T>} */
export const part = async coming => {
	try {
		with_parts ||= Promise.all([load_more("console"), more_style()]);
		return (await Promise.all([coming, with_parts]))[0];
	} catch (error) {
		with_parts = undefined;
		console.warn(error);
		throw new Problem(0, [{ type: PART_MISSING }]);
	}
};

/**
 * Loads a part and calls its function, unless another screen is shown by then.
 * @template {string} N @template {[view: HTMLElement, signal: AbortSignal, ...rest: any[]]} A
 * @param {() => Promise<Record<N, (...at: A) => any>>} load @param {N} name
 */
export const later = (load, name) => async (/** @type {A} */ ...at) => {
	const it = await part(load());
	return at[1].aborted ? undefined : it[name](...at);
};

/** Removes the notice at the top. */
export const clear = () => show(byId("notice"), false);
