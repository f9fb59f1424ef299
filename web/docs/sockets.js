// SPDX-License-Identifier: GPL-3.0-or-later
// The sockets, from /asyncapi.json: each channel with the messages of client and server.
import { address } from "../shared/api.js";
import { make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { fields } from "./operation.js";
import { resolve } from "./reference.js";

/** @param {any} document_ @param {any} channel @param {any} schema */
function query_of(document_, channel, schema) {
	const rows = schema && fields(document_, t("docs.parameters"), schema);
	return make("div", null, make("p", null, make("code", null,
		address(channel.address.slice(1)).replace(/^http/, "ws").replace(/%7B/g, "{").replace(/%7D/g, "}"))), ...rows || []);
}

/** @param {any} document_ @param {any} message */
function describe_message(document_, message) {
	const schema = resolve(document_, message.payload);
	const { data } = schema.properties || {};
	return make("div", null, make("p", null, message.description),
		...(message.examples || []).map((/** @type {any} */ one) =>
			make("pre", { tabIndex: 0, role: "group", "aria-label": message.name }, JSON.stringify(one.payload, null, 2))),
		...fields(document_, t("docs.body"), data || schema) || []);
}

/** @param {any} document_ @param {string} name @param {string} id @param {any} message @param {string} way */
function row_of_message(document_, name, id, message, way) {
	const row = make("details", { id: `${name}-${id}`, "data-words": `${way} ${name} ${message.name} ${message.summary}`.toLowerCase() },
		make("summary", null, make("code", { class: "method" }, way), make("code", null, message.name), ` ${message.summary}`));
	row.addEventListener("toggle", () => {
		if (row.open && row.children.length === 1)
			row.append(describe_message(document_, message));
	});
	return row;
}

/** Makes a section for each channel. @param {any} document_ */
export function socket_sections(document_) {
	return Object.entries(document_.channels).map(([name, channel]) => {
		const rows = ["receive", "send"].flatMap(action => Object.values(document_.operations)
			.filter((/** @type {any} */ one) => one.action === action && one.channel.$ref === `#/channels/${name}`)
			.flatMap((/** @type {any} */ one) => one.messages)
			.map((/** @type {{ $ref: string }} */ one) => row_of_message(document_, name, one.$ref.split("/").pop() || "",
				resolve(document_, one), t(action === "receive" ? "docs.sent" : "docs.received"))));
		return make("section", null, make("h2", null, `WebSocket: ${channel.title}`),
			make("p", { class: "soft" }, channel.description),
			query_of(document_, channel, channel.bindings.ws.query), ...rows);
	});
}
