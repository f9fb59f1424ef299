// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a request as a program in Go, Java or C.

/** @typedef {import("./samples.js").Sample} Sample @typedef {import("./samples.js").Part} Part */

/** @param {(string | string[] | false | undefined)[]} parts @param {string} [indent] */
const lines = (parts, indent = "") => parts.flat().filter(one => typeof one === "string").map(one => one && indent + one).join("\n");

/** @param {string} text @param {RegExp} odd @param {(one: string) => string} written */
const literal = (text, odd, written) => `"${text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(odd, written)}"`;

/** @param {string} one */
const escape = one => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** @param {string} text */
const go_text = text => literal(text.replace(/\p{Surrogate}/gu, "\ufffd"), /[\0-\x1f\x7f-\x9f\u2028\u2029]/g, escape);

/** ASCII, as a compiler may expect any encoding. @param {string} text */
const java_text = text => literal(text, /[^\x20-\x7e]/g, one => one === "\r" ? "\\r" : one < " " ? `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}` : escape(one));

/** @param {string} text */
const c_text = text => literal(text, /[\0-\x1f\x7f]/g, one => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`);

/** The header of a part of a form. @param {Part} part */
const disposition = ({ name, value, file }) => {
	const safe = (/** @type {string} */ text) => text.replace(/[\\"]/g, "\\$&").replace(/[\r\n]/g, " ");
	return `form-data; name="${safe(name)}"${file ? `; filename="${safe(value)}"` : ""}`;
};

/* ---- Go ---- */

/** @param {Part} part */
function go_part(part) {
	return ["part, err = form.CreatePart(textproto.MIMEHeader{", `\t"Content-Disposition": {${go_text(disposition(part))}},`,
		...part.type ? [`\t"Content-Type": {${go_text(part.type)}},`] : [], "})", "check(err)",
		...part.file ? [`content, err = os.ReadFile(${go_text(part.value)})`, "check(err)", "part.Write(content)"] : [`io.WriteString(part, ${go_text(part.value)})`]];
}

/** @param {Sample} of */
export function go({ method, url, open, json, form, comes }) {
	const body = json !== undefined ? `strings.NewReader(${go_text(JSON.stringify(json))})` : form ? "&body" : "nil";
	const imports = [form && "bytes", comes.as !== "file" && "fmt", "io", form && "mime/multipart", "net/http", form && "net/textproto",
		(!open || comes.as === "file" || form?.some(({ file }) => file)) && "os", json !== undefined && "strings"].filter(Boolean);
	return lines(["package main", "", "import (", ...imports.map(one => `\t"${one}"`), ")", "",
		"func check(err error) {", "\tif err != nil {", "\t\tpanic(err)", "\t}", "}", "", "func main() {",
		lines([form && ["var body bytes.Buffer", "form := multipart.NewWriter(&body)", "var part io.Writer", "var err error",
			...form.some(({ file }) => file) ? ["var content []byte"] : [], ...form.flatMap(go_part), "check(form.Close())"],
		`request, err := http.NewRequest(${go_text(method)}, ${go_text(url)}, ${body})`, "check(err)",
		!open && 'request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))',
		json !== undefined && 'request.Header.Set("Content-Type", "application/json")',
		form && 'request.Header.Set("Content-Type", form.FormDataContentType())',
		"answer, err := http.DefaultClient.Do(request)", "check(err)", "text, err := io.ReadAll(answer.Body)", "check(err)",
		["if answer.StatusCode >= 300 {", "\tpanic(answer.Status + \" \" + string(text))", "}"],
		comes.as === "file" ? `check(os.WriteFile(${go_text(comes.name)}, text, 0o644))` :
			`fmt.Println(${comes.as === "nothing" ? "answer.StatusCode" : "string(text)"})`], "\t"), "}"]);
}

/* ---- Java ---- */

/** @param {Part} part */
function java_part(part) {
	const head = `--boundary-of-the-form\r\nContent-Disposition: ${disposition(part)}\r\n${part.type && `Content-Type: ${part.type}\r\n`}\r\n`;
	return [`body.write(${java_text(head)}.getBytes("UTF-8"));`,
		part.file ? `body.write(Files.readAllBytes(Path.of(${java_text(part.value)})));` : `body.write(${java_text(part.value)}.getBytes("UTF-8"));`,
		'body.write("\\r\\n".getBytes());'];
}

/** @param {Sample} of */
export function java({ method, url, open, json, form, comes }) {
	const body = json !== undefined ? `ofString(${java_text(JSON.stringify(json))})` : form ? "ofByteArray(body.toByteArray())" : "noBody()";
	return lines(["import java.net.URI;", "import java.net.http.*;", (form?.some(({ file }) => file) || comes.as === "file") && "import java.nio.file.*;", "", "class Sample {",
		"    public static void main(String[] args) throws Exception {",
		lines([form && ["var body = new java.io.ByteArrayOutputStream();", ...form.flatMap(java_part), 'body.write("--boundary-of-the-form--\\r\\n".getBytes());'],
			`var request = HttpRequest.newBuilder(URI.create(${java_text(url)}))`,
			!open && '    .header("Authorization", "Bearer " + System.getenv("KEY"))',
			json !== undefined && '    .header("Content-Type", "application/json")',
			form && '    .header("Content-Type", "multipart/form-data; boundary=boundary-of-the-form")',
			`    .method(${java_text(method)}, HttpRequest.BodyPublishers.${body})`, "    .build();",
			"var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();",
			`var answer = client.send(request, HttpResponse.BodyHandlers.${comes.as === "file" ? "ofByteArray" : "ofString"}());`,
			["if (answer.statusCode() >= 300)", `    throw new Exception(${comes.as === "file" ? "new String(answer.body())" : "answer.body()"});`],
			comes.as === "file" ? `Files.write(Path.of(${java_text(comes.name)}), answer.body());` :
				`System.out.println(answer.${comes.as === "nothing" ? "statusCode" : "body"}());`], "        "), "    }", "}"]);
}

/* ---- C ---- */

/** @param {Part} part */
function c_part({ name, value, file, type }) {
	return ["part = curl_mime_addpart(form);", `curl_mime_name(part, ${c_text(name)});`,
		file ? `curl_mime_filedata(part, ${c_text(value)});` : `curl_mime_data(part, ${c_text(value)}, CURL_ZERO_TERMINATED);`,
		...type ? [`curl_mime_type(part, ${c_text(type)});`] : []];
}

/** @param {Sample} of */
export function c({ method, url, open, json, form, comes }) {
	const set = (/** @type {string} */ name, /** @type {string} */ value) => `curl_easy_setopt(curl, CURLOPT_${name}, ${value});`;
	return lines(["/* cc sample.c -lcurl */", "#include <curl/curl.h>", "#include <stdio.h>", "#include <stdlib.h>", "", "int", "main(void)", "{",
		lines(["CURL *curl = curl_easy_init();", form && ["curl_mime *form = curl_mime_init(curl);", "curl_mimepart *part;"],
			json !== undefined && 'struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");',
			comes.as === "file" && `FILE *file = fopen(${c_text(comes.name)}, "wb");`, "long status = 0;", "CURLcode code;", "",
			set("URL", c_text(url)), set("CUSTOMREQUEST", c_text(method)),
			!open && [set("HTTPAUTH", "CURLAUTH_BEARER"), set("XOAUTH2_BEARER", 'getenv("KEY")')],
			json !== undefined && [set("HTTPHEADER", "headers"), set("POSTFIELDS", c_text(JSON.stringify(json)))],
			form && [...form.flatMap(c_part), set("MIMEPOST", "form")],
			comes.as === "file" && set("WRITEDATA", "file"),
			"code = curl_easy_perform(curl);", "curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);",
			comes.as === "nothing" && 'printf("%ld\\n", status);', comes.as === "file" && "fclose(file);",
			json !== undefined && "curl_slist_free_all(headers);", form && "curl_mime_free(form);",
			"curl_easy_cleanup(curl);", "return code != CURLE_OK || status >= 300 ? EXIT_FAILURE : EXIT_SUCCESS;"], "\t"), "}"]);
}
