// SPDX-License-Identifier: GPL-3.0-or-later
// Plays stored sound, one recording at a time.
import { Problem } from "../shared/api.js";
import { fill } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";
import { button } from "./words.js";

/** @type {{ player: HTMLAudioElement, stop: () => void } | null} the current player */
let playing = null;

/** Loads sound from any storage. @param {string | Blob} url signed; or the sound itself */
async function sound_of(url) {
	if (typeof url !== "string")
		return URL.createObjectURL(url);
	const response = await fetch(url).catch(() => null);
	if (!response)
		throw new Problem(0, [{ type: "network" }]);
	if (!response.ok)
		throw new Problem(response.status, [{ type: "resource-not-found" }]);
	return URL.createObjectURL(await response.blob());
}

/** @param {AbortSignal} signal @param {string} name of the voice @param {() => Promise<string | Blob>} url */
export function play_button(signal, name, url) {
	const face = (/** @type {string} */ sign) => {
		fill(it, icon(sign));
		it.title = it.ariaLabel = t(sign === "play" ? "console.play" : "console.stop");
	};
	const it = button(t("console.play"), async () => {
		const mine = playing && it.ariaPressed === "true";
		if (playing)
			playing.stop();
		if (mine)
			return;
		const sound = await sound_of(await url()), player = new Audio(sound);
		const stop = () => {
			player.pause();
			URL.revokeObjectURL(sound);
			it.ariaPressed = "false";
			face("play");
			playing = null;
		};
		if (signal.aborted)
			return stop();
		player.onended = player.onerror = stop;
		signal.addEventListener("abort", stop);
		playing = { player, stop };
		it.ariaPressed = "true";
		face("stop");
		await player.play().catch(stop);
	}, "bare icon play", "play");
	it.ariaPressed = "false";
	it.setAttribute("aria-description", name);
	return it;
}
