// SPDX-License-Identifier: GPL-3.0-or-later
// Passkeys: the browser's own dialog signs in, instead of a link or a key (WebAuthn).
import { Problem } from "../shared/api.js";

/** True where the browser makes passkeys for this page. */
export const has_passkeys = () => location.protocol === "https:" && "parseRequestOptionsFromJSON" in (window.PublicKeyCredential || {});

/**
 * Returns the browser's answer to a challenge, for POST /auth/passkey or /auth/token.
 * @param {{ kind: string, public_key: any }} offer of POST /auth/passkey/options
 */
export async function passkey_of({ kind, public_key }) {
	try {
		const made = kind === "create" ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(public_key) }) :
			await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(public_key) });
		return /** @type {PublicKeyCredential} */ (made).toJSON();
	} catch (error) {
		throw new Problem(0, [{ type: /** @type {Error} */ (error).name === "InvalidStateError" ? "passkey-known" : "passkey-refused" }]);
	}
}
