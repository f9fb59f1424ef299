// SPDX-License-Identifier: GPL-3.0-or-later
// A connection that is opened again whenever it is lost, until it ends for good.
import { nap } from "./dom.js";

/** @typedef {import("./socket.js").Line} Line */

export const NO_WAY = 4000; // close code of a room without a way for sound: another way may work

/** Reasons of a close with 1008 after which the same token may be used again. */
const PASSING = ["connection rate limit", "slow consumer", "other node"];

/**
 * Functions of the page that uses it.
 * @typedef {object} Listener
 * @property {(refused: number, reason: string) => Promise<Line | null>} dial opens a new line, or
 *   null: not now; refused: successive lines that failed; reason: of the end of the last line
 * @property {(type: string, data: any) => void} heard
 * @property {(line: Line) => void} opened
 * @property {() => void} lost
 * @property {(code: number, reason: string) => void} ended for good
 */

export class Stream {
	/** @param {Listener} listener */
	constructor(listener) {
		this.listener = listener;
		/** @type {Line | null} the line in use */
		this.line = null;
		/** @type {Line | null} the line that is being opened */
		this.coming = null;
		/** @type {number[]} when lines were dialled */
		this.dialled = [];
		this.refused = 0; // successive lines that failed
		this.round = 0;
		this.stopped = false;
		this.lost_at = Date.now();
		this.signs = new AbortController();
		for (const sign of ["online", "pageshow", "visibilitychange"])
			document.defaultView?.addEventListener(sign, () => this.check(sign), { signal: this.signs.signal });
		document.addEventListener("visibilitychange", () => this.check("visibilitychange"), { signal: this.signs.signal });
		// Closes a room when the page is left for good; else the gateway would keep it for
		// a return.
		addEventListener("pagehide", ({ persisted }) => persisted || this.stop(), { signal: this.signs.signal });
	}

	/** True when messages can be sent. */
	get open() {
		return !!this.line && this.line.open;
	}

	/** Seconds without a connection. */
	get away() {
		return this.open ? 0 : (Date.now() - this.lost_at) / 1000;
	}

	/** @param {string} type @param {object} [data] */
	send(type, data) {
		if (this.line && this.line.open)
			this.line.send(type, data);
	}

	/** Reconnects at once when a phone wakes up or changes its network. @param {string} sign */
	check(sign) {
		if (this.line && !document.hidden && (sign === "online" || this.line.is_stale()))
			this.line.give_up();
	}

	// Waits for a random time, so that a hall of pages that lost their connections does not
	// return at once. The service accepts 20 connections a minute of a token.
	async wait() {
		this.dialled = this.dialled.filter(at => at > Date.now() - 60000);
		if (this.dialled.length > 0)
			await nap((this.dialled.length < 3 ? 500 : 3500) + Math.random() * 1500);
		this.dialled.push(Date.now());
	}

	/**
	 * Opens a line. The present line stays until the new one is open, so that no text is
	 * missed.
	 * @param {string} [reason] why the last line ended
	 * @returns {Promise<void>}
	 */
	async dial(reason = "") {
		const mine = ++this.round;
		await this.wait();
		if (this.stopped || mine !== this.round)
			return;
		this.drop_coming();
		const line = await this.listener.dial(this.refused++, reason).catch(() => null);
		if (!line)
			return this.stopped || mine !== this.round ? undefined : this.dial("none");
		if (this.stopped || mine !== this.round)
			return line.close();
		this.coming = line;
		line.onopen = () => this.take(line);
		line.onmessage = (type, data) => line === this.line && this.listener.heard(type, data);
		line.onclose = (code, reason_) => this.lose(line, code, reason_);
	}

	/** @param {Line} line */
	take(line) {
		const last = this.line;
		this.line = line;
		this.coming = null;
		this.refused = 0;
		if (last)
			last.close();
		this.listener.opened(line);
	}

	/** @param {Line} line @param {number} code @param {string} reason */
	lose(line, code, reason) {
		if (this.stopped || (line !== this.line && line !== this.coming))
			return;
		if (line === this.coming)
			this.coming = null;
		else {
			this.line = null;
			this.lost_at = Date.now();
			this.listener.lost();
		}
		if (this.stopped)
			return;
		if (code === 1000 || (code === 1008 && !PASSING.includes(reason)))
			return this.listener.ended(code, reason);
		if (code === NO_WAY)
			this.refused = 0;
		this.dial(code === NO_WAY ? "no way" : reason || "lost");
	}

	// Closes the line that is being opened: a room that opens later would replace the present
	// one.
	drop_coming() {
		if (this.coming)
			this.coming.close();
		this.coming = null;
	}

	stop() {
		this.stopped = true;
		this.round++;
		this.signs.abort();
		this.drop_coming();
		if (this.line)
			this.line.close();
		this.line = null;
	}
}
