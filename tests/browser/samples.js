// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The documentation's forms and code samples. Each operation is executed; each sample must be valid
// for its interpreter with any input, and one sample of each kind must do the same as its form.
const assert = require("node:assert/strict");
const { execFile, execFileSync } = require("node:child_process");
const { mkdtempSync, readFileSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { promisify } = require("node:util");
const { base, dir } = require("./service.js");

const run = promisify(execFile);
const ODD = "It's \"no\" $HOME `date` \\ \u2028 é日 {x}";
const ID = "00000000-0000-4000-8000-000000000000";
const SUFFIX = { curl: "sh", Python: "py", JavaScript: "mjs", Go: "go", Java: "java", C: "c" };
const PROGRAMS = { curl: "sh sample.sh", Python: "/usr/bin/python3 sample.py", JavaScript: `${process.execPath} sample.mjs`, Go: "go run sample.go",
	Java: "java sample.java", C: "cc -Wall -Wextra -Werror -o sample sample.c -lcurl && ./sample" };

// Each case has an account of its own, because some operations delete all records.
function account() {
	const { api_key } = JSON.parse(execFileSync(`${dir}/bin/dragoman`, ["account", "add", "--name", "Docs", "--json"],
		{ env: { ...process.env, DRAGOMAN_CONF: `${dir}/etc/dragoman.conf` } }));
	return { key: api_key, async call(method, path, data) {
		const answer = await fetch(base + path, { method, headers: { Authorization: `Bearer ${api_key}`, "Content-Type": "application/json" },
			body: data && JSON.stringify({ data }) });
		assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
		return (await answer.json()).data;
	} };
}

const operations = async () => Object.values((await (await fetch(`${base}/openapi.json`)).json()).paths)
	.flatMap(item => Object.values(item)).map(({ operationId }) => operationId);

// Runs in the page: fills a form in, reads its samples, and sends the form.
const HELP = `window.row = id => { const row = document.getElementById(id); row.open = true; return row; };
	window.fill_in = async (id, values, all) => {
		for (let i = 0; i < 100 && !row(id).querySelector("form"); i++)
			await new Promise(done => setTimeout(done, 20));
		const form = row(id).querySelector("form");
		for (const field of form.querySelectorAll("input, textarea")) {
			const value = values[field.name || "body"] ?? (field.required || all ? all ?? values["*"] : undefined);
			if (field.type === "file") {
				const data = new DataTransfer();
				data.items.add(new File([values.content || "a,b\\n"], value || "terms.csv"));
				field.files = data.files;
			} else if (value !== undefined)
				field.value = field.name === "body" && all ? JSON.stringify({ data: { [all]: [all, 1, true, null] } }) : value;
		}
		form.dispatchEvent(new Event("input"));
		return form;
	};
	window.samples_of = async (id, values, all) => {
		const form = await fill_in(id, values, all), code = form.parentElement.querySelector("pre:not(.answer)");
		return Object.fromEntries([...form.querySelectorAll("button[type=button]")].map(button => (button.click(), [button.textContent, code.textContent])));
	};
	window.answer_of = async (id, values) => {
		const form = await fill_in(id, values), answer = form.parentElement.querySelector(".answer"), empty = form.querySelector(":invalid");
		if (empty)
			return "no value of " + empty.name;
		answer.replaceChildren();
		form.querySelector("button.strong").click();
		for (let i = 0; i < 1000 && /^(…|)$/.test(answer.textContent); i++)
			await new Promise(done => setTimeout(done, 20));
		return answer.textContent;
	}`;

async function open(browser, key) {
	const page = await (await browser.page()).open(`${base}/docs`);
	await page.until("document.querySelectorAll('details').length > 50", 10);
	await page.ask(`${HELP}; token.value = ${JSON.stringify(key)}, token.dispatchEvent(new Event("input"))`);
	return page;
}

const ask = (page, what, ...of) => page.ask(`${what}(${of.map(one => JSON.stringify(one)).join()})`);

async function samples_can_be_read_by_their_interpreters(browser) {
	const page = await open(browser, account().key), folder = mkdtempSync(join(tmpdir(), "samples-"));
	const all = [];
	for (const id of await operations())
		for (const [how, text] of [["plain", undefined], ["odd", ODD]])
			for (const [language, sample] of Object.entries(await ask(page, "samples_of", id, {}, text))) {
				const file = join(folder, `${id}-${how}.${SUFFIX[language]}`);
				writeFileSync(file, sample.replace("class Sample", `class ${id}_${how}`));
				all.push(file);
			}
	const of = suffix => all.filter(file => file.endsWith(suffix));
	assert.deepEqual(Object.values(SUFFIX).map(one => of(`.${one}`).length), Array(6).fill((await operations()).length * 2));
	for (const file of of(".sh"))
		await run("sh", ["-n", file]);
	await run("python3", ["-c", "import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name)", ...of(".py")]);
	for (const file of of(".mjs"))
		await run(process.execPath, ["--check", file]);
	await run("gofmt", ["-e", "-l", ...of(".go")]);
	await run("javac", ["-proc:none", "-encoding", "US-ASCII", "-d", folder, ...of(".java")]);
	await run("cc", ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", ...of(".c")]);
	assert.deepEqual(page.complaints, []);
}

// Runs a sample; returns its output and the files in its folder.
async function result_of(sample, language, key, files = {}) {
	const folder = mkdtempSync(join(tmpdir(), "sample-"));
	for (const [name, text] of Object.entries({ ...files, [`sample.${SUFFIX[language]}`]: sample }))
		writeFileSync(join(folder, name), text);
	const { stdout } = await run("sh", ["-c", PROGRAMS[language]], { cwd: folder, env: { ...process.env, KEY: key } });
	return { stdout: stdout.trim(), file: name => readFileSync(join(folder, name), "utf8") };
}

async function samples_do_the_same_as_the_form(browser) {
	const { key, call } = account(), page = await open(browser, key);
	const each = async (id, values, look) => {
		for (const language of Object.keys(SUFFIX))
			await look(await result_of((await ask(page, "samples_of", id, await values()))[language], language, key));
	};
	const event = { title: ODD, event_type: "in-person", utc_start_dt: new Date().toISOString(), utc_end_dt: new Date(Date.now() + 3600000).toISOString() };
	await each("createEvent", () => ({ body: JSON.stringify({ data: event }) }), ({ stdout }) => assert.match(stdout, /lifecycle_status/));
	const events = await call("GET", "/saas/v2/events");
	assert.deepEqual(events.map(one => one.title), Object.keys(SUFFIX).map(() => ODD));

	await each("deleteSession", async () => ({ session_id: (await call("POST", "/session-storage/session")).id }),
		({ stdout }) => assert.equal(stdout, "204"));

	const glossary = { name: "Terms", glossary_type: "translation", source_lang: "en", target_lang: "es" };
	const { glossary_id } = await call("POST", "/saas/glossary", glossary);
	const name = "my \"own\" terms.csv";
	const texts = await ask(page, "samples_of", "uploadGlossaryFile", { glossary_id, file: name });
	for (const [language, sample] of Object.entries(texts)) {
		const made = await call("POST", "/saas/glossary", { ...glossary, name: `Terms of ${language}` });
		const { stdout } = await result_of(sample.replaceAll(glossary_id, made.glossary_id), language, key, { [name]: "hall,sala\n" });
		assert.match(stdout, /entries_status/);
		for (const [other, get] of Object.entries(await ask(page, "samples_of", "getGlossaryFile", { glossary_id: made.glossary_id })))
			assert.equal((await result_of(get, other, key)).file("answer.csv"), "hall,sala\n", `${language}, ${other}`);
	}
	await each("getEventQrCode", () => ({ event_id: events[0].event_id }), ({ file }) => assert.match(file("answer.svg"), /^<svg|<\?xml/));
	await each("getHealth", () => ({}), ({ stdout }) => assert.match(stdout, /workers/));
	await page.open(`${base}/docs`);
	await page.until("document.getElementById('getHealth')", 10, "the page");
	await page.ask("document.getElementById('getHealth').open = true");
	await page.until(`document.querySelector("#getHealth [aria-pressed=true]")?.textContent === "C"`, 10, "the language that was chosen last");
	assert.deepEqual(page.complaints, []);
}

// Creates one record of each kind; the names are those of path parameters.
async function things({ call }) {
	const hour = n => new Date(Date.now() + n * 3600000).toISOString();
	const { event_id, join_code } = await call("POST", "/saas/v2/event", { title: "Forum", event_type: "online", utc_start_dt: hour(-1), utc_end_dt: hour(1),
		transcript: "public", listener_language_mode: "approval" });
	const { channel_id } = await call("POST", "/saas/channel", { type: "event", event_id, name: "Main", source_language: "en", target_languages: ["es", "de"] });
	const { request_id } = await call("POST", `/saas/v2/event/public/${event_id}/requests`, { type: "add_language", payload: { language: "fr" } });
	const { glossary_id } = await call("POST", "/saas/glossary", { name: "Terms", glossary_type: "translation", source_lang: "en", target_lang: "es" });
	const { id: session_id } = await call("POST", "/session-storage/session");
	const { key_id } = await call("POST", "/saas/key", { name: "Other", scopes: ["balance:read"] });
	const { member_id } = await call("POST", "/saas/member", { name: "Ada", role: "desk" });
	const [{ voice_id }] = (await call("GET", "/saas/voice/builtin")).items;
	const { webhook_id } = await call("POST", "/saas/webhook", { url: "https://example.org/", events: ["*"] });
	const [{ url, form_data }] = await call("POST", "/saas/upload", [{ filename: "terms.wav", mime_type: "audio/wav" }]);
	assert.equal(url, `${base}/blobs`);
	return { event_id, join_code, channel_id, request_id, glossary_id, session_id, key_id, member_id, voice_id, webhook_id, ...form_data,
		blob_id: ID, delivery_id: ID, recording_id: ID, passkey_id: ID, sign_in_id: ID, resource_id: ID, speaker_code: "none", transcription_id: "none", language: "es", guide: "quickstart",
		line_id: "1", ttl_seconds: "60", slug: "resource-not-found", folder: "docs", file: "terms.wav",
		content: "a,b\n".repeat(50000) };
}

// Operations that new records refuse: there is no line, held text, delivery, recording or file yet,
// the example's language already exists, the request is already approved, a built-in voice cannot
// be changed, no speaker has this link, and passkeys need https. WHIP, WHEP and listeners of HLS take
// the tokens of a channel, not keys.
const REFUSED = { getMetrics: 403, createTtsSample: 403, updateVoice: 403, deleteVoice: 403, getPageFile: 404, correctTranscriptLine: 404,
	getPublicTranscript: 404, redeliverWebhookMessage: 404, getWebhookDelivery: 404, settleWebhookMessage: 404, pullWebhookMessage: 409, getFile: 404, deleteFile: 404, deleteChannelRecording: 404, requestLanguage: 409,
	rejectLanguageRequest: 409, decideHeldText: 404, openSpeakerLink: 404, refreshToken: 401, getPasskeyOptions: 404, createPasskey: 404, listPasskeys: 403,
	deletePasskey: 403, deleteSignIn: 404, readWorkbook: 415, // the file is CSV
	publishByWhip: 401, restartWhip: 404, endWhip: 404, playByWhep: 401, restartWhep: 404, endWhep: 404, reportHlsListener: 401 };

async function every_operation_can_be_tried(browser) {
	const mine = account(), page = await open(browser, mine.key), values = await things(mine);
	const all = await operations();
	// The session ends soon after extendSession has been tried.
	const ends = id => /^(delete(?!Session$)|revoke)/.test(id) + (id === "deleteEvent"); // including its parts
	const answers = {};
	for (const id of [...all.filter(id => !ends(id)), ...all.filter(ends).reverse().sort((one, other) => ends(one) - ends(other))])
		answers[id] = await ask(page, "answer_of", id, values);
	const wrong = Object.entries(answers).filter(([id, text]) => REFUSED[id] ? !text.startsWith(REFUSED[id]) : !/^20[0-4] /.test(text));
	assert.deepEqual(wrong.map(([id, text]) => [id, text.slice(0, 100)]), []);
	assert.match(answers.getGlossaryFile.slice(0, 100), /^200 .*Save .*\(200,?000 bytes\)\s+a,b/s);
}

samples_can_be_read_by_their_interpreters.most = samples_do_the_same_as_the_form.most = 480000; // ms; compilers take two minutes and more

module.exports = { cases: [samples_can_be_read_by_their_interpreters, samples_do_the_same_as_the_form, every_operation_can_be_tried] };
