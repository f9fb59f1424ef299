// SPDX-License-Identifier: GPL-3.0-or-later
// Reads playlists of HLS and texts of WebVTT.

const PARTS_BEHIND = 4; // begin at this part from the end

/**
 * A segment, or a part of one.
 * @typedef {object} Piece
 * @property {number} number of its segment
 * @property {number} index of the part; a whole segment comes after all of its parts
 * @property {number} run number of discontinuities before it
 * @property {string} url
 * @property {string} head
 */
/**
 * The state of a rendition.
 * @typedef {object} List
 * @property {string} url
 * @property {number} behind begin at this piece from the end
 * @property {string} next query that asks for what comes next, or ""
 * @property {Piece} [newest] at the first read
 * @property {Piece} [done] the last that was loaded
 * @property {number} [run] number of discontinuities before that one
 */
/** @typedef {{ start: number, text: string }} Cue */

/** @param {string} url */
export async function fetched(url) {
	const answer = await fetch(url, { credentials: "omit" });
	if (answer.ok)
		return answer;
	answer.body?.cancel(); // frees the connection
	throw new Error(`${url}: ${answer.status}`);
}

/** @param {Piece | undefined} a @param {Piece | undefined} b */
const is_after = (a, b) => !!a && (!b || a.number > b.number || a.number === b.number && a.index > b.index);

/**
 * Returns the pieces of a playlist: the parts of its last segments, and whole segments before.
 * @param {List} list
 */
async function pieces_of(list) {
	const query = list.next;
	list.next = "";
	const text = await (await fetched(list.url + query)).text();
	const count = (/** @type {string} */ tag) => Number(new RegExp(`#EXT-X-${tag}-SEQUENCE:(\\d+)`).exec(text)?.[1] || 0);
	const at = (/** @type {string} */ uri) => new URL(uri, list.url).href;
	let number = count("MEDIA"), run = count("DISCONTINUITY"), head = "", gap = false, index = 0;
	/** @type {Piece[]} */
	const found = [];
	for (const line of text.split("\n")) {
		const uri = /^#EXT-X-(?:MAP|PART):.*URI="([^"]+)"/.exec(line)?.[1] || "";
		run += Number(line === "#EXT-X-DISCONTINUITY");
		gap ||= line === "#EXT-X-GAP";
		if (line.startsWith("#EXT-X-MAP"))
			head = at(uri);
		else if (uri && !/GAP=YES/.test(line))
			found.push({ number, index, run, url: at(uri), head });
		index += Number(line.startsWith("#EXT-X-PART:"));
		if (line && !line.startsWith("#")) {
			if (!gap && index === 0)
				found.push({ number, index: Infinity, run, url: at(line), head });
			number++;
			index = 0;
			gap = false;
		}
	}
	if (/CAN-BLOCK-RELOAD=YES/.test(text))
		list.next = `?_HLS_msn=${number}${/#EXT-X-PART-INF/.test(text) ? `&_HLS_part=${index}` : ""}`;
	return found;
}

// Does nothing before the playlist grows: its present segments may be of an earlier day.
/** @param {List} list */
export async function new_pieces(list) {
	const all = await pieces_of(list), newest = all[all.length - 1];
	list.newest ??= newest;
	if (!is_after(newest, list.newest))
		return [];
	const { done = all[all.length - 1 - (newest.index < Infinity ? PARTS_BEHIND : list.behind)] } = list;
	list.done = newest;
	return all.filter(one => is_after(one, done));
}

/** @param {string} vtt */
export function cues_of(vtt) {
	/** @type {Cue[]} */
	const cues = [];
	for (const block of vtt.split("\n\n")) {
		const [, h, m, s, text] = /^(\d+):(\d\d):(\S+) --> .*\n([^]*)/.exec(block) || [];
		if (text)
			cues.push({ start: Number(h) * 3600 + Number(m) * 60 + Number(s),
				text: text.trim().replace(/\n/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&") });
	}
	return cues;
}
