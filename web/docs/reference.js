// SPDX-License-Identifier: GPL-3.0-or-later
// Resolves references within an OpenAPI or AsyncAPI document.
/** The object that a reference names. @param {any} document_ @param {any} schema @returns {any} */
export function resolve(document_, schema) {
	while (schema && schema.$ref)
		schema = schema.$ref.slice(2).split("/").reduce((/** @type {any} */ at, /** @type {string} */ name) =>
			at && at[name.replace(/~1/g, "/").replace(/~0/g, "~")], document_);
	return schema || {};
}
