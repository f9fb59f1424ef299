// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the last requests of the console as curl commands, for developers.
import { address } from "../shared/api.js";

const MOST_KEPT_REQUESTS = 50;

/** @typedef {{ at: number, method: string, path: string, command: string, status: number, times: number }} Sent */

/** Newest first. @type {Sent[]} */
export const sent = [];
/** run() is called after each request; developer.js sets it. */
export const sent_told = { run: () => {} };

/** @param {string} text for a shell */
const shell_quoted = text => `'${text.replace(/'/g, "'\\''")}'`;

/** Replaces the secrets in outputs, for JSON.stringify. @param {string} _ @param {any} value */
const without_keys = (_, value) => value && value.protocol ? { ...value, ...value.stream_key && { stream_key: "STREAM_KEY" }, ...value.url && { url: "URL" } } : value;

/**
 * Returns the curl command for a request. The credential is $TOKEN.
 * @param {string} method @param {string} path @param {import("../shared/api.js").Wish} wish
 */
export function curl_of(method, path, { query, data, etag, key }) {
	const headers = [data !== undefined && "Content-Type: application/json", etag && `${method === "GET" ? "If-None-Match" : "If-Match"}: ${etag}`,
		key && `Idempotency-Key: ${key}`].filter(Boolean);
	return [`curl -sS${method === "GET" ? "" : ` -X ${method}`} -H "Authorization: Bearer $TOKEN"`, ...headers.map(one => `-H ${shell_quoted(String(one))}`),
		...data === undefined ? [] : [`-d ${shell_quoted(JSON.stringify({ data }, without_keys))}`], shell_quoted(address(path, query))].join(" \\\n  ");
}

/**
 * Stores a request. A repeated request, such as that for a watched list, is stored once and
 * counted.
 * @param {string} method @param {string} path @param {import("../shared/api.js").Wish} wish @param {number} status
 */
export function keep_request(method, path, wish, status) {
	const command = curl_of(method, path, method === "GET" ? { query: wish.query } : wish);
	const before = method === "GET" ? sent.findIndex(one => one.command === command) : -1;
	const [last] = before < 0 ? [] : sent.splice(before, 1);
	sent.unshift({ at: Date.now(), method, path: `/${path}`, command, status, times: last ? last.times + 1 : 1 });
	sent.splice(MOST_KEPT_REQUESTS);
	sent_told.run();
}
