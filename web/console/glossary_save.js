// SPDX-License-Identifier: GPL-3.0-or-later
// Saving a glossary.  The terms of one that is ready cannot be changed, so another is made
// beside it and takes its place once the service has read all of it:
//
//	made, switched off -> table sent -> ready -> halls that chose the old one take it
//	-> switched on -> the old one is deleted
//
// What was begun stays known to this browser: where the page dies, the next one goes on.
// Until the last step the old one is there, and what was typed stays in the tab until then.
import { Problem } from "../shared/api.js";
import { keep, nap } from "../shared/dom.js";
import { ask, change, edit, read } from "./service.js";
import { may, me } from "./session.js";
import { write_csv, columns_of } from "./terms.js";

/**
 * What is being edited.
 * @typedef {object} Table
 * @property {string} name @property {string} glossary_type @property {string} source_lang @property {string} target_lang
 * @property {boolean} is_enabled
 * @property {string[][]} rows
 * @property {string} [id] of the glossary that it changes @property {string | null} [etag] as it was read
 * @property {string} [was] its terms then, as terms_text() has them
 * @property {string} [key] Idempotency-Key of its creation; none: it has changed since
 * @property {string} [made] by an attempt that did not get to its end
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
 * One page at a time goes on with it; undefined: another one does.
 * @template T @param {() => Promise<T>} work @param {number} patience ms to wait for the other one @returns {Promise<T | undefined>}
 */
async function alone(work, patience) {
	let mine = false;
	const run = () => (mine = true, work());
	if (!navigator.locks) // not a secure context
		return run();
	try {
		return await navigator.locks.request("glossary", { signal: AbortSignal.timeout(patience) }, run);
	} catch (error) {
		if (mine)
			throw error;
	}
}

/* ---- the steps ---- */

/** Undefined where it is not there any more. @param {string} id */
const find = id => ask("GET", `saas/glossary/${id}`).catch(error => {
	if (error.status !== 404)
		throw error;
});

/** @param {string} id @param {string | null} [etag] */
const drop = (id, etag) => ask("DELETE", `saas/glossary/${id}`, { etag: etag || undefined }).catch(error => {
	if (error.status !== 404)
		throw error;
});

/** Halls that chose the old one choose the one made. @param {string} old @param {string} made */
async function switch_halls(old, made) {
	if (!may("channels:write"))
		return;
	const path = (/** @type {any} */ one) => `saas/channel/${one.channel_id}`;
	for (const one of await read("saas/channels"))
		if (one.lifecycle_status !== "deleting" && JSON.stringify(one.translation_pipeline).includes(old))
			await edit(path(one), ({ translation_pipeline }) =>
				({ translation_pipeline: JSON.parse(JSON.stringify(translation_pipeline).replaceAll(old, made)) }));
}

/** Somebody changed the old one within these seconds. @param {any} error */
function keep_both(error) {
	if (error.status !== 412)
		throw error;
}

/**
 * Wait until it is read, and let it take the place of the old one.
 * @param {Begun} one @param {AbortSignal} [signal] do not wait any longer
 * @returns {Promise<any>} the record: "ready", or "failed" with entries_errors; null: it is not there, or has no table
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
	keep_it(); // before it is used: whoever comes after a lost answer has the same
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
		if (error.slug !== "glossary-already-uploaded") // its answer was lost
			throw error;
	});
}

/** Nobody else changed it, or that is told once. @param {Table} table */
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

/** What needs another glossary when it differs. @param {Table} table */
export const terms_text = table => JSON.stringify([table.glossary_type, table.source_lang, table.target_lang,
	write_csv(table.rows, columns_of(table))]);

/**
 * Save it; where this throws, doing it again goes on.
 * @param {Table} table @param {() => void} keep_it keeps the table, as it is now, in the tab
 * @returns {Promise<any>} the record; null: it was lost on the way; undefined: another page is saving
 */
export const save_table = (table, keep_it) => alone(async () => {
	await is_as_read(table);
	if (table.id && table.was === terms_text(table))
		return (await ask("POST", `saas/glossary/${table.id}`, { data: { name: table.name, is_enabled: table.is_enabled },
			etag: table.etag || undefined })).data;
	const one = await make_beside(table, keep_it), earlier = begun().find(other => other.made === table.made);
	if (earlier && earlier.made !== one.made) {
		await drop(earlier.made); // with other terms
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

/** Go on with what an earlier page began. @param {AbortSignal} signal @param {(one: Begun, record: any) => void} done */
export const go_on = (signal, done) => alone(async () => {
	for (const one of begun()) {
		const record = await finish(one, signal);
		if (signal.aborted)
			return;
		done(one, record);
	}
}, PATIENCE);
