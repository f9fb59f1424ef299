// SPDX-License-Identifier: GPL-3.0-or-later
// Whether somebody speaks: as the service says, and as what comes shows.

/** @typedef {"connecting" | "waiting" | "live" | "break" | "over"} State */

export class OnAir {
	constructor() {
		/** @type {State} */
		this.state = "connecting";
		this.told = ""; // by the service: live, break
		this.was_live = false; // somebody has spoken since
	}

	/** The channel's state. @param {string} told */
	take(told) {
		this.told = told;
		this.was_live ||= told === "live";
		this.state = told === "live" ? "live" : this.was_live ? "break" : "waiting";
	}

	/** Something that was said has come; in a break it is the rest of what was said before. */
	heard() {
		if (this.told === "break")
			return;
		this.was_live = true;
		if (this.state === "waiting" || this.state === "break")
			this.state = "live";
	}
}
