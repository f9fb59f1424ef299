// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Access to the tested instances and their Janus as their operator, or to an installed service of
// which only the address is known.
const assert = require("node:assert/strict");
const { execFile, execFileSync } = require("node:child_process");
const { readFileSync, readdirSync, readlinkSync } = require("node:fs");
const { join } = require("node:path");

const { BROWSER_BASE, BROWSER_INSTANCE, BROWSER_JANUS = "null", BROWSER_JANUS_INSTANCE = "null" } = process.env;
const janus = JSON.parse(BROWSER_JANUS);

const waiting = new Map(); // open requests of tests: their name and start time

function service_of(instance) {
	const base = instance.base_url;
	return {
		base,
		dir: instance.dir,
		key: instance.api_key,
		async call(method, path, data) {
			const id = Symbol(path);
			waiting.set(id, { what: `${method} ${path}`, since: Date.now() });
			try {
				const answer = await fetch(base + path, {
					method,
					headers: { Authorization: `Bearer ${instance.api_key}`,
						"Content-Type": "application/json" },
					body: data && JSON.stringify({ data }),
				});
				const text = await answer.text();
				assert.ok(answer.ok, `${method} ${path}: ${text}`);
				return text && JSON.parse(text).data;
			} finally {
				waiting.delete(id);
			}
		},
		// The address of a page with its parameters.
		page_of: (name, known = {}) =>
			`${base}/${{ listener: "listen", speaker: "speak" }[name] || name}/#${new URLSearchParams(known)}`,
	};
}

const here = service_of(BROWSER_BASE ? { base_url: BROWSER_BASE } : JSON.parse(BROWSER_INSTANCE));

// Runs the operator's command at an instance, as the user of its programs.
const operate = (dir, ...words) => {
	const as = process.getuid() === 0 ? ["setpriv", "--reuid=www-data", "--regid=www-data", "--init-groups"] : ["env"];
	return execFileSync(as[0], [...as.slice(1), `${dir}/bin/dragoman`, ...words],
		{ env: { ...process.env, DRAGOMAN_CONF: `${dir}/etc/dragoman.conf` } }).toString().trim();
};
const dragoman = (...words) => operate(here.dir, ...words);

// Creates another account at the first instance.
const new_account = name => service_of({ base_url: here.base, dir: here.dir, ...JSON.parse(dragoman("account", "add", "--name", name, "--json")) });

// Makes another instance in a folder of its own. Each call of up starts the instance, with the data
// that it had before.
function own_instance(name, ...more) {
	const dir = join(process.env.TMPDIR, name), run = words => new Promise((done, fail) =>
		execFile(join(__dirname, "../instance"), words, (error, out) => error ? fail(error) : done(out)));
	const port = execFileSync(join(__dirname, "../port")).toString().trim();
	return { up: async () => service_of(JSON.parse(await run(["up", "--keep", "--server", "lighttpd", "--port", port, "--dir", dir, ...more]))),
		down: () => run(["down", "--dir", dir]) };
}

// Sends one request to a plugin of Janus by the Admin API.
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

// Sends a signal to processes of the first instance with this name. A gateway or output that ends
// is started again.
function end_program(name, signal) {
	const mine = readdirSync("/proc").filter(pid => {
		try {
			return readlinkSync(`/proc/${pid}/exe`).startsWith(`${here.dir}/bin/${name}`);
		} catch {
			return false;
		}
	});
	assert.ok(mine.length > 0, `${name} is at work`);
	for (const pid of mine)
		process.kill(pid, signal);
}

// runs tests/janus with kill or start
const janus_run = command => execFileSync(process.env.BROWSER_JANUS_RUN, [command,
	process.env.BROWSER_JANUS_DIR]);

module.exports = { ...here, janus, janus_tell, janus_run, end_program, waiting, dragoman, operate, new_account, own_instance,
	by_janus: service_of(JSON.parse(BROWSER_JANUS_INSTANCE) || {}),
	microphone: readFileSync(process.env.BROWSER_MICROPHONE) && process.env.BROWSER_MICROPHONE };
