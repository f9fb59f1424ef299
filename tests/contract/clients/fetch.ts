// SPDX-License-Identifier: GPL-3.0-or-later
// A client made by openapi-typescript and openapi-fetch.  Usage: node fetch.js BASE KEY
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi-typescript";

const [base = "", key = ""] = process.argv.slice(2);
const client_of = (credential: string) =>
	createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${credential}` } });

async function main() {
	const signed = await client_of(key).POST("/auth/token", { body: { data: { ttl_s: 600 } } });
	assert(signed.data, "the key gives a token");
	const client = client_of(signed.data.data.token);

	const event: components["schemas"]["Event"] | undefined = (await client.POST("/saas/v2/event", { body: { data: {
		title: "Health Forum", event_type: "online",
		utc_start_dt: "2036-01-01T08:00:00Z", utc_end_dt: "2036-01-01T09:00:00Z", target_languages: ["es", "fr"] } } })).data?.data;
	assert.equal(event?.title, "Health Forum");
	assert.equal(event.stages.map(stage => stage.name).join(), "Main stage");

	const targets = (await client.POST("/saas/upload", { body: { data: [{ filename: "talk.wav", mime_type: "audio/wav" }] } })).data?.data;
	const target = targets?.[0];
	assert(target, "there is a form");
	const sent = await client.POST("/blobs", {
		body: { ...target.form_data, file: "x" } as paths["/blobs"]["post"]["requestBody"]["content"]["multipart/form-data"],
		bodySerializer: () => form_of(target.form_data), parseAs: "text" });
	assert.equal(sent.response.status, 201);
	assert.match(String(sent.data), /<Location>/);

	for (let i = 0; i < 3; i++)
		await client.POST("/saas/glossary", { body: { data: { name: `Fetch ${i}`, glossary_type: "asr_hot", source_lang: "en" } } });
	const names: string[] = [];
	for (let token: string | null | undefined; token !== null;) {
		const page = await client.GET("/saas/glossaries", { params: { query: token ? { token } : { page_size: 2, sort: "asc" } } });
		assert(page.data, "there is a page");
		names.push(...page.data.data.items.map(one => one.name));
		token = page.data.data.next;
	}
	assert.deepEqual(names.filter(name => name.startsWith("Fetch")), ["Fetch 0", "Fetch 1", "Fetch 2"]);

	const balance = (await client.GET("/payments/v2/balance")).data?.data;
	assert(balance && balance.credits > 0);

	const { error, response } = await client.POST("/saas/v2/event", { body: { data: {
		title: "x", event_type: "online", utc_start_dt: "2036-01-01T08:00:00Z", utc_end_dt: "2036-01-01T07:00:00Z" } } });
	const problem: components["schemas"]["Problem"] | undefined = error?.errors?.[0];
	assert.equal(response.status, 422);
	assert.equal(problem?.error_code, 100030);
	assert.equal(problem.pointer, "/data/title");
	await client.DELETE("/saas/v2/event/{event_id}", { params: { path: { event_id: event.event_id } } });
}

function form_of(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields))
		form.append(name, value);
	form.append("file", new Blob([new Uint8Array(120000)]), "talk.wav");
	return form;
}

main().then(() => console.log("clients: openapi-fetch: ok")).catch(error => {
	console.log("clients: openapi-fetch: FAILED:", error);
	process.exitCode = 1;
});
