// SPDX-License-Identifier: GPL-3.0-or-later
// Clients of WHIP and WHEP from npm, as functions of a page; esbuild bundles them.
import { WHIPClient } from "whip-whep/whip.js";
import { WHEPClient } from "whip-whep/whep.js";
import { WHIPClient as WebClient } from "@eyevinn/whip-web-client";

const seen = window.seen = { loud: 0 };
const note = name => (seen[name] ??= Math.round(performance.now() - seen.begun) / 1000);

function connection(how = { bundlePolicy: "max-bundle" }) {
	const peer = new RTCPeerConnection(how);
	peer.addEventListener("connectionstatechange", () => note(peer.connectionState));
	return peer;
}

function listen({ track }) {
	const context = new AudioContext(), analyser = context.createAnalyser(), samples = new Float32Array(2048);
	const audio = Object.assign(new Audio(), { srcObject: new MediaStream([track]) });
	audio.play();
	context.createMediaStreamSource(audio.srcObject).connect(analyser);
	setInterval(() => {
		analyser.getFloatTimeDomainData(samples);
		if (samples.some(one => Math.abs(one) > 0.05) && seen.loud++ === 0)
			note("sound");
	}, 20);
}

const microphone = () => navigator.mediaDevices.getUserMedia({ audio: true });

window.clients = {
	async whip(url, token) {
		const media = await microphone(), peer = connection();
		peer.addTransceiver(media.getTracks()[0], { direction: "sendonly" });
		seen.begun = performance.now();
		const client = new WHIPClient();
		await client.publish(peer, url, token);
		window.end = () => client.stop();
	},
	async whep(url, token) {
		const peer = connection();
		peer.addTransceiver("audio", { direction: "recvonly" });
		peer.ontrack = listen;
		seen.begun = performance.now();
		const client = new WHEPClient();
		await client.view(peer, url, token);
		window.end = () => client.stop();
	},
	async eyevinn(url, token) {
		const media = await microphone();
		seen.begun = performance.now();
		const client = new WebClient({ endpoint: url, opts: { authkey: token }, peerConnectionFactory: connection });
		await client.setIceServersFromEndpoint();
		await client.ingest(media);
		window.end = () => client.destroy();
	},
};
