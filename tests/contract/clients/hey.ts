// SPDX-License-Identifier: GPL-3.0-or-later
// A client made by @hey-api/openapi-ts.  Usage: node hey.js BASE KEY
import assert from "node:assert/strict";
import { createEvent, createGlossary, createToken, createUploads, deleteEvent, getBalance, listGlossaries, sendFile } from "./hey-api";
import type { Event, Problem, SendFileData } from "./hey-api";
import { client } from "./hey-api/client.gen";

const [base = "", key = ""] = process.argv.slice(2);

// Set only this credential. A text for all of them would also send the key as ClientID.
const bearer = (token: string) => ({ type, scheme }: { type: string; scheme?: string }) =>
	type === "http" && scheme === "bearer" ? token : undefined;

async function main() {
	client.setConfig({ baseUrl: base, auth: bearer(key) });
	const signed = await createToken({ body: { data: { ttl_s: 600 } }, throwOnError: true });
	client.setConfig({ auth: bearer(signed.data.data.token) });

	const made = await createEvent({ throwOnError: true, body: { data: { title: "Health Forum", event_type: "online",
		utc_start_dt: "2036-01-01T08:00:00Z", utc_end_dt: "2036-01-01T09:00:00Z", target_languages: ["es", "fr"] } } });
	const event: Event = made.data.data;
	assert.equal(event.stages.map(stage => stage.name).join(), "Main stage");

	const forms = await createUploads({ throwOnError: true, body: { data: [{ filename: "talk.wav", mime_type: "audio/wav" }] } });
	const target = forms.data.data[0];
	assert(target, "there is a form");
	const body = { ...target.form_data, file: new Blob([new Uint8Array(120000)]) } as SendFileData["body"];
	const sent = await sendFile({ body, throwOnError: true, parseAs: "text" });
	assert.equal(sent.response.status, 201);

	for (let i = 0; i < 3; i++)
		await createGlossary({ throwOnError: true, body: { data: { name: `Hey ${i}`, glossary_type: "asr_hot", source_lang: "en" } } });
	const names: string[] = [];
	for (let token: string | null | undefined; token !== null;) {
		const page = await listGlossaries({ throwOnError: true, query: token ? { token } : { page_size: 2, sort: "asc" } });
		names.push(...page.data.data.items.map(one => one.name));
		token = page.data.data.next;
	}
	assert.deepEqual(names.filter(name => name.startsWith("Hey")), ["Hey 0", "Hey 1", "Hey 2"]);

	const balance = await getBalance({ throwOnError: true });
	assert(balance.data.data.credits > 0);

	const refused = await createEvent({ body: { data: { title: "x", event_type: "online",
		utc_start_dt: "2036-01-01T08:00:00Z", utc_end_dt: "2036-01-01T07:00:00Z" } } });
	const problem: Problem | undefined = refused.error?.errors?.[0];
	assert.equal(refused.response?.status, 422);
	assert.equal(problem?.error_code, 100030);
	assert.equal(problem.pointer, "/data/title");
	await deleteEvent({ path: { event_id: event.event_id }, throwOnError: true });
}

main().then(() => console.log("clients: @hey-api/openapi-ts: ok")).catch(error => {
	console.log("clients: @hey-api/openapi-ts: FAILED:", error);
	process.exitCode = 1;
});
