// SPDX-License-Identifier: GPL-3.0-or-later
// The guides in the documentation: links to all of them, and to their headings when a search finds
// these.
import { request } from "../shared/api.js";
import { make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** @typedef {{ title: string, href: string }} Heading href: below docs/guides/ */

/** The section of the guides. */
export async function guides_section() {
	/** @type {{ whole: Heading[] }} */
	const { whole } = await request("GET", "web/docs/guides.json", { open: true });
	let guide = "", file = "";
	return make("section", null, make("h2", null, t("docs.guides")), make("ul", null, ...whole.map(({ title, href }) => {
		const first = href.split("#")[0] !== file;
		if (first)
			[guide, file] = [title, href.split("#")[0]];
		return make("li", { "data-words": `${guide} ${title}`.toLowerCase(), "data-part": first ? undefined : "", hidden: !first },
			make("a", { href: `docs/guides/${first ? file : href}` }, first ? title : `${guide}: ${title}`));
	})));
}
