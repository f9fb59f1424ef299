// A form to try an operation with, and the same as a command or a program.
import { address, Problem, request, token } from "../shared/api.js";
import { fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { resolve } from "./operation.js";

/** A value that fits a schema, to begin with. @param {any} document_ @param {any} schema @param {number} [depth] @returns {any} */
function example(document_, schema, depth = 0) {
	const is = resolve(document_, schema);
	if (is.examples || "example" in is || "default" in is || is.enum)
		return is.examples ? is.examples[0] : is.example ?? is.default ?? is.enum[0];
	const type = [is.type].flat()[0];
	if (is.properties && depth < 3)
		return Object.fromEntries(Object.entries(is.properties).filter(([name]) => (is.required || []).includes(name))
			.map(([name, one]) => [name, example(document_, one, depth + 1)]));
	/** @type {Record<string, any>} */
	const plain = { array: [], object: {}, integer: is.minimum ?? 0, number: is.minimum ?? 0, boolean: false, string: "" };
	return type in plain ? plain[type] : null;
}

/** @param {string} text for a shell */
const quoted = text => `'${text.replace(/'/g, "'\\''")}'`;

/** @param {string} method @param {string} url @param {string} body */
function samples(method, url, body) {
	const json = body && JSON.stringify(JSON.parse(body));
	return {
		curl: `curl -sS -X ${method} -H "Authorization: Bearer $KEY"${json ?
			` -H 'Content-Type: application/json' -d ${quoted(json)}` : ""} ${quoted(url)}`,
		Python: `import json, os, urllib.request\nrequest = urllib.request.Request(${JSON.stringify(url)}, method="${method}",\n` +
			`    headers={"Authorization": "Bearer " + os.environ["KEY"], "Content-Type": "application/json"}` +
			`${json ? `,\n    data=${JSON.stringify(json)}.encode()` : ""})\nprint(json.load(urllib.request.urlopen(request)))`,
		JavaScript: `const answer = await fetch(${JSON.stringify(url)}, { method: "${method}",\n` +
			`  headers: { Authorization: \`Bearer \${process.env.KEY}\`, "Content-Type": "application/json" }` +
			`${json ? `,\n  body: ${JSON.stringify(json)}` : ""} });\nconsole.log(await answer.json());`,
	};
}

/** @param {any} document_ @param {import("./main.js").Operation} operation @param {any} input */
export function trial(document_, { method, path, says }, input) {
	const fields = (says.parameters || []).map((/** @type {any} */ one) => resolve(document_, one))
		.filter((/** @type {any} */ one) => one.in === "path" || one.in === "query")
		.map((/** @type {any} */ one) => ({ one, field: make("input", { name: one.name, required: one.required, autocomplete: "off" }) }));
	const takes_json = says.requestBody && (resolve(document_, says.requestBody).content || {})["application/json"];
	const body = takes_json && make("textarea", { rows: 8, spellcheck: false,
		value: JSON.stringify({ data: example(document_, input) }, null, 2) });
	const answer = make("pre", { class: "answer", hidden: true, tabIndex: 0, role: "group", "aria-label": t("docs.answer") });
	const code = make("pre", { tabIndex: 0, role: "group", "aria-label": t("docs.samples") });
	let shown = "curl";

	const at = () => fields.reduce((/** @type {{ path: string, query: Record<string, string> }} */ to, /** @type {any} */ { one, field }) => {
		if (one.in === "path")
			to.path = to.path.replace(`{${one.name}}`, field.value ? encodeURIComponent(field.value) : `{${one.name}}`);
		else
			to.query[one.name] = field.value;
		return to;
	}, { path, query: {} });
	const show_code = () => {
		const to = at();
		try {
			const all = /** @type {Record<string, string>} */ (samples(method, address(to.path, to.query), body ? body.value : ""));
			fill(code, all[shown]);
		} catch {
			fill(code, t("docs.nojson"));
		}
	};
	const send = async () => {
		const to = at();
		answer.hidden = false;
		fill(answer, "…");
		try {
			const { status, whole } = await request(method, to.path, { query: to.query,
				body: body ? body.value : undefined, type: body ? "application/json" : undefined });
			fill(answer, `${status}\n${JSON.stringify(whole, null, 2)}`);
		} catch (error) {
			const { status, errors } = /** @type {Problem} */ (error);
			fill(answer, `${status}\n${JSON.stringify(errors, null, 2)}`);
		}
	};
	const form = make("form", { oninput: show_code, onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), send()) },
		make("h3", null, t("docs.try")),
		...fields.map((/** @type {any} */ { one, field }) => make("label", null, `${one.name} (${one.in})`, field)),
		body && make("label", null, t("docs.body"), body),
		make("div", { class: "row" }, make("button", { class: "strong" }, t("docs.send")),
			...["curl", "Python", "JavaScript"].map(name => make("button", { type: "button",
				onclick: () => (shown = name, show_code()) }, name))));
	show_code();
	return make("div", null, form, !token() && says.security === undefined && make("p", { class: "soft" }, t("docs.needs")), code, answer);
}
