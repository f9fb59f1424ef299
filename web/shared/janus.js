// SPDX-License-Identifier: GPL-3.0-or-later
// A session of a Janus with one plugin, by WebSocket or by HTTP with long polls. request() resolves
// to the event that answers it; gone() is called once when the session is lost, and linked() when
// the media connection is made or lost.

/** @param {number} ms */
export const nap = ms => new Promise(done => setTimeout(done, ms));

export class Janus {
	/** @param {string} url @param {(why: string) => void} gone @param {() => void} [linked] */
	constructor(url, gone, linked = () => {}) {
		this.url = url.replace(/\/$/, "");
		this.gone = gone;
		/** @type {Map<string, { done: (event: any) => void, fail: (error: Error) => void, ack: boolean }>} */
		this.waiting = new Map();
		this.closed = false;
		/** @type {WebSocket | null} */
		this.socket = null;
		/** @type {number | undefined} */
		this.session = undefined;
		this.peer = new RTCPeerConnection();
		this.peer.onconnectionstatechange = () => {
			if (this.peer.connectionState === "failed")
				this.lose("no way for sound to Janus");
			if (this.linked)
				linked();
		};
	}

	get linked() {
		return !this.closed && this.peer.connectionState === "connected";
	}

	/** @param {string} plugin */
	async open(plugin) {
		if (/^ws/.test(this.url))
			await this.open_socket();
		this.session = (await this.send({ janus: "create" })).data.id;
		if (this.socket)
			this.timer = setInterval(() => this.send({ janus: "keepalive" }).catch(() => {}), 25000);
		else
			this.poll();
		this.handle = (await this.send({ janus: "attach", plugin })).data.id;
	}

	/** @returns {Promise<any>} */
	open_socket() {
		const socket = this.socket = new WebSocket(this.url, "janus-protocol");
		socket.onmessage = event => this.take(JSON.parse(event.data));
		return new Promise((done, fail) => {
			socket.onopen = done;
			socket.onclose = () => {
				fail(new Error("Janus cannot be reached"));
				this.lose("Janus closed the connection");
			};
		});
	}

	async poll() {
		while (!this.closed)
			try {
				const answer = await fetch(`${this.url}/${this.session}?maxev=5&rid=${Date.now()}`);
				if (!answer.ok)
					throw new Error(String(answer.status));
				[await answer.json()].flat().forEach(event => this.take(event));
			} catch {
				return this.lose("Janus cannot be reached");
			}
	}

	/** @param {any} event */
	take(event) {
		const waits = this.waiting.get(event.transaction);
		const told = event.plugindata ? event.plugindata.data : {};
		if (event.janus === "hangup" || event.janus === "timeout" || told.audiobridge === "destroyed")
			this.lose(`Janus ended it: ${event.reason || event.janus}`);
		if (!waits || (event.janus === "ack" && !waits.ack))
			return;
		this.waiting.delete(event.transaction);
		const error = event.error || told.error;
		if (error)
			waits.fail(new Error(`Janus: ${error.reason || error}`));
		else
			waits.done(event);
	}

	/** @param {any} message @returns {Promise<any>} */
	send(message) {
		const transaction = Math.random().toString(36).slice(2);
		const path = [this.url, this.session, message.handle_id].filter(Boolean).join("/");
		const whole = { ...message, transaction };
		if (this.socket && this.session)
			whole.session_id = this.session;
		return new Promise((done, fail) => {
			if (this.socket && this.socket.readyState > WebSocket.OPEN)
				return fail(new Error("Janus cannot be reached"));
			this.waiting.set(transaction, { done, fail, ack: message.janus === "keepalive" });
			if (this.socket)
				return this.socket.send(JSON.stringify(whole));
			fetch(path, { method: "POST", body: JSON.stringify(whole) })
				.then(answer => answer.json()).then(event => this.take(event))
				.catch(() => fail(new Error("Janus cannot be reached")));
		});
	}

	/** @param {any} body @param {any} [jsep] */
	request(body, jsep) {
		return this.send({ janus: "message", handle_id: this.handle, body, jsep });
	}

	/**
	 * Returns our session description with all ICE candidates.
	 * @param {RTCSessionDescriptionInit} description
	 */
	async describe(description) {
		await this.peer.setLocalDescription(description);
		for (let i = 0; i < 20 && this.peer.iceGatheringState !== "complete"; i++)
			await nap(100);
		const { type, sdp } = /** @type {RTCSessionDescription} */ (this.peer.localDescription);
		return { type, sdp };
	}

	/** @param {string} why */
	lose(why) {
		if (!this.closed)
			this.gone(why);
		this.close();
	}

	close() {
		if (this.closed)
			return;
		if (this.session)
			this.send({ janus: "destroy" }).catch(() => {});
		this.closed = true;
		clearInterval(this.timer);
		if (this.socket)
			this.socket.close();
		this.peer.close();
	}
}
