// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a request as a curl command and as programs.
import { c, go, java } from "./compiled.js";

/**
 * @typedef {{ name: string, value: string, file: boolean, type: string }} Part one part of a form;
 * for a file, value is its name
 */
/**
 * @typedef {{ as: "json" | "text" | "nothing" | "file", name: string }} Comes the expected answer;
 * name: file name to save it as
 */
/**
 * @typedef {object} Sample
 * @property {string} method @property {string} url
 * @property {boolean} open without a credential
 * @property {any} [json] the body @property {Part[]} [form] instead of json
 * @property {Comes} comes
 */

/** @param {string} text for a shell */
const shell_quoted = text => `'${text.replace(/'/g, "'\\''")}'`;

/** Quotes a string for programs, whose strings are written as in JSON. @param {string} text */
const quoted = text => JSON.stringify(text).replace(/[\u2028\u2029\u007f-\u009f]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/* ---- curl ---- */

/** @param {Part} part */
function curl_part({ name, value, file, type }) {
	return file ? `-F ${shell_quoted(`${name}=@"${value.replace(/[\\"]/g, "\\$&")}"${type && `;type=${type}`}`)}` :
		`--form-string ${shell_quoted(`${name}=${value}`)}`;
}

/** @param {Sample} of */
function curl({ method, url, open, json, form, comes }) {
	return [`curl -sS${comes.as === "file" ? "f" : ""} -X ${method}`,
		!open && `-H "Authorization: Bearer $KEY"`,
		json !== undefined && `-H 'Content-Type: application/json' -d ${shell_quoted(JSON.stringify(json))}`,
		...(form || []).map(curl_part),
		comes.as === "file" && `-o ${shell_quoted(comes.name)}`,
		comes.as === "nothing" && "-w '%{http_code}\\n'",
		shell_quoted(url)].filter(Boolean).join(" \\\n  ");
}

/* ---- Python ---- */

/** @param {any} value @returns {string} */
function python_value(value) {
	if (Array.isArray(value))
		return `[${value.map(python_value).join(", ")}]`;
	if (value && typeof value === "object")
		return `{${Object.entries(value).map(([name, one]) => `${quoted(name)}: ${python_value(one)}`).join(", ")}}`;
	return typeof value === "string" ? quoted(value) : value === null ? "None" :
		value === true ? "True" : value === false ? "False" : String(value);
}

/** @param {Part[]} form */
function python_form(form) {
	const one = (/** @type {Part} */ { value, file, type }) => file ?
		`(${quoted(value)}, open(${quoted(value)}, "rb")${type && `, ${quoted(type)}`})` : `(None, ${quoted(value)})`;
	return `files={${form.map(part => `${quoted(part.name)}: ${one(part)}`).join(", ")}}`;
}

/** @param {Sample} of */
function python({ method, url, open, json, form, comes }) {
	const wishes = [quoted(method), quoted(url), !open && 'headers={"Authorization": "Bearer " + os.environ["KEY"]}',
		json !== undefined && `json=${python_value(json)}`, form && python_form(form)].filter(Boolean);
	return [open ? "import requests" : "import os, requests",
		`answer = requests.request(\n    ${wishes.join(",\n    ")})`, "answer.raise_for_status()",
		{ json: "print(answer.json())", text: "print(answer.text)", nothing: "print(answer.status_code)",
			file: `open(${quoted(comes.name)}, "wb").write(answer.content)` }[comes.as]].join("\n");
}

/* ---- JavaScript ---- */

/** @param {Part[]} form */
function javascript_form(form) {
	return ["const form = new FormData();", ...form.map(({ name, value, file, type }) => file ?
		`form.append(${quoted(name)}, new Blob([await readFile(${quoted(value)})]${type && `, { type: ${quoted(type)} }`}), ${quoted(value)});` :
		`form.append(${quoted(name)}, ${quoted(value)});`)];
}

/** @param {Sample} of */
function javascript({ method, url, open, json, form, comes }) {
	const files = [form && form.some(({ file }) => file) && "readFile", comes.as === "file" && "writeFile"].filter(Boolean);
	const headers = [!open && "Authorization: `Bearer ${process.env.KEY}`", json !== undefined && '"Content-Type": "application/json"'].filter(Boolean);
	const wishes = [`method: ${quoted(method)}`, headers.length > 0 && `headers: { ${headers.join(", ")} }`,
		json !== undefined && `body: JSON.stringify(${JSON.stringify(json)})`, form && "body: form"].filter(Boolean);
	return [files.length > 0 && `import { ${files.join(", ")} } from "node:fs/promises";`,
		...form ? javascript_form(form) : [],
		`const answer = await fetch(${quoted(url)}, {\n  ${wishes.join(",\n  ")},\n});`,
		"if (!answer.ok)\n  throw new Error(await answer.text());",
		{ json: "console.log(await answer.json());", text: "console.log(await answer.text());", nothing: "console.log(answer.status);",
			file: `await writeFile(${quoted(comes.name)}, Buffer.from(await answer.arrayBuffer()));` }[comes.as]].filter(Boolean).join("\n");
}

/** @type {Record<string, (of: Sample) => string>} */
export const samples = { curl, Python: python, JavaScript: javascript, Go: go, Java: java, C: c };
