// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Protobuf that signalling needs. A message is an object of fields by number. To
// encode, a field is a number, a text or a message; decode() returns a list of numbers and bytes
// for each field.

/** @typedef {{ [field: number]: number | boolean | string | Message }} Message */
/** @typedef {Record<number, any[]>} Fields */

/** @param {number} n */
function varint(n) {
	const bytes = [];
	for (; n > 127; n = Math.floor(n / 128))
		bytes.push(n % 128 + 128);
	return [...bytes, n];
}

/** @param {Message} message @returns {Uint8Array<ArrayBuffer>} */
export function encode(message) {
	/** @type {number[]} */
	const bytes = [];
	for (const [field, value] of Object.entries(message)) {
		const content = typeof value === "string" ? new TextEncoder().encode(value)
			: typeof value === "object" ? encode(value) : null;
		bytes.push(...varint(Number(field) * 8 + (content ? 2 : 0)),
			...varint(content ? content.length : Number(value)), ...content || []);
	}
	return Uint8Array.from(bytes);
}

/** @param {Uint8Array} bytes @returns {Fields} */
export function decode(bytes) {
	/** @type {Fields} */
	const message = {};
	let at = 0;
	const number = () => {
		let value = 0, scale = 1, byte;
		do {
			byte = bytes[at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return value;
	};
	/** @type {Record<number, () => any>} */
	const rest = { 0: number, 1: () => at += 8, 5: () => at += 4,
		2: () => { const n = number(); return bytes.subarray(at, at += n); } };
	while (at < bytes.length) {
		const key = number();
		if (!rest[key & 7])
			throw new Error("a message that cannot be read");
		(message[Math.floor(key / 8)] ||= []).push(rest[key & 7]());
	}
	return message;
}

/** @param {Uint8Array | undefined} bytes */
export const text_of = bytes => bytes ? new TextDecoder().decode(bytes) : "";
