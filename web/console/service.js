// Requests of the console: a sign-in that has expired is asked for again, a lost connection
// is told, and what changes is looked up every few seconds.
import { address, Problem, request, token } from "../shared/api.js";
import { byId, nap, show } from "../shared/dom.js";
import { keep_request } from "./curl.js";

/** @typedef {import("../shared/api.js").Wish} Wish */

const EVERY = 5000;

/** Signs in again; session.js sets it. @type {{ run: () => Promise<void> }} */
export const sign_in_again = { run: () => Promise.reject(new Error("nobody")) };

/** @type {Promise<void> | null} one question for all that wait */
let asking = null;

/** @param {string} method @param {string} path @param {Wish} [wish] */
export async function ask(method, path, wish) {
	for (;;) {
		try {
			const answer = await request(method, path, wish);
			show("offline", false);
			keep_request(method, path, wish || {}, answer.status);
			return answer;
		} catch (error) {
			const { status, slug } = /** @type {Problem} */ (error);
			if (slug === "network" && !(wish && wish.signal && wish.signal.aborted))
				show("offline", true);
			if (!(wish && wish.signal && wish.signal.aborted))
				keep_request(method, path, wish || {}, status);
			if (status !== 401)
				throw error;
			asking = asking || sign_in_again.run().finally(() => (asking = null));
			await asking;
		}
	}
}

/** @param {string} path @param {Record<string, any>} [query] */
export const read = async (path, query) => (await ask("GET", path, { query })).data;

/** @param {string} method @param {string} path @param {any} data */
export const change = async (method, path, data) => (await ask(method, path, { data })).data;

/** Change a record as it was last seen: If-Match. @param {string} path @param {(record: any) => any} how @param {string} [method] */
export async function edit(path, how, method = "PATCH") {
	const { data, etag } = await ask("GET", path);
	return (await ask(method, path, { data: how(data), etag: etag || undefined })).data;
}

/**
 * All items of a list, over its pages, at most `most`.
 * @param {string} path @param {Record<string, any>} [query] @param {number} [most]
 */
export async function all(path, query = {}, most = 500) {
	const found = [];
	for (let more = query; found.length < most;) {
		const { data, whole } = await ask("GET", path, { query: more });
		found.push(...(Array.isArray(data) ? data : data.items));
		const [name, next] = [["token", data.next], ["pagination_token", whole.pagination_token],
			["page_token", whole.next_page_token]].find(([, value]) => value) || [];
		if (!name)
			break;
		more = { ...query, page_size: null, sort: null, [name]: next }; // the token has these
	}
	return found;
}

/**
 * Look again and again, until the signal.  draw has data and the whole body, each time that
 * they differ.
 * @param {AbortSignal} signal @param {string} path @param {(data: any, whole: any) => void} draw
 * @param {(error: any) => void} fail @param {Record<string, any>} [query]
 * @returns {() => Promise<void>} look at once
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

/** The text of a file. @param {string} path @param {Record<string, any>} query */
export async function file(path, query) {
	const response = await fetch(address(path, query), { headers: { Authorization: `Bearer ${token()}` }, cache: "no-store" })
		.catch(() => null);
	if (!response)
		throw new Problem(0, [{ type: "network" }]);
	if (!response.ok)
		throw new Problem(response.status, (await response.json().catch(() => ({}))).errors || []);
	return response.text();
}

/** Leave no notice of before. */
export const clear = () => show(byId("notice"), false);
