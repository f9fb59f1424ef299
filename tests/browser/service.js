"use strict";
// The instance that is tested, and the Janus beside it, as their owners speak to them.
const assert = require("node:assert/strict");
const { readFileSync, readdirSync, readlinkSync } = require("node:fs");

const instance = JSON.parse(process.env.BROWSER_INSTANCE);
const janus = JSON.parse(process.env.BROWSER_JANUS);
const base = instance.base_url;

async function call(method, path, data) {
	const answer = await fetch(base + path, {
		method,
		headers: { Authorization: `Bearer ${instance.api_key}`, "Content-Type": "application/json" },
		body: data && JSON.stringify({ data }),
	});
	const text = await answer.text();
	assert.ok(answer.ok, `${method} ${path}: ${text}`);
	return text && JSON.parse(text).data;
}

// The address of one of the pages, with what it is to know.
const page_of = (name, known = {}) =>
	`${base}/streaming-api/${name}#${new URLSearchParams(known)}`;

// One request to a plugin, by the Admin API.
async function janus_tell(plugin, request) {
	const answer = await fetch(janus.admin_url, {
		method: "POST",
		body: JSON.stringify({ janus: "message_plugin", transaction: "t",
			plugin: `janus.plugin.${plugin}`, admin_secret: janus.admin_secret,
			request: { admin_key: janus.admin_key, ...request } }),
	});
	const { response } = await answer.json();
	assert.ok(!response.error, response.error);
	return response;
}

// The gateway of this instance ends as the system would have it; the next one comes.
function end_gateway() {
	const mine = readdirSync("/proc").filter(pid => {
		try {
			return readlinkSync(`/proc/${pid}/exe`).startsWith(`${instance.dir}/bin/gateway`);
		} catch {
			return false;
		}
	});
	assert.ok(mine.length > 0, "a gateway is at work");
	for (const pid of mine)
		process.kill(pid, "SIGTERM");
}

module.exports = { instance, janus, base, call, page_of, janus_tell, end_gateway,
	microphone: readFileSync(process.env.BROWSER_MICROPHONE) && process.env.BROWSER_MICROPHONE };
