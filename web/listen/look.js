// SPDX-License-Identifier: GPL-3.0-or-later
// Colours, font and spacing that the reader chose: words of one attribute, which parts.css uses.
import { keep } from "../shared/dom.js";
import { load_parts } from "./parts.js";

/** Returns the chosen words: dark, light or yellow; easy; wide. */
export const look = () => (keep("ever", "look") || "").split(" ").filter(Boolean);

/** Shows the look, and keeps it. @param {string[]} [words] absent: those that are kept */
export function use_look(words = look()) {
	keep("ever", "look", words.join(" ") || null);
	document.documentElement.dataset.look = words.join(" ");
	return load_parts();
}
