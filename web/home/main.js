// SPDX-License-Identifier: GPL-3.0-or-later
// The first page: links to the other pages, and the health of the service.
import { request } from "../shared/api.js";
import { byId, fill, make } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";

/** @param {string} key */
const tell = key => fill(byId("health"), make("a", { href: "health" }, t(key)));

await load("home");
try {
	await request("GET", "health", { open: true });
	tell("home.well");
} catch {
	tell("home.ill");
	byId("health").className = "bad";
}
