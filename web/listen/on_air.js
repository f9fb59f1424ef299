// SPDX-License-Identifier: GPL-3.0-or-later
// Decides whether a hall is live, by the service's reports and by received sound and texts.

/** @typedef {"connecting" | "waiting" | "live" | "break" | "over"} State */

export class OnAir {
	constructor() {
		/** @type {State} */
		this.state = "connecting";
		this.told = ""; // state that the service reported: live, break
		this.was_live = false; // speech was received since
	}

	/** Handles a reported state of the channel. @param {string} told */
	take(told) {
		this.told = told;
		this.was_live ||= told === "live";
		this.state = told === "live" ? "live" : this.was_live ? "break" : "waiting";
	}

	/** Called for received speech. In a break it is the rest of the speech before. */
	heard() {
		if (this.told === "break")
			return;
		this.was_live = true;
		if (this.state === "waiting" || this.state === "break")
			this.state = "live";
	}
}
