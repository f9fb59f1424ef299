// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the texts and styles of the parts that come after the first screen.
import { asset } from "../shared/api.js";
import { make } from "../shared/dom.js";
import { language, load_more } from "../shared/i18n.js";

let loaded = ""; // language of the texts

export async function load_parts() {
	if (!document.getElementById("parts_style"))
		document.head.append(make("link", { id: "parts_style", rel: "stylesheet", href: asset("listen/parts.css") }));
	if (loaded !== language())
		await load_more("listen");
	loaded = language();
}
