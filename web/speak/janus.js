// SPDX-License-Identifier: GPL-3.0-or-later
// Sends the microphone to an AudioBridge room of a Janus.
import { Janus, nap } from "../shared/janus.js";

export class JanusRoom {
	/** @param {{ complain: (text: string) => void, joined: () => void, ask: () => boolean }} talk
	 *   ask: requests the current room from the gateway; false: there is no gateway to ask
	 */
	constructor(talk) {
		this.talk = talk;
		/** @type {Janus | null} */
		this.janus = null;
		this.room = "";
		this.over = false;
	}

	/** @param {string} url @param {string} room @param {string | null} pin @param {MediaStreamTrack} track @param {MediaStream} stream */
	async join(url, room, pin, track, stream) {
		if (this.over || (this.janus && !this.janus.closed && this.room === room))
			return;
		if (this.janus)
			this.janus.close();
		const again = () => this.join(url, room, pin, track, stream);
		const mine = this.janus = new Janus(url, why => this.lose(mine, why, again));
		this.room = room;
		try {
			mine.peer.addTransceiver(track, { direction: "sendonly", streams: [stream] });
			await mine.open("janus.plugin.audiobridge");
			await mine.request({ request: "join", room, pin, display: "speaker" });
			const offer = await mine.describe(await mine.peer.createOffer());
			const answer = await mine.request({ request: "configure", muted: false }, offer);
			await mine.peer.setRemoteDescription(answer.jsep);
			this.talk.complain("");
			this.talk.joined();
		} catch (error) {
			mine.lose(/** @type {Error} */ (error).message);
		}
	}

	/** @param {Janus} lost @param {string} why @param {() => void} again */
	async lose(lost, why, again) {
		if (this.over)
			return;
		this.talk.complain(why);
		await nap(3000);
		if (this.janus === lost && !this.over && !this.talk.ask())
			again();
	}

	close() {
		this.over = true;
		if (this.janus)
			this.janus.close();
	}
}
