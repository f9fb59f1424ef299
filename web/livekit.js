/* ---- WebRTC of the gateway ---- */

// Protobuf, as far as LiveKit's signalling needs it.  A message is an object of its fields
// by number: numbers, texts and messages to write; lists of numbers and bytes when read.
function varint(n) {
	const bytes = [];
	for (; n > 127; n = Math.floor(n / 128))
		bytes.push(n % 128 + 128);
	return [...bytes, n];
}

function encode(message) {
	const bytes = [];
	for (const [field, value] of Object.entries(message)) {
		const content = typeof value === "string" ? new TextEncoder().encode(value)
			: typeof value === "object" ? encode(value) : null;
		bytes.push(...varint(field * 8 + (content ? 2 : 0)),
			...varint(content ? content.length : Number(value)), ...content || []);
	}
	return Uint8Array.from(bytes);
}

function decode(bytes) {
	const message = {};
	let at = 0;
	const number = () => {
		let value = 0, scale = 1, byte;
		do {
			byte = bytes[at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return value;
	};
	const rest = { 0: number, 1: () => at += 8, 5: () => at += 4,
		2: () => { const n = number(); return bytes.subarray(at, at += n); } };
	while (at < bytes.length) {
		const key = number();
		if (!rest[key & 7])
			throw new Error("a message that cannot be read");
		(message[Math.floor(key / 8)] ||= []).push(rest[key & 7]());
	}
	return message;
}

const text_of = bytes => bytes ? new TextDecoder().decode(bytes) : "";

// How leave ends it, by its reason, in the words of the sockets.
const LEFT = { 2: [1008, "replaced"], 4: [1008, "other node"], 6: [1008, "slow consumer"] };
const NO_WAY = 4000; // for sound: what else there is may help

// A session or channel by WebRTC, used as a WebSocket is: its messages go by data channel,
// the sound of track, if one is given, to the gateway, and what comes is in tracks, of
// which ontracks tells.  When signalling is lost everything else goes on until it is
// resumed.
class Room {
	// Whether a token is let in; a gateway without WebRTC says 501.
	static async admits(url, token) {
		if (!/^https?:/.test(url) || !window.RTCPeerConnection)
			return false;
		const query = new URLSearchParams({ access_token: token, protocol: 15 });
		try {
			const answer = await fetch(`${url}/rtc/validate?${query}`);
			return answer.ok && await answer.text() === "success";
		} catch {
			return false;
		}
	}

	constructor(url, token, track) {
		Object.assign(this, { url, token, track, tracks: [], resumed: 0 });
		this.readyState = WebSocket.CONNECTING;
		this.ontracks = this.onopen = this.onmessage = this.onclose = () => {};
		this.dial();
	}

	/* signalling */

	dial() {
		const query = new URLSearchParams({ access_token: this.token, protocol: 15,
			sdk: "page", auto_subscribe: this.track ? 0 : 1 });
		if (this.sid) {
			query.set("reconnect", 1);
			query.set("sid", this.sid);
		}
		const line = this.signal = new WebSocket(`${this.url.replace(/^http/, "ws")}/rtc?${query}`);
		line.binaryType = "arraybuffer";
		this.heard = Date.now();
		line.onclose = () => this.resume();
		line.onmessage = event => {
			this.heard = Date.now();
			this.take(decode(new Uint8Array(event.data))).catch(error =>
				this.end(NO_WAY, error.message));
		};
		clearInterval(this.timer);
		this.timer = setInterval(() => this.is_stale() ? this.resume() : this.tell({ 16: { 1: Date.now() } }),
			5000);
	}

	is_stale() {
		return Date.now() > this.heard + 15000;
	}

	tell(request) {
		if (this.signal.readyState === WebSocket.OPEN)
			this.signal.send(encode(request));
	}

	hang_up() {
		clearInterval(this.timer);
		clearTimeout(this.again);
		this.signal.onclose = this.signal.onmessage = null;
		this.signal.close();
	}

	// The gateway waits for 30 s.
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
			await this.is_back();
		else if (refused)
			this.end(1008, text_of((decode(refused[0])[3] || [])[0]));
	}

	leave({ 2: [reason] = [], 3: [action] = [] }) {
		if (action)
			this.end(1006, "");
		else if (reason === 7)
			this.end(NO_WAY, "");
		else
			this.end(...LEFT[reason] || [1008, "SESSION_CLOSED"]);
	}

	/* connections */

	joined(join) {
		this.sid = text_of(decode(join[2][0])[1][0]);
		const iceServers = (join[5] || []).map(decode).map(server => ({
			urls: server[1].map(text_of), username: text_of((server[2] || [])[0]),
			credential: text_of((server[3] || [])[0]) }));
		const connect = () => {
			const peer = new RTCPeerConnection({ iceServers, bundlePolicy: "max-bundle" });
			peer.onconnectionstatechange = () => this.look(peer);
			return peer;
		};
		this.subscriber = connect();
		this.subscriber.ondatachannel = ({ channel }) =>
			channel.label === "_reliable" && this.use(channel);
		this.late = setTimeout(() => this.end(NO_WAY, ""), 12000);
		if (!this.track)
			return;
		this.publisher = connect();
		const channel = this.publisher.createDataChannel("_reliable"); // is expected there
		if (!join[6]) // there is no subscriber
			this.use(channel);
		this.publisher.addTransceiver(this.track, { direction: "sendonly" });
		this.tell({ 4: { 1: this.track.id, 2: "microphone", 6: !this.track.enabled, 8: 2 } });
	}

	look(peer) {
		if (peer.connectionState !== "failed")
			return this.check();
		if (Date.now() < this.resumed + 30000 || this.readyState !== WebSocket.OPEN)
			return this.end(1006, "");
		this.resumed = Date.now();
		this.resume();
	}

	check() {
		const ready = this.channel && this.channel.readyState === "open" &&
			(!this.publisher || this.publisher.connectionState === "connected");
		if (!ready || this.readyState !== WebSocket.CONNECTING)
			return;
		clearTimeout(this.late);
		this.readyState = WebSocket.OPEN;
		this.onopen();
	}

	// Of the subscriber's offers there is one at a time.
	async answer({ 2: [sdp], 3: [id] = [0] }) {
		const peer = this.subscriber;
		await peer.setRemoteDescription({ type: "offer", sdp: text_of(sdp) });
		await peer.setLocalDescription();
		this.tell({ 2: { 1: "answer", 2: peer.localDescription.sdp, 3: id } });
		this.tracks = peer.getTransceivers().filter(one => one.currentDirection === "recvonly")
			.map(one => one.receiver.track);
		this.ontracks();
	}

	async offer(options) {
		const id = this.offered = (this.offered || 0) + 1;
		await this.publisher.setLocalDescription(await this.publisher.createOffer(options));
		this.tell({ 1: { 1: "offer", 2: this.publisher.localDescription.sdp, 3: id } });
	}

	async take_answer({ 2: [sdp], 3: [id] = [0] }) {
		if (id === this.offered)
			await this.publisher.setRemoteDescription({ type: "answer", sdp: text_of(sdp) });
	}

	async is_back() {
		this.lost = 0;
		if (!this.published)
			return;
		this.mute(!this.track.enabled);
		await this.offer({ iceRestart: true });
	}

	mute(muted) {
		if (this.published)
			this.tell({ 5: { 1: this.published, 2: muted } });
	}

	/* messages */

	use(channel) {
		this.channel = channel;
		channel.binaryType = "arraybuffer";
		channel.onopen = () => this.check();
		channel.onmessage = ({ data }) => {
			const { 2: user } = decode(new Uint8Array(data));
			if (user)
				this.onmessage({ data: text_of((decode(user[0])[2] || [])[0]) });
		};
		this.check();
	}

	send(text) {
		if (this.channel.readyState === "open")
			this.channel.send(encode({ 2: { 2: text } }));
	}

	/* the end */

	// Until nothing has been heard for a second: what was said before it is over.
	async fall_silent() {
		const heard = () => String(this.subscriber.getReceivers().map(one =>
			one.getSynchronizationSources().map(({ rtpTimestamp }) => rtpTimestamp)));
		for (let i = 0, still = 0, last; still < 5 && i < 150; i++) {
			const now = heard();
			still = now === last ? still + 1 : 0;
			last = now;
			await nap(200);
		}
	}

	end(code, reason) {
		if (this.readyState === WebSocket.CLOSED)
			return;
		this.close(code === 1006);
		this.onclose({ code, reason });
	}

	// returns: the next room is to find the task as it is left here.
	close(returns) {
		if (this.readyState === WebSocket.CLOSED)
			return;
		if (!returns)
			this.tell({ 8: { 2: 1 } });
		this.readyState = WebSocket.CLOSED;
		clearTimeout(this.late);
		this.hang_up();
		for (const peer of [this.subscriber, this.publisher])
			if (peer)
				peer.close();
	}
}
