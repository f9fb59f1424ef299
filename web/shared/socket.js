// SPDX-License-Identifier: GPL-3.0-or-later
// A WebSocket of the service that notices a broken path.

// Neither end notices a broken path. After ASK ms of silence the socket requests the task; it
// counts as closed when the answer takes longer than ANSWER ms. It also counts as closed when
// opening takes longer than ASK ms.
const ASK = 10000, ANSWER = 5000;

/**
 * A carrier of messages: a Socket, or a Room of room.js.
 * @typedef {object} Line
 * @property {boolean} open
 * @property {boolean} [room] its sound comes as tracks
 * @property {(type: string, data?: object) => void} send
 * @property {() => void} close
 * @property {() => boolean} is_stale
 * @property {() => void} give_up treats it as lost
 * @property {() => void} onopen
 * @property {(type: string, data: any) => void} onmessage
 * @property {(code: number, reason: string) => void} onclose
 */

/** @implements {Line} */
export class Socket {
	/** @param {string} url @param {Record<string, string | null | undefined | false>} query */
	constructor(url, query) {
		this.onopen = this.onclose = this.onmessage = /** @type {any} */ (() => {});
		const wanted = Object.entries(query).filter(([, value]) => value);
		this.wire = new WebSocket(`${url}?${new URLSearchParams(/** @type {[string, string][]} */ (wanted))}`);
		this.heard = Date.now();
		this.asked = 0;
		this.wire.onopen = () => (this.live(), this.onopen());
		this.wire.onmessage = event => {
			this.live();
			const { message_type, data } = JSON.parse(event.data);
			this.onmessage(message_type, data);
		};
		this.wire.onclose = event => this.end(event.code, event.reason);
		this.timer = setInterval(() => this.watch(), 1000);
	}

	get open() {
		return this.wire.readyState === WebSocket.OPEN;
	}

	/** Number of bytes that wait to be sent. */
	get waiting() {
		return this.wire.bufferedAmount;
	}

	live() {
		this.heard = Date.now();
		this.asked = 0;
	}

	watch() {
		const late = this.asked ? this.asked + ANSWER : this.heard + ASK;
		if (Date.now() < late)
			return;
		if (this.asked || !this.open)
			return this.give_up();
		this.asked = Date.now();
		this.send("get_task");
	}

	is_stale() {
		return Date.now() > this.heard + ASK + ANSWER;
	}

	give_up() {
		this.end(1006, "");
	}

	/** @param {string} type @param {object} [data] */
	send(type, data = {}) {
		if (this.open)
			this.wire.send(JSON.stringify({ message_type: type, data }));
	}

	/** @param {number} code @param {string} reason */
	end(code, reason) {
		const tell = this.onclose;
		this.close();
		tell(code, reason);
	}

	close() {
		clearInterval(this.timer);
		this.onopen = this.onclose = this.onmessage = () => {};
		this.wire.onopen = this.wire.onmessage = this.wire.onclose = null;
		this.wire.close(); // may never be answered
	}
}
