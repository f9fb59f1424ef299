// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Prints rows for the runner: one for each check of a driver.
const nap = ms => new Promise(done => setTimeout(done, ms));

async function run(checks, after = async () => {}) {
	for (const [what, check] of Object.entries(checks)) {
		const late = nap(60000).then(() => { throw new Error("takes longer than 60 s"); });
		try {
			await Promise.race([check(), late]);
			console.log(`${what}|passed`);
		} catch (error) {
			console.error(error);
			console.log(`${what}|failed: ${String(error.message || error).replace(/\s+/g, " ").slice(0, 300)}`);
			process.exitCode = 1;
		}
	}
	await after();
	process.exit();
}

module.exports = { nap, run };
