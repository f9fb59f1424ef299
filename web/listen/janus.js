// SPDX-License-Identifier: GPL-3.0-or-later
// Plays the mountpoints of a Janus: one for each language except the original.
import { Janus, nap } from "../shared/janus.js";

export class Mountpoints {
	/** @param {import("./way.js").Way} way @param {() => void} changed called when the link is
	   made or lost
	 * @param {(text: string) => void} complain
	 */
	constructor(way, changed, complain) {
		this.way = way;
		this.changed = changed;
		this.complain = complain; // reports lost sound; "" when it is back
		/** @type {Janus | null} */
		this.janus = null;
		this.point = "";
		this.url = "";
		/** @type {Record<string, { id: string | null, pin: string | null }>} */
		this.points = {};
		this.over = false;
	}

	get linked() {
		return !!this.janus && this.janus.linked;
	}

	/**
	 * Plays the mountpoint of a language. url null: keep the present Janus and mountpoints.
	 * @param {string | null} url @param {any} points @param {string} language
	 */
	async watch(url, points, language) {
		this.url = url || this.url;
		this.points = points || this.points;
		const point = this.points[language];
		if (this.janus && !this.janus.closed && point && this.point === point.id)
			return;
		const was = this.linked;
		if (this.janus)
			this.janus.close();
		this.janus = null;
		if (point)
			await this.link(point, language);
		else if (was)
			this.changed();
	}

	/** @param {{ id: string | null, pin: string | null }} point @param {string} language */
	async link(point, language) {
		const mine = this.janus = new Janus(this.url, why => this.lose(mine, why, language), () => this.changed());
		this.point = point.id || "";
		try {
			mine.peer.ontrack = ({ track }) => this.way.play_tracks([track]);
			await mine.open("janus.plugin.streaming");
			const offer = await mine.request({ request: "watch", id: point.id, pin: point.pin });
			await mine.peer.setRemoteDescription(offer.jsep);
			const answer = await mine.describe(await mine.peer.createAnswer());
			await mine.request({ request: "start" }, answer);
			this.complain("");
		} catch (error) {
			mine.lose(/** @type {Error} */ (error).message);
		}
	}

	/**
	 * Connects again after a pause, to the address that the gateway now reports.
	 * @param {Janus} lost @param {string} why @param {string} language
	 */
	async lose(lost, why, language) {
		if (this.over || this.janus !== lost)
			return;
		this.complain(why);
		this.changed();
		await nap(3000);
		if (this.janus === lost && !this.over)
			this.watch(null, null, language);
	}

	// Waits until the Janus has played the rest and hangs up, for 30 s at most.
	async drain() {
		this.over = true;
		for (let i = 0; i < 150 && this.linked; i++)
			await nap(200);
		this.close();
	}

	close() {
		this.over = true;
		if (this.janus)
			this.janus.close();
		this.janus = null;
	}
}
