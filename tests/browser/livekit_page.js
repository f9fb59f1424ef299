// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Runs beside livekit-client in a page: one client of a room and the events that it received.  An
// own server serves the page, as an organiser's server would.
const { createServer } = require("node:http");
const { once } = require("node:events");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

function client() {
	const begun = performance.now();
	const now = () => performance.now() - begun;
	const mine = window.client = { events: [], messages: [], tracks: {}, now };
	const saw = (what, more = {}) => mine.events.push({ at: now(), what, ...more });

	// The loudness and pitch of the latest 40 ms. The pitch comes from the median time between
	// two upward crossings of zero; noise around zero before a tone begins is ignored.
	function look(analyser, samples) {
		analyser.getFloatTimeDomainData(samples);
		const height = samples.reduce((most, s) => Math.max(most, Math.abs(s)), 0);
		let up = null, low = false, times = [];
		for (let i = 1; i < samples.length; i++) {
			low = low || samples[i] < -height / 4;
			if (!low || samples[i - 1] >= 0 || samples[i] < 0)
				continue;
			low = false;
			const at = i - samples[i] / (samples[i] - samples[i - 1]);
			if (up !== null)
				times.push(at - up);
			up = at;
		}
		const hz = analyser.context.sampleRate / times.sort((a, b) => a - b)[times.length >> 1];
		return { at: now(), height, hz: times.length ? hz : 0 };
	}

	function hear(name, media) {
		const context = mine.context = mine.context || new AudioContext();
		const analyser = context.createAnalyser();
		analyser.fftSize = 2048;
		context.createMediaStreamSource(new MediaStream([media])).connect(analyser);
		const samples = new Float32Array(analyser.fftSize);
		const probes = mine.tracks[name].probes;
		const timer = setInterval(() => probes.push(look(analyser, samples)), 50);
		media.addEventListener("ended", () => clearInterval(timer));
	}

	mine.connect = async (url, token, options = {}) => {
		const room = mine.room = new LivekitClient.Room();
		for (const what of ["disconnected", "reconnecting", "reconnected", "signalReconnecting", "resumed"])
			room.on(what, reason => saw(what, { reason }));
		room.on("dataReceived", (bytes, who) =>
			mine.messages.push({ at: now(), who: who && who.identity, ...JSON.parse(new TextDecoder().decode(bytes)) }));
		room.on("trackSubscribed", (track, publication, who) => {
			saw("track", { name: publication.trackName, who: who.identity });
			mine.tracks[publication.trackName] = { sid: publication.trackSid, probes: [] };
			document.body.append(track.attach());
			hear(publication.trackName, track.mediaStreamTrack);
		});
		room.on("trackUnsubscribed", (track, publication) => saw("untrack", { name: publication.trackName }));
		saw("connecting");
		await room.connect(url, token, options);
		saw("connected", { others: [...room.remoteParticipants.values()].map(who => who.identity) });
	};

	mine.tell = (type, data) => mine.room.localParticipant.publishData(
		new TextEncoder().encode(JSON.stringify(data ? { message_type: type, data } : { message_type: type })),
		{ reliable: true });

	mine.microphone = async on => {
		await mine.room.localParticipant.setMicrophoneEnabled(on);
		saw(on ? "microphone" : "muted");
	};

	// Measurements of a track's sound since a moment: how many there are, how many of them are
	// loud, and the median pitch of the loud ones.
	mine.heard = (name, from = 0) => {
		const probes = (mine.tracks[name] || { probes: [] }).probes.filter(({ at }) => at >= from);
		const loud = probes.filter(({ height }) => height > 0.05);
		const hz = loud.map(probe => probe.hz).sort((a, b) => a - b)[loud.length >> 1];
		return { probes: probes.length, loud: loud.length, hz, first: loud.length ? loud[0].at : null };
	};

	mine.told = (type, from = 0) => mine.messages.filter(({ message_type, at }) =>
		message_type === type && at >= from);

	// Print details for the analysis of a failure.
	mine.story = () => JSON.stringify({ events: mine.events, messages: mine.messages.slice(-10),
		context: mine.context && mine.context.state,
		heard: Object.keys(mine.tracks).map(name => [name, mine.heard(name)]) });

	// The selected candidate pair of each peer connection.
	mine.pairs = async () => {
		const { subscriber, publisher } = mine.room.engine.pcManager;
		return Promise.all([subscriber, publisher].filter(Boolean).map(async half => {
			const all = [...(await half.getStats()).values()];
			const pair = all.find(one => one.type === "candidate-pair" && one.nominated && one.state === "succeeded");
			const remote = pair && all.find(one => one.id === pair.remoteCandidateId);
			return remote && { protocol: remote.protocol, address: remote.address, port: remote.port };
		}));
	};
}

class PageServer {
	constructor(packages) {
		this.packages = packages;
	}

	async open() {
		this.server = createServer((request, response) => this.answer(request, response));
		this.server.listen(0, "127.0.0.1");
		await once(this.server, "listening");
		return this;
	}

	url(version) {
		return `http://127.0.0.1:${this.server.address().port}/${version}/`;
	}

	answer({ url }, response) {
		const [, version, script] = url.split("/");
		response.setHeader("Content-Type", script ? "text/javascript" : "text/html");
		if (script === "livekit.js")
			response.end(readFileSync(join(this.packages, `livekit-client-${version}`, "dist",
				"livekit-client.umd.js")));
		else if (script === "client.js")
			response.end(`(${client})()`);
		else
			response.end(`<!doctype html><link rel="icon" href="data:,"><body>
				<script src="livekit.js"></script><script src="client.js"></script>`);
	}
}

module.exports = { PageServer };
