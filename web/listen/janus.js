// SPDX-License-Identifier: GPL-3.0-or-later
// Sound by the mountpoints of a Janus, one for each language but the original.
import { Janus, nap } from "../shared/janus.js";

export class Mountpoints {
	/** @param {import("./way.js").Way} way @param {() => void} changed it is linked, or not any more
	 * @param {(text: string) => void} complain
	 */
	constructor(way, changed, complain) {
		this.way = way;
		this.changed = changed;
		this.complain = complain; // of lost sound; "": it is back
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

	/** Listen to the mountpoint of a language; null: those of before. @param {string | null} url @param {any} points @param {string} language */
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

	/** After a while once more, where the gateway says it is by now. @param {Janus} lost @param {string} why @param {string} language */
	async lose(lost, why, language) {
		if (this.over || this.janus !== lost)
			return;
		this.complain(why);
		this.changed();
		await nap(3000);
		if (this.janus === lost && !this.over)
			this.watch(null, null, language);
	}

	// A Janus says the rest, for 30 s at most, and hangs up.
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
