// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the look of the screen from the fragment of the address: l size lines theme align bg layout
// original logo qr delay.

/**
 * @typedef {object} Look
 * @property {string[]} languages 1 to 3
 * @property {number} size factor of the letters
 * @property {number} lines of each language
 * @property {number} delay seconds
 * @property {boolean} qr
 * @property {string} logo address, of this service or data:
 */

/** @param {string | null} text @param {number} least @param {number} most @param {number} usual */
const between = (text, least, most, usual) => text && Number.isFinite(Number(text)) ? Math.min(most, Math.max(least, Number(text))) : usual;

/** @param {URLSearchParams} link @returns {Look} */
export function read_look(link) {
	const named = (link.get("l") || link.get("language") || "").split(",").map(code => code.trim()).filter(Boolean);
	if (link.get("original") && !named.includes("original"))
		named.push("original");
	return { languages: [...new Set(named)].slice(0, 3), size: between(link.get("size"), 0.3, 4, 1),
		lines: Math.round(between(link.get("lines"), 1, 8, 3)), delay: between(link.get("delay"), 0, 60, 0),
		qr: !!link.get("qr") && link.get("qr") !== "0", logo: link.get("logo") || "" };
}

/** Sets the attributes that style.css uses. @param {URLSearchParams} link */
export function set_theme(link) {
	const { dataset } = document.documentElement;
	for (const [name, values] of Object.entries({ theme: ["light", "dark"], align: ["top", "bottom", "center"],
		bg: ["transparent"], layout: ["rows", "columns"] })) {
		const value = link.get(name);
		if (value && values.includes(value))
			dataset[name] = value;
	}
}

// Sets the size of the letters: the largest at which a line has 42 letters and each language its
// number of lines. A letter is half as wide as it is high.
/** @param {Look} look @param {number} boards */
export function letters(look, boards) {
	const columns = document.documentElement.dataset.layout === "columns";
	const high = innerHeight * 0.94 / (columns ? 1 : boards) / (look.lines * 1.3 + 0.2);
	const wide = innerWidth * 0.96 / (columns ? boards : 1) / 23.5;
	return Math.max(10, Math.min(high, wide) * look.size);
}
