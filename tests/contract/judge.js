// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Checks requests and answers with /openapi.json: finds the operation of a request, checks the
// request, and checks the answer, which may have no undescribed members.
const Ajv = require("ajv/dist/2020");
const formats = require("ajv-formats");

const METHODS = ["get", "post", "patch", "delete"];
const named = (doc, ref) => ref.split("/").slice(1).reduce((at, step) => at[step], doc);
const whole = (doc, thing) => thing && thing.$ref ? named(doc, thing.$ref) : thing;

// For answers: objects may have no undescribed members.  A part of allOf is only a part of an
// object, so it gets another name, and the whole object gets its members.
function strict(schema, part = false) {
	if (Array.isArray(schema))
		return schema.map(item => strict(item));
	if (typeof schema !== "object" || schema === null)
		return schema;
	const to = {};
	for (const [key, value] of Object.entries(schema))
		to[key] = key === "allOf" ?
			value.map(one => ({ $ref: one.$ref.replace("/schemas/", "/parts/") })) : strict(value);
	if (schema.properties && typeof schema.properties === "object" && schema.type !== undefined || schema.allOf)
		if (!part)
			to.unevaluatedProperties = false;
	return to;
}

// For requests: member names in any case, where the description allows that.
function lax(doc, schema) {
	if (Array.isArray(schema))
		return schema.map(item => lax(doc, item));
	if (typeof schema !== "object" || schema === null)
		return schema;
	if (schema["x-any-case"]) {
		const of = schema.$ref ? named(doc, schema.$ref) :
			schema.anyOf ? named(doc, schema.anyOf[0].$ref) : schema;
		const any = [...of.enum, ...(schema.anyOf ? [null] : [])];
		return { anyCase: any };
	}
	return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, lax(doc, value)]));
}

class Judge {
	constructor(doc) {
		this.doc = doc;
		this.ajv = new Ajv({ strict: false, allErrors: true });
		formats(this.ajv);
		this.ajv.addKeyword({ keyword: "anyCase", validate: (names, value) => names.some(name =>
			name === value || (typeof value === "string" && name !== null && name.toLowerCase() === value.toLowerCase())) });
		const all = Object.entries(doc.components.schemas);
		this.ajv.addSchema({ $id: "answers", components: {
			schemas: Object.fromEntries(all.map(([name, one]) => [name, strict(one)])),
			parts: Object.fromEntries(all.map(([name, one]) => [name, strict(one, true)])) } });
		this.ajv.addSchema({ $id: "requests", components: {
			schemas: Object.fromEntries(all.map(([name, one]) => [name, lax(doc, one)])) } });
		this.compiled = new Map();
		this.operations = Object.entries(doc.paths).flatMap(([path, item]) =>
			METHODS.filter(method => item[method]).map(method => this.operation(path, method, item[method])));
		// A path segment with a fixed name is preferred to one with a parameter.
		this.operations.sort((a, b) => a.names.length - b.names.length);
	}

	operation(path, method, says) {
		const names = [...path.matchAll(/\{([^}]*)\}/g)].map(match => match[1]);
		const parameters = says.parameters.map(one => whole(this.doc, one));
		// A whole path that is a code has its characters; other paths are pages.
		const form = name => path === `/{${name}}` ? parameters.find(one => one.name === name).schema.pattern.slice(1, -1) : "[^/]+";
		const pattern = new RegExp("^" + path.replace(/[.]/g, "\\.").replace(/\{([^}]*)\}/g, (_, name) => `(${form(name)})`) + "$");
		return { key: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, says, names, pattern, parameters };
	}

	find(method, target) {
		const path = target.split("?")[0];
		method = method === "HEAD" ? "GET" : method;
		return this.operations.find(one => one.method === method && one.pattern.test(path));
	}

	// Returns the faults of a value, "" when it is valid.
	faults(side, schema, value) {
		const key = side + JSON.stringify(schema);
		if (!this.compiled.has(key)) {
			const own = side === "answers" ? strict(schema) : lax(this.doc, schema);
			const text = JSON.stringify(own).replaceAll("\"#/", `"${side}#/`);
			this.compiled.set(key, this.ajv.compile(JSON.parse(text)));
		}
		const validate = this.compiled.get(key);
		return validate(value) ? "" : validate.errors.slice(0, 4).map(one =>
			`${one.instancePath} ${one.message} ${one.params.unevaluatedProperty || ""}`).join(", ");
	}

	// ---- requests ----

	// Converts a parameter's text to the type of its schema.
	value(schema, texts) {
		const type = (whole(this.doc, schema) || {}).type;
		if (type === "array")
			return texts.flatMap(text => text.split(","));
		if (texts.length > 1)
			return texts; // an enum in the wrong case is a fault, by the contract
		if (type === "boolean" && /^(true|false|[01])$/i.test(texts[0])) // in any case, as the contract has it
			return /^(true|1)$/i.test(texts[0]);
		return type === "integer" && /^-?\d+$/.test(texts[0]) ? Number(texts[0]) : texts[0];
	}

	given(operation, request) {
		const [path, query] = request.target.split("?");
		const args = operation.pattern.exec(path).slice(1);
		const asked = [...new URLSearchParams(query || "")];
		return one => one.in === "path" ? [decodeURIComponent(args[operation.names.indexOf(one.name)])] :
			one.in === "query" ? asked.filter(([name]) => name === one.name).map(([, text]) => text) :
			request.headers[one.name.toLowerCase()] || [];
	}

	parameters(operation, request) {
		const given = this.given(operation, request);
		return operation.parameters.flatMap(one => {
			const texts = given(one);
			if (texts.length === 0)
				return one.required ? [`${one.name} is missing`] : [];
			const faults = this.faults("requests", one.schema, this.value(one.schema, texts));
			return faults ? [`${one.name}: ${faults}`] : [];
		});
	}

	body(operation, { headers, body }) {
		const says = operation.says.requestBody;
		if (!says)
			return [];
		if (body.length === 0)
			return says.required ? ["there is no body"] : [];
		const type = (headers["content-type"] || ["application/json"])[0].split(";")[0].toLowerCase();
		const content = says.content[type.replace(/\/.*\+json$/, "/json")];
		if (!content)
			return [`${type} is not described`];
		if (!/json/.test(type))
			return [];
		try {
			const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
			const faults = this.faults("requests", content.schema, JSON.parse(text));
			return faults ? [faults] : [];
		} catch (error) {
			return [error.message];
		}
	}

	request(operation, request) {
		try {
			return [...this.parameters(operation, request), ...this.body(operation, request)];
		} catch (error) {
			return [error.message]; // an invalid escape sequence
		}
	}

	// ---- answers ----

	headers(says, headers) {
		return Object.entries(says.headers || {}).flatMap(([name, ref]) => {
			const one = whole(this.doc, ref), texts = headers[name.toLowerCase()];
			if (!texts)
				return one.required ? [`${name} is missing`] : [];
			const faults = texts.map(text => this.faults("answers", one.schema, this.value(one.schema, [text])));
			return faults.filter(Boolean).map(fault => `${name}: ${fault}`);
		});
	}

	content(says, { headers, body }) {
		const type = (headers["content-type"] || [""])[0].split(";")[0];
		if (!says.content)
			return body.length === 0 ? [] : [`a body (${type}) where none is described`];
		const found = says.content[type] || says.content[type.replace(/\/.*/, "/*")];
		if (!found)
			return [`${type || "no type"} is not described`];
		if (!/json$/.test(type))
			return [];
		const faults = this.faults("answers", found.schema, JSON.parse(body.toString()));
		return faults ? [faults] : [];
	}

	// An answer that no operation describes but any path may give.
	refusal(request, answer) {
		const refs = ["Problem400", "S3Error"].map(name => whole(this.doc, this.doc.components.responses[name]));
		const content = Object.assign({}, ...refs.map(one => one.content));
		return request.method === "HEAD" || answer.body.length === 0 ? [] : this.content({ content }, answer);
	}

	answer(operation, request, answer) {
		const says = whole(this.doc, operation.says.responses[answer.status]);
		if (!says)
			return ["the status is not described"];
		return [...this.headers(says, answer.headers),
			...request.method === "HEAD" ? [] : this.content(says, answer)];
	}
}

module.exports = { Judge, whole };
