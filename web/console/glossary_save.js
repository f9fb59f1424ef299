// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a glossary. The terms of a glossary that is ready cannot be changed. So a new glossary is
// created beside it, which replaces the old one once the service has read all its terms:
//
//	created, switched off -> table sent -> ready -> halls that chose the old one choose it
//	-> switched on -> the old one is deleted
//
// The browser stores the replacements that have begun: when a page is closed, the next page
// continues. The old glossary exists until the last step, and the tab keeps the typed terms until
// then.
import { Problem } from "../shared/api.js";
import { keep, nap } from "../shared/dom.js";
import { ask, change, edit, read } from "./service.js";
import { may, me } from "./session.js";
import { write_csv, columns_of } from "./terms.js";

/**
 * The glossary that is being edited.
 * @typedef {object} Table
 * @property {string} name @property {string} glossary_type @property {string} source_lang @property {string} target_lang
 * @property {boolean} is_enabled
 * @property {string[][]} rows
 * @property {string} [id] of the glossary to change @property {string | null} [etag] of the record
 * when it was read
 * @property {string} [was] its terms at that time, by terms_text()
 * @property {string} [key] Idempotency-Key of its creation; absent after a change
 * @property {string} [made] id of the glossary that an unfinished attempt created
 */
/** @typedef {{ made: string, name: string, is_enabled: boolean, old?: string, etag?: string | null }} Begun */

const WAIT = 1000, PATIENCE = 10000; // ms

/* ---- what was begun ---- */

const shelf = () => `saving.${me.user_id}`;

/** @returns {Begun[]} */
export const begun = () => JSON.parse(keep("ever", shelf()) || "[]");

/** @param {Begun} one @param {boolean} still */
function note(one, still) {
	const all = [...begun().filter(other => other.made !== one.made), ...still ? [one] : []];
	keep("ever", shelf(), all.length ? JSON.stringify(all) : null);
}

/**
 * Runs `work` while no other page does. Returns undefined when another page holds the lock.
 * @template T @param {() => Promise<T>} work @param {number} patience ms to wait for the other page
 * @returns {Promise<T | undefined>}
 */
async function alone(work, patience) {
	let mine = false;
	const run = () => (mine = true, work());
	if (!navigator.locks) // navigator.locks is missing without a secure context
		return run();
	try {
		return await navigator.locks.request("glossary", { signal: AbortSignal.timeout(patience) }, run);
	} catch (error) {
		if (mine)
			throw error;
	}
}

/* ---- the steps ---- */

/** Resolves to undefined when the glossary no longer exists. @param {string} id */
const find = id => ask("GET", `saas/glossary/${id}`).catch(error => {
	if (error.status !== 404)
		throw error;
});

/** @param {string} id @param {string | null} [etag] */
const drop = (id, etag) => ask("DELETE", `saas/glossary/${id}`, { etag: etag || undefined }).catch(error => {
	if (error.status !== 404)
		throw error;
});

/**
 * Replaces the old glossary by the new one in all halls that chose it.
 * @param {string} old @param {string} made
 */
async function switch_halls(old, made) {
	if (!may("channels:write"))
		return;
	const path = (/** @type {any} */ one) => `saas/channel/${one.channel_id}`;
	for (const one of await read("saas/channels"))
		if (one.lifecycle_status !== "deleting" && JSON.stringify(one.translation_pipeline).includes(old))
			await edit(path(one), ({ translation_pipeline }) =>
				({ translation_pipeline: JSON.parse(JSON.stringify(translation_pipeline).replaceAll(old, made)) }));
}

/** Keeps both glossaries: the old one was changed during the replacement. @param {any} error */
function keep_both(error) {
	if (error.status !== 412)
		throw error;
}

/**
 * Waits until the service has read the new glossary, then replaces the old one.
 * @param {Begun} one @param {AbortSignal} [signal] stops waiting
 * @returns {Promise<any>} the record: "ready", or "failed" with entries_errors; null: the new
 * glossary does not exist or has no table
 */
async function finish(one, signal) {
	const path = `saas/glossary/${one.made}`;
	let found = await find(one.made);
	while (found && found.data.entries_status === "pending") {
		await nap(WAIT);
		if (signal && signal.aborted)
			return found.data;
		found = await find(one.made);
	}
	if (!found || found.data.entries_status !== "ready") {
		await drop(one.made);
		note(one, false);
		return found && found.data.entries_status === "failed" ? found.data : null;
	}
	if (one.old)
		await switch_halls(one.old, one.made);
	if (one.is_enabled && !found.data.is_enabled)
		await change("POST", path, { is_enabled: true });
	if (one.old)
		await drop(one.old, one.etag).catch(keep_both);
	note(one, false);
	return found.data;
}

/** @param {Table} table @param {() => void} keep_it */
async function make_beside(table, keep_it) {
	const { name, glossary_type, source_lang, target_lang, is_enabled } = table;
	table.key = table.key || crypto.randomUUID();
	keep_it(); // store the key first: when the answer is lost, the next attempt gets the same glossary
	const data = { name, glossary_type, source_lang, is_enabled: is_enabled && !table.id,
		target_lang: glossary_type === "translation" ? target_lang : glossary_type === "asr" ? source_lang : undefined };
	const { glossary_id } = (await ask("POST", "saas/glossary", { data, key: table.key })).data;
	return { made: glossary_id, name, is_enabled, old: table.id, etag: table.etag };
}

/** @param {string} id @param {string} csv */
async function send(id, csv) {
	const body = new FormData();
	body.append("file", new Blob([csv], { type: "text/csv" }), "glossary.csv");
	await ask("POST", `saas/glossary/${id}/upload`, { body, timeout: 120000 }).catch(error => {
		if (error.slug !== "glossary-already-uploaded") // the answer to an earlier attempt was lost
			throw error;
	});
}

/**
 * Checks that the stored glossary is unchanged. Throws once if it has changed. @param {Table} table
 */
async function is_as_read(table) {
	const found = table.id && await find(table.id);
	const stale = table.id && (!found || found.etag !== table.etag);
	if (!found)
		table.id = undefined;
	else
		table.etag = found.etag;
	if (stale)
		throw new Problem(412, [{ type: "stale-version" }]);
}

/** The part of a glossary that can be changed only by a new glossary. @param {Table} table */
export const terms_text = table => JSON.stringify([table.glossary_type, table.source_lang, table.target_lang,
	write_csv(table.rows, columns_of(table))]);

/**
 * Saves a glossary. After an exception, calling it again continues.
 * @param {Table} table @param {() => void} keep_it stores the current table in the tab
 * @returns {Promise<any>} the record; null: the glossary disappeared meanwhile; undefined: another
 * page is saving
 */
export const save_table = (table, keep_it) => alone(async () => {
	await is_as_read(table);
	if (table.id && table.was === terms_text(table))
		return (await ask("POST", `saas/glossary/${table.id}`, { data: { name: table.name, is_enabled: table.is_enabled },
			etag: table.etag || undefined })).data;
	const one = await make_beside(table, keep_it), earlier = begun().find(other => other.made === table.made);
	if (earlier && earlier.made !== one.made) {
		await drop(earlier.made); // its terms have changed since
		note(earlier, false);
	}
	table.made = one.made;
	note(one, true);
	keep_it();
	await send(one.made, write_csv(table.rows, columns_of(table)));
	const record = await finish(one);
	table.key = table.made = undefined;
	return record;
}, PATIENCE);

/**
 * Continues the replacements that an earlier page began.
 * @param {AbortSignal} signal @param {(one: Begun, record: any) => void} done
 */
export const go_on = (signal, done) => alone(async () => {
	for (const one of begun()) {
		const record = await finish(one, signal);
		if (signal.aborted)
			return;
		done(one, record);
	}
}, PATIENCE);
