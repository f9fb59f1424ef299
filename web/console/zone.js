// SPDX-License-Identifier: GPL-3.0-or-later
// Converts between UTC and the local time of a zone, as forms have it.

/** Returns the minutes by which a zone is ahead of UTC. @param {Date} at @param {string} zone */
function ahead(at, zone) {
	const parts = Object.fromEntries(new Intl.DateTimeFormat("en", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric",
		day: "numeric", hour: "numeric", minute: "numeric" }).formatToParts(at).map(({ type, value }) => [type, Number(value)]));
	return (Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute) - Math.floor(at.getTime() / 60000) * 60000) / 60000;
}

/**
 * Converts the local time of a zone to UTC.
 * @param {string} local "2026-05-01T09:00" @param {string} zone
 */
export function utc_of(local, zone) {
	const plain = Date.parse(`${local}Z`), guess = plain - ahead(new Date(plain), zone) * 60000;
	return new Date(plain - ahead(new Date(guess), zone) * 60000).toISOString();
}

/** Converts UTC to the local time of a zone. @param {string} utc @param {string} zone */
export const local_of = (utc, zone) => new Date(Date.parse(utc) + ahead(new Date(utc), zone) * 60000).toISOString().slice(0, 16);
