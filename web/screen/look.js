// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the look of the screen from the fragment of the address, which the console's look builder
// writes: l size lines font color box x y align safe layout theme bg idle pause original logo qr
// delay. docs/pages.md has their values. A value that is none counts as absent.

/**
 * @typedef {object} Look
 * @property {string[]} languages 1 to 3
 * @property {number} size factor of the letters
 * @property {number} lines of each language
 * @property {number} delay seconds
 * @property {boolean} qr
 * @property {string} logo address, of this service or data:
 * @property {boolean} idle the slide is shown before the first text
 * @property {number} pause minutes without a text after which it is shown again; 0: never
 * @property {string[]} colours of the languages, in their order
 */

/** @param {string | null} text @param {number} least @param {number} most @param {number} usual */
const between = (text, least, most, usual) => text && Number.isFinite(Number(text)) ? Math.min(most, Math.max(least, Number(text))) : usual;

/** A colour of 3, 4, 6 or 8 hexadecimal digits, or "". @param {string | null} text */
const colour = text => /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text || "") ? `#${(text || "").replace("#", "")}` : "";

/** @param {URLSearchParams} link @returns {Look} */
export function read_look(link) {
	const named = (link.get("l") || link.get("language") || "").split(",").map(code => code.trim()).filter(Boolean);
	if (link.get("original") && !named.includes("original"))
		named.push("original");
	return { languages: [...new Set(named)].slice(0, 3), size: between(link.get("size"), 0.3, 4, 1),
		lines: Math.round(between(link.get("lines"), 1, 8, 3)), delay: between(link.get("delay"), 0, 60, 0),
		qr: !!link.get("qr") && link.get("qr") !== "0", logo: link.get("logo") || "",
		idle: link.has("idle") ? link.get("idle") !== "0" : link.get("bg") !== "transparent",
		pause: between(link.get("pause"), 0, 120, 0),
		colours: (link.get("color") || "").split(",").map(colour) };
}

const FONTS = /** @type {Record<string, string>} */ ({ serif: "Georgia, 'Noto Serif', serif", mono: "ui-monospace, 'Noto Sans Mono', monospace",
	easy: "OpenDyslexic, 'Atkinson Hyperlegible', Lexend, Verdana, sans-serif" });

/** Sets the attributes and properties that screen.css uses. @param {URLSearchParams} link */
export function set_theme(link) {
	const { dataset, style } = document.documentElement, align = link.get("align");
	for (const [name, values, value] of /** @type {[string, string[], string | null][]} */ ([
		["theme", ["light", "dark"], link.get("theme")], ["bg", ["transparent"], link.get("bg")], ["layout", ["rows", "columns"], link.get("layout")],
		["x", ["start", "center", "end"], link.get("x") || (align === "center" ? align : null)],
		["y", ["top", "middle", "bottom"], link.get("y") || align]]))
		if (value && values.includes(value))
			dataset[name] = value;
	const font = link.get("font") || "", box = link.get("box"), paper = colour(link.get("bg"));
	if (/^[\w -]{1,40}$/.test(font))
		style.setProperty("--font", FONTS[font] || `"${font}", system-ui, sans-serif`);
	if (paper)
		style.setProperty("--paper", paper);
	if (box === "0" || colour(box)) {
		dataset.box = box === "0" ? "none" : "some";
		style.setProperty("--box", box === "0" ? "transparent" : colour(box));
	}
	if (link.has("safe"))
		style.setProperty("--safe", `${between(link.get("safe"), 0, 20, 5)}vmin`);
}

// Sets the size of the letters: the largest at which a line has 42 letters and each language its
// number of lines. A letter is half as wide as it is high.
/** @param {Look} look @param {number} boards */
export function letters(look, boards) {
	const columns = document.documentElement.dataset.layout === "columns", box = document.getElementById("boards");
	const style = box && getComputedStyle(box), inner = style ? [box.clientWidth, box.clientHeight] : [innerWidth, innerHeight];
	const high = inner[1] * 0.96 / (columns ? 1 : boards) / (look.lines * 1.3 + (boards > 1 ? 0.8 : 0.2));
	const wide = inner[0] / (columns ? boards : 1) / 23.5;
	return Math.max(10, Math.min(high, wide) * look.size);
}
