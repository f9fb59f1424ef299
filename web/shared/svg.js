// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings: elements of SVG, and the icons of icons.svg.

const SVG = "http://www.w3.org/2000/svg", ICONS = new URL("../shared/icons.svg", import.meta.url).href + new URL(import.meta.url).search;

/** Makes an element of SVG. @param {string} name @param {Record<string, string | number>} attributes @param {...(Node | string)} children */
export function draw(name, attributes, ...children) {
	const it = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
	for (const [key, value] of Object.entries(attributes))
		it.setAttribute(key, String(value));
	it.append(...children);
	return it;
}

/** @param {string} name of a symbol */
export const icon = name => draw("svg", { class: "i", "aria-hidden": "true" }, draw("use", { href: `${ICONS}#${name}` }));
