// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node passkey.js BASE SECRET
//
// In the console, in Chromium with an authenticator of its own: adds a passkey, signs in with it,
// removes it, and is refused. SECRET is that of a sign-in link. Prints the name of the passkey and
// the role of the member that has signed in. BROWSER_AXE: check both screens by axe, too.
const assert = require("node:assert/strict");
const { Chromium } = require("../browser/chromium.js");

const [base, secret] = process.argv.slice(2);
Object.assign(process.env, { BROWSER_BASE: base, BROWSER_MICROPHONE: "/dev/null" });
const { press, shows } = require("../browser/console.js");
const { is_accessible } = require("../browser/looks.js");

const check = page => process.env.BROWSER_AXE ? is_accessible(page) : undefined;
const leave = async page => {
	await page.click("leave");
	await shows(page, "Sign in with a passkey");
};

async function add_passkey(page) {
	await page.open(`${base}/console/#link=${secret}`);
	await press(page, "Enter");
	await shows(page, "Live now");
	await page.ask("location.hash = '#/team'");
	await press(page, "Add a passkey");
	await shows(page, "Chrome · Linux");
	await press(page, "Add a passkey");
	await shows(page, "This device has a passkey of yours already.");
	await check(page);
	await leave(page);
}

async function use_passkey(page) {
	await check(page);
	await page.ask("document.querySelector('[name=remember]').click()");
	await press(page, "Sign in with a passkey");
	await shows(page, "Live now");
	assert.ok(await page.ask("localStorage.token && localStorage.refresh && !sessionStorage.token"), "it stays signed in");
	await page.ask("location.hash = '#/team'");
	await shows(page, "Last used: ");
	return page.ask("document.querySelector('.rows b').textContent + ', ' + meta.textContent.split(' · ').pop()");
}

async function remove_passkey(page, authenticatorId) {
	await press(page, "Remove Chrome · Linux");
	await press(page, "Remove", "document.querySelector('dialog[open]')");
	await page.until("!document.querySelector('.rows b[dir]')", 15, "the end of the passkey");
	await leave(page);
	await press(page, "Sign in with a passkey");
	await shows(page, "is wrong or has expired");
	await page.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false }); // a wrong finger
	await press(page, "Sign in with a passkey");
	await shows(page, "No passkey was used");
}

async function main() {
	const browser = new Chromium("/dev/null"), page = await browser.page();

	try {
		await page.send("Security.setIgnoreCertificateErrors", { ignore: true });
		await page.send("WebAuthn.enable");
		const { authenticatorId } = await page.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2",
			transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true } });
		await add_passkey(page);
		const told = await use_passkey(page);
		await remove_passkey(page, authenticatorId);
		console.log(told);
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error.message);
	process.exitCode = 1;
});
