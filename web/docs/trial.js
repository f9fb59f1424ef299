// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a form to try an operation, and shows the request as a command and as programs.
import { address, token } from "../shared/api.js";
import { fill, keep, make, save } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { resolve } from "./reference.js";
import { samples } from "./samples.js";

/**
 * Returns a value that fits a schema, as a start for editing.
 * @param {any} document_ @param {any} schema @param {number} [depth] @returns {any}
 */
function example(document_, schema, depth = 0) {
	const is = { ...resolve(document_, schema), ...schema }, again = (/** @type {any} */ one) => example(document_, one, depth + 1);
	if (is.anyOf)
		return again(is.anyOf[0]);
	if (is.examples || "default" in is || is.enum)
		return is.examples ? is.examples[0] : is.default ?? is.enum[0];
	const type = [is.type].flat()[0];
	if (is.properties && depth < 4)
		return Object.fromEntries(Object.entries(is.properties).filter(([name]) => (is.required || []).includes(name))
			.map(([name, one]) => [name, again(one)]));
	/** @type {Record<string, any>} */
	const plain = { array: is.minItems ? [again(is.items)] : [], object: {}, integer: is.minimum ?? 0, number: is.minimum ?? 0, boolean: false,
		string: is.minLength ? "text" : "" };
	return type in plain ? plain[type] : null;
}

/* ---- what comes ---- */

/** @type {Record<string, string>} */
const ENDINGS = { "text/csv": "csv", "text/vtt": "vtt", "image/svg+xml": "svg" };
const TEXTS = /^(text\/(html|plain|css|javascript)|application\/(json|xml))$/;

/**
 * Returns the kind of answer to expect: if the query asks for a format, a file of that format.
 * @param {any} document_ @param {any} says @param {string | undefined} format
 * @returns {import("./samples.js").Comes}
 */
function comes(document_, says, format) {
	const good = Object.keys(says.responses).find(status => status < "300") || "200";
	const types = Object.keys(resolve(document_, says.responses[good]).content || {});
	if (types.length === 0)
		return { as: "nothing", name: "" };
	if (types.includes("application/json") && (format === "json" || types.every(type => /json|html/.test(type))))
		return { as: "json", name: "" };
	if (types.every(type => TEXTS.test(type)))
		return { as: "text", name: "" };
	return { as: "file", name: ["answer", format || ENDINGS[types[0]]].filter(Boolean).join(".") };
}

/** @param {Response} answer @param {import("./samples.js").Comes} wanted @returns {Promise<(Node | string)[]>} */
async function shown(answer, wanted) {
	const type = answer.headers.get("Content-Type") || "";
	const status = `${answer.status} ${answer.statusText}\n`;
	if (/json/.test(type))
		return [status, JSON.stringify(await answer.json(), null, 2)];
	if (!answer.ok || wanted.as !== "file")
		return [status, await answer.text()];
	const file = await answer.blob();
	const [, name] = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") || "") || [];
	return [status, make("button", { type: "button", onclick: () => save(name || wanted.name, type, file) },
		t("docs.save", { name: name || wanted.name, bytes: file.size })), /^text\//.test(type) ? `\n\n${(await file.text()).slice(0, 2000)}` : ""];
}

/* ---- what goes out ---- */

/**
 * Makes a form field: its HTML, and its part for the samples.
 * @param {any} document_ @param {any} body @param {string} name @param {any} schema
 */
function field_of(document_, body, name, schema) {
	const is = resolve(document_, schema), required = (body.schema.required || []).includes(name);
	const file = is.format === "binary" || "contentMediaType" in is;
	const type = ((body.encoding || {})[name] || {}).contentType || "";
	const input = make("input", { name, required, autocomplete: "off", ...file ? { type: "file", accept: type } : {} });
	/** @returns {import("./samples.js").Part} */
	const part = () => {
		const [chosen] = input.files || [], types = type.split(", "); // the file's own type, or the usual one
		return { name, value: file ? chosen ? chosen.name : "file" : input.value, file, type: types.find((/** @type {string} */ one) => chosen && one === chosen.type) || types[0] };
	};
	return { name, input, part, get empty() {
		return !required && input.value === "";
	} };
}

/** @param {ReturnType<typeof field_of>[]} fields */
function form_of(fields) {
	const form = new FormData();
	for (const { name, input, part } of fields.filter(one => !one.empty)) {
		const [file] = input.files || [];
		form.append(name, file ? new File([file], file.name, { type: part().type || file.type }) : input.value);
	}
	return form;
}

/** The language of samples, on all forms and for the next visit. */
let written_in = keep("ever", "samples") || "";
if (!(written_in in samples))
	written_in = "curl";

/** @param {string} name */
function choose(name) {
	keep("ever", "samples", written_in = name);
	dispatchEvent(new Event("samples"));
}

/** @param {any} document_ @param {import("./main.js").Operation} operation @param {any} input */
export function trial(document_, { method, path, says }, input) {
	const open = !!says.security && says.security.length === 0;
	const fields = (says.parameters || []).map((/** @type {any} */ one) => resolve(document_, one))
		.filter((/** @type {any} */ one) => one.in === "path" || one.in === "query")
		.map((/** @type {any} */ one) => ({ one, field: make("input", { name: one.name, required: one.required, autocomplete: "off" }) }));
	const content = says.requestBody && resolve(document_, says.requestBody).content || {};
	const json = content["application/json"];
	const body = json && make("textarea", { name: "body", rows: 8, spellcheck: false,
		value: JSON.stringify(json.example || { data: example(document_, input) }, null, 2) });
	const sent = content["multipart/form-data"];
	/** @type {ReturnType<typeof field_of>[] | undefined} */
	const parts = sent && Object.entries(sent.schema.properties).map(([name, schema]) => field_of(document_, sent, name, schema));
	const answer = make("pre", { class: "answer", hidden: true, tabIndex: 0, role: "group", "aria-label": t("docs.answer") });
	const code = make("pre", { tabIndex: 0, role: "group", "aria-label": t("docs.samples") });
	const languages = Object.keys(samples).map(name => make("button", { type: "button", onclick: () => choose(name) }, name));

	const at = () => fields.reduce((/** @type {{ path: string, query: Record<string, string> }} */ to, /** @type {any} */ { one, field }) => {
		if (one.in === "path")
			to.path = to.path.replace(`{${one.name}}`, field.value ? encodeURIComponent(field.value) : `{${one.name}}`);
		else
			to.query[one.name] = field.value;
		return to;
	}, { path, query: {} });
	const url = () => address(at().path, at().query);
	const format = (says.parameters || []).find((/** @type {any} */ one) => one.name === "format");
	const answered = () => comes(document_, says, at().query.format || format && format.schema.enum[0]);
	const show_code = () => {
		for (const one of languages)
			one.setAttribute("aria-pressed", String(one.textContent === written_in));
		try {
			fill(code, samples[written_in]({ method, url: url(), open, comes: answered(),
				json: body && body.value.trim() ? JSON.parse(body.value) : undefined,
				form: parts && parts.filter(one => !one.empty).map(one => one.part()) }));
		} catch {
			fill(code, t("docs.nojson"));
		}
	};
	const send = async () => {
		answer.hidden = false;
		fill(answer, "…");
		const json = body && body.value.trim();
		const headers = { ...token() && !open ? { Authorization: `Bearer ${token()}` } : {}, ...json ? { "Content-Type": "application/json" } : {} };
		try {
			fill(answer, ...await shown(await fetch(url(), { method, headers, cache: "no-store", body: parts ? form_of(parts) : json || undefined }), answered()));
		} catch {
			fill(answer, t("docs.unreached"));
		}
	};
	const form = make("form", { oninput: show_code, onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), send()) },
		make("h3", null, t("docs.try")),
		...fields.map((/** @type {any} */ { one, field }) => make("label", null, `${one.name} (${one.in})`, field)),
		body && make("label", null, t("docs.body"), body),
		...(parts || []).map(({ name, input }) => make("label", null, name, input)),
		make("div", { class: "row" }, make("button", { class: "strong" }, t("docs.send")),
			...languages));
	addEventListener("samples", show_code);
	show_code();
	return make("div", null, form, !token() && says.security === undefined && make("p", { class: "soft" }, t("docs.needs")), code, answer);
}
