// SPDX-License-Identifier: GPL-3.0-or-later
// The API documentation. Lists routes by resource; each opens with its fields, its answers, and a
// form to try it. Below are the sockets with their messages.
import { request, set_token, token } from "../shared/api.js";
import { byId, fill, make, show } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";
import { offer_ui } from "../shared/ui.js";
import { guides_section } from "./guides.js";
import { describe } from "./operation.js";
import { socket_sections } from "./sockets.js";

/**
 * @typedef {{ method: string, path: string, says: any, told: boolean }} Operation told: the service
 * sends it to webhooks
 */

/** @param {any} document_ @returns {Operation[]} */
function operations_of(document_) {
	const of = (/** @type {any} */ all, /** @type {boolean} */ told) => Object.entries(all).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, says]) => ({ method: method.toUpperCase(), path, says, told })));
	return [...of(document_.paths, false), ...of(document_.webhooks || {}, true)];
}

/** @param {any} document_ @param {Operation} operation */
function row_of(document_, operation) {
	const { method, path, says } = operation;
	const row = make("details", { id: says.operationId, "data-words": `${method} ${path} ${says.summary} ${says.operationId}`.toLowerCase() },
		make("summary", null, make("code", { class: "method" }, method), make("code", null, path), ` ${says.summary}`));
	row.addEventListener("toggle", () => {
		if (row.open && row.children.length === 1)
			row.append(describe(document_, operation));
	});
	return row;
}

/** @param {any} document_ */
function list(document_) {
	const all = operations_of(document_);
	/** @type {Map<string, string>} */
	const words = new Map(document_.tags.map((/** @type {any} */ tag) => [tag.name, tag.description]));
	const names = new Set([...words.keys(), ...all.map(({ says }) => says.tags[0])]);
	const sections = [...names].map(name => {
		const mine = all.filter(({ says }) => says.tags[0] === name);
		return mine.length > 0 && make("section", null, make("h2", null, name),
			make("p", { class: "soft" }, words.get(name)), ...mine.map(one => row_of(document_, one)));
	});
	fill(byId("routes"), ...sections);
}

/** Without a description of the sockets or the guides, the page stays as it is. */
async function list_others() {
	const { whole } = await request("GET", "asyncapi.json", { open: true });
	byId("routes").append(...socket_sections(whole), await guides_section());
}

function find() {
	const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
	for (const section of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#routes section"))) {
		const rows = /** @type {HTMLElement[]} */ ([...section.querySelectorAll("[data-words]")]);
		for (const row of rows)
			row.hidden = words.length === 0 ? row.dataset.part !== undefined
				: !words.every((/** @type {string} */ word) => (row.dataset.words || "").includes(word));
		section.hidden = rows.every(row => row.hidden);
	}
}

function open_named() {
	const row = document.getElementById(location.hash.slice(1));
	if (row instanceof HTMLDetailsElement) {
		row.open = true;
		row.scrollIntoView();
	}
}

await load("docs");
offer_ui(byId("ui"));
byId("token").value = token() || "";
byId("token").oninput = () => set_token(byId("token").value.trim() || null);
byId("credential").onsubmit = (/** @type {Event} */ event) => event.preventDefault();
byId("search").oninput = find;
addEventListener("hashchange", open_named);
try {
	const { whole } = await request("GET", "openapi.json", { open: true });
	fill(byId("about"), ...whole.info.description.split("\n\n").slice(0, 1));
	list(whole);
	await list_others().catch(() => {});
	open_named();
} catch {
	fill(byId("routes"), t("docs.unread"));
}
fetch(new URL("docs/swagger", location.href), { method: "HEAD" }).then(answer => show("swagger", answer.ok), () => {});
