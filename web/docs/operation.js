// SPDX-License-Identifier: GPL-3.0-or-later
// One operation: its input, its output, and a form to try it.
import { make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { resolve } from "./reference.js";
import { trial } from "./trial.js";

/** @param {any} document_ @param {any} schema @returns {string} */
function type_of(document_, schema) {
	if (schema.$ref)
		return schema.$ref.split("/").pop();
	const parts = schema.anyOf || schema.oneOf;
	if (parts)
		return parts.map((/** @type {any} */ one) => type_of(document_, one)).join(" | ");
	if ("const" in schema)
		return JSON.stringify(schema.const);
	if (schema.enum)
		return schema.enum.map((/** @type {any} */ one) => JSON.stringify(one)).join(" | ");
	const names = [schema.type].flat().filter(Boolean).join(" | ") || "any";
	return schema.items ? `${names} of ${type_of(document_, schema.items)}` : names;
}

/** @param {any} schema */
function limits_of(schema) {
	const pairs = [["minLength", "maxLength"], ["minimum", "maximum"], ["minItems", "maxItems"]];
	const [low, high] = pairs.find(([one, other]) => one in schema || other in schema) || [];
	const range = low && high ? `${schema[low] ?? ""}..${schema[high] ?? ""}` : "";
	return [schema.format, range, "default" in schema && `= ${JSON.stringify(schema.default)}`].filter(Boolean).join(", ");
}

/**
 * Makes a row for each field; the fields of an object follow it.
 * @param {any} document_ @param {any} schema @param {string} [at] @param {number} [depth]
 * @returns {HTMLTableRowElement[]}
 */
function rows_of(document_, schema, at = "", depth = 0) {
	const { properties = {}, required = [], additionalProperties: others } = resolve(document_, schema);
	return Object.entries(others && others.properties ? { ...properties, "*": others } : properties).flatMap(([name, one]) => {
		const is = resolve(document_, one), inner = resolve(document_, is.items || is);
		const row = make("tr", null,
			make("td", null, make("code", null, at + name), required.includes(name) && " *"),
			make("td", null, type_of(document_, one)), make("td", null, limits_of(is)),
			make("td", null, is.description));
		return [row, ...depth < 3 && (inner.properties || inner.additionalProperties) ?
			rows_of(document_, inner, `${at}${name}${is.items ? "[]" : ""}.`, depth + 1) : []];
	});
}

/** @param {any} document_ @param {string} title @param {any} schema */
export function fields(document_, title, schema) {
	const rows = rows_of(document_, schema);
	return rows.length > 0 && [make("h3", null, title), make("table", null, make("tbody", null, ...rows))];
}

/** @param {any} document_ @param {any} says */
function parameters(document_, says) {
	const all = (says.parameters || []).map((/** @type {any} */ one) => resolve(document_, one));
	return all.length > 0 && [make("h3", null, t("docs.parameters")), make("table", null, make("tbody", null,
		...all.map((/** @type {any} */ one) => make("tr", null,
			make("td", null, make("code", null, one.name), one.required && " *"), make("td", null, one.in),
			make("td", null, type_of(document_, one.schema || {})), make("td", null, one.description)))))];
}

/** @param {any} document_ @param {any} says */
function answers(document_, says) {
	return [make("h3", null, t("docs.answers")), make("table", null, make("tbody", null,
		...Object.entries(says.responses).map(([status, one]) => make("tr", null,
			make("td", null, make("code", null, status)), make("td", null, resolve(document_, one).description)))))];
}

/** @param {any} document_ @param {any} content @returns {any} the schema of data */
function data_of(document_, content) {
	const json = content && content["application/json"];
	const whole = resolve(document_, json && json.schema);
	const part = (whole.allOf || [whole]).map((/** @type {any} */ one) => resolve(document_, one))
		.find((/** @type {any} */ one) => one.properties && one.properties.data);
	return part ? resolve(document_, part.properties.data) : whole;
}

/** @param {any} document_ @param {import("./main.js").Operation} operation */
export function describe(document_, operation) {
	const { says } = operation;
	const input = data_of(document_, resolve(document_, says.requestBody).content);
	const good = Object.keys(says.responses).find(status => status < "300") || "200";
	const output = data_of(document_, resolve(document_, says.responses[good]).content);
	const parts = [parameters(document_, says), fields(document_, t("docs.body"), input.items || input),
		fields(document_, t("docs.result"), output.items || output), answers(document_, says)];
	return make("div", null, make("p", null, says.description),
		...parts.filter(Boolean).flat(), !operation.told && trial(document_, operation, input));
}
