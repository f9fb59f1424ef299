// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the newest line in view unless the listener has scrolled up, and sets what a locked phone
// shows.
import { byId, show } from "../shared/dom.js";

export class Scroll {
	constructor() {
		this.at_end = true;
		byId("captions").onscroll = () => this.look();
		byId("newer").onclick = () => this.follow(true);
		new ResizeObserver(() => this.at_end && this.follow(true)).observe(byId("captions")); // a phone that is turned
	}

	look() {
		const { scrollHeight, scrollTop, clientHeight } = byId("captions");
		this.at_end = scrollHeight - scrollTop - clientHeight < 60;
		if (this.at_end)
			show("newer", false);
	}

	/** @param {boolean} [now] even when the listener has scrolled up */
	follow(now) {
		const box = byId("captions");
		if (now || this.at_end)
			box.scrollTop = box.scrollHeight;
		show("newer", !now && !this.at_end);
	}
}

export function announce() {
	if (!("mediaSession" in navigator))
		return;
	navigator.mediaSession.metadata = new MediaMetadata({ title: document.title });
	for (const action of /** @type {MediaSessionAction[]} */ (["play", "pause"]))
		navigator.mediaSession.setActionHandler(action, () => byId("pause").click());
}
