// SPDX-License-Identifier: GPL-3.0-or-later
// WebRTC of the gateway, with the interface of a Socket. Messages go by data channel. The sound of
// `track`, if given, is sent to the gateway; received tracks are in `tracks`, and ontracks()
// reports changes. When signalling is lost, media and messages continue until it resumes.
import { decode, encode, text_of } from "./protobuf.js";

/** @typedef {import("./protobuf.js").Fields} Fields */

const NO_WAY = 4000; // as in stream.js

/**
 * Close code and reason of a socket for each reason of a leave message.
 * @type {Record<number, [number, string]>}
 */
const LEFT = { 2: [1008, "replaced"], 4: [1008, "other node"], 6: [1008, "slow consumer"] };

/**
 * A connection with these STUN and TURN servers.
 * @param {any[]} [servers] @returns {RTCConfiguration}
 */
const configuration = (servers = []) => ({ bundlePolicy: "max-bundle", iceServers: servers.map(decode)
	.map(server => ({ urls: server[1].map(text_of), username: text_of((server[2] || [])[0]), credential: text_of((server[3] || [])[0]) })) });

/** @typedef {import("./socket.js").Line} Line */
/** @implements {Line} */
export class Room {
	/** Checks whether a token is accepted. A gateway without WebRTC answers 501.
	 * @param {string | null | undefined} url @param {string} token
	 */
	static async admits(url, token) {
		if (!url || !/^https?:/.test(url) || !window.RTCPeerConnection)
			return false;
		const query = new URLSearchParams({ access_token: token, protocol: "15" });
		try {
			const answer = await fetch(`${url}/rtc/validate?${query}`, { signal: AbortSignal.timeout(8000) });
			return answer.ok && await answer.text() === "success";
		} catch {
			return false;
		}
	}

	/** @param {string} url @param {string} token @param {MediaStreamTrack | null} [track] @param {string} [since] */
	constructor(url, token, track = null, since = "") {
		this.url = url;
		this.token = token;
		this.track = track;
		this.since = since;
		this.room = true;
		/** @type {MediaStreamTrack[]} */
		this.tracks = [];
		this.resumed = this.offered = 0;
		this.lost = 0;
		this.ready = this.gone = false;
		this.sid = this.published = "";
		/** @type {RTCDataChannel | null} */
		this.channel = null;
		/** @type {RTCPeerConnection | null} */
		this.publisher = null;
		this.ontracks = this.onopen = this.onmessage = this.onclose = /** @type {any} */ (() => {});
		this.dial();
	}

	get open() {
		return this.ready && !this.gone;
	}

	/* signalling */

	dial() {
		const query = new URLSearchParams({ access_token: this.token, protocol: "15",
			sdk: "page", auto_subscribe: this.track ? "0" : "1" });
		if (this.sid) {
			query.set("reconnect", "1");
			query.set("sid", this.sid);
		} else if (this.since)
			query.set("since", this.since);
		const line = this.signal = new WebSocket(`${this.url.replace(/^http/, "ws")}/rtc?${query}`);
		line.binaryType = "arraybuffer";
		this.heard = Date.now();
		line.onclose = () => this.resume();
		line.onmessage = event => {
			this.heard = Date.now();
			this.take(decode(new Uint8Array(event.data))).catch(error => this.end(NO_WAY, error.message));
		};
		clearInterval(this.timer);
		this.timer = setInterval(() => this.is_stale() ? this.resume() : this.tell({ 16: { 1: Date.now() } }), 5000);
	}

	is_stale() {
		return Date.now() > (this.heard || 0) + 15000;
	}

	/** @param {import("./protobuf.js").Message} message */
	tell(message) {
		if (this.signal && this.signal.readyState === WebSocket.OPEN)
			this.signal.send(encode(message));
	}

	hang_up() {
		clearInterval(this.timer);
		clearTimeout(this.again);
		if (!this.signal)
			return;
		this.signal.onclose = this.signal.onmessage = null;
		this.signal.close();
	}

	// Resumes signalling. The gateway waits for 30 s.
	resume() {
		this.hang_up();
		this.lost ||= Date.now();
		const lost = Date.now() - this.lost;
		if (!this.sid || lost > 25000)
			return this.end(1006, "");
		this.again = setTimeout(() => this.dial(), lost / 2 + Math.random() * 500);
	}

	give_up() {
		this.resume();
	}

	/** @param {Fields} message */
	async take({ 1: join, 2: answer, 3: offer, 6: published, 8: leave, 19: again, 22: refused }) {
		if (join)
			this.joined(decode(join[0]));
		else if (answer)
			await this.take_answer(decode(answer[0]));
		else if (offer)
			await this.answer(decode(offer[0]));
		else if (published) {
			this.published = text_of(decode(decode(published[0])[2][0])[1][0]);
			await this.offer();
		} else if (leave)
			this.leave(decode(leave[0]));
		else if (again)
			await this.is_back(decode(again[0]));
		else if (refused)
			this.end(1008, text_of((decode(refused[0])[3] || [])[0]));
	}

	/** @param {Fields} message */
	leave(message) {
		const [[reason] = [], [action] = []] = [message[2], message[3]];
		if (action)
			this.end(1006, "");
		else if (reason === 7)
			this.end(NO_WAY, "");
		else
			this.end(...LEFT[reason] || /** @type {[number, string]} */ ([1008, "SESSION_CLOSED"]));
	}

	/* connections */

	/** @param {Fields} join */
	joined(join) {
		this.sid = text_of(decode(join[2][0])[1][0]);
		const connect = () => {
			const peer = new RTCPeerConnection(configuration(join[5]));
			peer.onconnectionstatechange = () => this.look(peer);
			return peer;
		};
		this.subscriber = connect();
		this.subscriber.ondatachannel = ({ channel }) => channel.label === "_reliable" && this.use(channel);
		this.late = setTimeout(() => this.end(NO_WAY, ""), 12000);
		if (!this.track)
			return;
		this.publisher = connect();
		const channel = this.publisher.createDataChannel("_reliable"); // the gateway expects this channel
		if (!join[6]) // the gateway makes no subscriber connection
			this.use(channel);
		this.publisher.addTransceiver(this.track, { direction: "sendonly" });
		this.tell({ 4: { 1: this.track.id, 2: "microphone", 6: !this.track.enabled, 8: 2 } });
	}

	/** @param {RTCPeerConnection} peer */
	look(peer) {
		if (peer.connectionState !== "failed")
			return this.check();
		if (!this.ready || Date.now() < this.resumed + 30000)
			return this.end(this.ready ? 1006 : NO_WAY, "");
		this.resumed = Date.now();
		this.resume();
	}

	check() {
		const ready = this.channel && this.channel.readyState === "open" &&
			(!this.publisher || this.publisher.connectionState === "connected");
		if (!ready || this.ready || this.gone)
			return;
		clearTimeout(this.late);
		this.ready = true;
		this.onopen();
	}

	/**
	 * Answers an offer of the subscriber connection. There is one offer at a time.
	 * @param {Fields} message
	 */
	async answer({ 2: [sdp], 3: [id] = [0] }) {
		const peer = /** @type {RTCPeerConnection} */ (this.subscriber);
		await peer.setRemoteDescription({ type: "offer", sdp: text_of(sdp) });
		await peer.setLocalDescription();
		this.tell({ 2: { 1: "answer", 2: peer.localDescription ? peer.localDescription.sdp : "", 3: id } });
		this.tracks = peer.getTransceivers().filter(one => one.currentDirection === "recvonly")
			.map(one => one.receiver.track);
		this.ontracks();
	}

	/** @param {RTCOfferOptions} [options] */
	async offer(options) {
		const id = ++this.offered, peer = /** @type {RTCPeerConnection} */ (this.publisher);
		const offer = await peer.createOffer(options);
		await peer.setLocalDescription(offer);
		this.tell({ 1: { 1: "offer", 2: offer.sdp || "", 3: id } });
	}

	/** @param {Fields} message */
	async take_answer({ 2: [sdp], 3: [id] = [0] }) {
		if (id === this.offered && this.publisher)
			await this.publisher.setRemoteDescription({ type: "answer", sdp: text_of(sdp) });
	}

	// The gateway names the servers again, because credentials expire.
	/** @param {Fields} reconnect */
	async is_back(reconnect) {
		this.lost = 0;
		for (const peer of [this.subscriber, this.publisher])
			if (peer)
				peer.setConfiguration(configuration(reconnect[1]));
		if (!this.published || !this.track)
			return;
		this.mute(!this.track.enabled);
		await this.offer({ iceRestart: true });
	}

	/** @param {boolean} muted */
	mute(muted) {
		if (this.published)
			this.tell({ 5: { 1: this.published, 2: muted } });
	}

	/* messages */

	/** @param {RTCDataChannel} channel */
	use(channel) {
		this.channel = channel;
		channel.binaryType = "arraybuffer";
		channel.onopen = () => this.check();
		channel.onmessage = ({ data }) => {
			const { 2: user } = decode(new Uint8Array(data));
			if (!user)
				return;
			const { message_type, data: content } = JSON.parse(text_of((decode(user[0])[2] || [])[0]));
			this.onmessage(message_type, content);
		};
		this.check();
	}

	/** @param {string} type @param {object} [data] */
	send(type, data = {}) {
		if (this.channel && this.channel.readyState === "open")
			this.channel.send(encode({ 2: { 2: JSON.stringify({ message_type: type, data }) } }));
	}

	/* the end */

	// Waits until no speech was received for a second: the speech before is over.
	async fall_silent() {
		const heard = () => String(this.subscriber && this.subscriber.getReceivers().map(one =>
			one.getSynchronizationSources().map(({ rtpTimestamp }) => rtpTimestamp)));
		for (let i = 0, still = 0, last = ""; still < 5 && i < 150; i++) {
			const now = heard();
			still = now === last ? still + 1 : 0;
			last = now;
			await new Promise(done => setTimeout(done, 200));
		}
	}

	/** @param {number} code @param {string} reason */
	end(code, reason) {
		if (this.gone)
			return;
		this.close(code === 1006);
		this.onclose(code, reason);
	}

	/** @param {boolean} [returns] leave the task to the next room */
	close(returns) {
		if (this.gone)
			return;
		if (!returns)
			this.tell({ 8: { 2: 1 } });
		this.gone = true;
		clearTimeout(this.late);
		this.hang_up();
		for (const peer of [this.subscriber, this.publisher])
			if (peer)
				peer.close();
	}
}
