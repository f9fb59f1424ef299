// SPDX-License-Identifier: GPL-3.0-or-later
// Shows lines of text. A line is a phrase. It comes in parts, may be corrected later, and may be
// shown in several languages.
import { direction_of } from "./i18n.js";
import { make } from "./dom.js";

const MOST = 300; // lines that are kept on the page

/**
 * @typedef {object} Text as the service sends it
 * @property {string} transcription_id
 * @property {string} language
 * @property {string} text
 * @property {number} [translation_part_id]
 * @property {{ start_timestamp?: number, end_timestamp?: number }[]} [segments]
 */

/**
 * @typedef {object} Line
 * @property {string} id
 * @property {HTMLElement} row
 * @property {Map<string, { element: HTMLElement, parts: string[] }>} languages
 * @property {number} start unix seconds @property {number} end
 */

export class Captions {
	/**
	 * @param {HTMLElement} list role=log: final texts only
	 * @param {HTMLElement} partial the current phrase, which screen readers do not read
	 * @param {{ most?: number, added?: (line: Line) => void, keep?: boolean }} [options]
	 *   keep: keep all lines, for a file
	 */
	constructor(list, partial, options = {}) {
		this.list = list;
		this.partial = partial;
		this.options = options;
		/** @type {Map<string, Line>} */
		this.lines = new Map();
		/** @type {{ start: number, end: number, language: string, text: () => string }[]} */
		this.kept = [];
		this.last = ""; // id of the newest final text
	}

	/** @param {Text} text */
	line_of({ transcription_id: id, segments = [] }) {
		let line = this.lines.get(id);
		if (!line) {
			const now = Date.now() / 1000, first = segments[0] || {}, last = segments[segments.length - 1] || {};
			line = { id, row: make("div", { class: "line" }), languages: new Map(), start: first.start_timestamp || now, end: last.end_timestamp || now };
			this.lines.set(id, line);
			this.list.append(line.row);
			this.trim();
		}
		return line;
	}

	trim() {
		const most = this.options.most || MOST;
		for (const [id, line] of this.lines) {
			if (this.lines.size <= most)
				break;
			line.row.remove();
			this.lines.delete(id);
		}
	}

	/**
	 * Returns the element of one language of a line. The languages are in the order of their codes.
	 * @param {Line} line @param {string} language @param {boolean} first above the others
	 */
	place_of(line, language, first) {
		let place = line.languages.get(language);
		if (!place) {
			const element = make("p", { class: first && "first", lang: language, dir: direction_of(language) === "rtl" ? "rtl" : "auto" });
			place = { element, parts: /** @type {string[]} */ ([]) };
			line.languages.set(language, place);
			const below = [...line.row.children].find(one => first || (one.className !== "first" && /** @type {HTMLElement} */ (one).lang > language));
			line.row.insertBefore(element, below || null);
			if (this.options.keep)
				this.kept.push({ start: line.start, end: line.end, language, text: () => element.textContent || "" });
		}
		return place;
	}

	/**
	 * Adds a final text: a new line, a part of a line, or a correction.
	 * @param {Text} text @param {boolean} [first] the original, above its translations
	 * @param {boolean} [beside] beside the text whose current phrase is shown
	 */
	add(text, first = false, beside = first) {
		const line = this.line_of(text), place = this.place_of(line, text.language, first);
		place.parts[text.translation_part_id || 0] = text.text;
		const whole = place.parts.filter(Boolean).join(" ");
		if (place.element.textContent !== whole)
			place.element.textContent = whole;
		if (!beside) {
			this.last = text.transcription_id;
			this.partial.textContent = "";
		}
		if (this.options.added)
			this.options.added(line);
	}

	/** Shows the current phrase. @param {Text} text */
	show_partial(text) {
		this.partial.lang = text.language;
		this.partial.dir = direction_of(text.language) === "rtl" ? "rtl" : "auto";
		this.partial.textContent = text.text;
	}

	clear() {
		this.lines.clear();
		this.kept = [];
		this.last = "";
		this.list.replaceChildren();
		this.partial.textContent = "";
	}
}
