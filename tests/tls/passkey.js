// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node passkey.js BASE SECRET
//
// Adds a passkey in Chromium, with an authenticator of its own, and signs in with it.  SECRET
// is that of a sign-in link.  Prints the name of the member that has signed in.
const { Chromium } = require("../browser/chromium.js");

const [base, secret] = process.argv.slice(2);

// Runs in the page.
async function add_and_sign_in(link) {
	const call = async (path, data, token) => {
		const answer = await fetch(path, { method: data ? "POST" : "GET", body: data && JSON.stringify({ data }),
			headers: { "Content-Type": "application/json", ...token && { Authorization: `Bearer ${token}` } } });
		const { data: is, errors } = await answer.json();
		if (errors)
			throw new Error(`${path}: ${errors[0].detail}`);
		return is;
	};
	const { token } = await call("/auth/token", { link });
	const offer = await call("/auth/passkey/options", {}, token);
	const made = await navigator.credentials.create({
		publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(offer.public_key) });
	await call("/auth/passkey", { name: "Chromium", passkey: made.toJSON() }, token);

	const again = await call("/auth/passkey/options", {});
	const got = await navigator.credentials.get({
		publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(again.public_key) });
	const session = await call("/auth/token", { passkey: got.toJSON(), remember: true });
	const [one] = await call("/auth/passkeys", undefined, session.token);
	return `${one.name}, ${(await call("/auth/me", undefined, session.token)).member.role}`;
}

async function main() {
	const browser = new Chromium("/dev/null"), page = await browser.page();

	try {
		await page.send("Security.setIgnoreCertificateErrors", { ignore: true });
		await page.send("WebAuthn.enable");
		await page.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2",
			transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true } });
		await page.open(`${base}/console/`);
		console.log(await page.ask(`(${add_and_sign_in})(${JSON.stringify(secret)})`));
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error.message);
	process.exitCode = 1;
});
