// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node pages.js
// In a network that allows only port 443: our pages, and a page that speaks by WHIP and one that
// listens by WHEP, with the servers of the header Link. Each connection must be relayed by TLS.
const assert = require("node:assert/strict");
const { Chromium, nap } = require("../browser/chromium.js");
const { hall } = require("../browser/halls.js");
const { open, end, way, says, hears } = require("../browser/pages.js");
const { base, call } = require("../browser/service.js");

// Collects the peer connections and sockets of a page.
const COLLECT = ["RTCPeerConnection", "WebSocket"].map(kind => `window.my${kind} = [];
	window.${kind} = class extends ${kind} { constructor(...how) { super(...how); my${kind}.push(this); } };`).join("");

// The local candidates that connections use.
const USED = `Promise.all(myRTCPeerConnection.map(async peer => {
	const all = [...(await peer.getStats()).values()];
	const transport = all.find(one => one.type === "transport");
	const pair = all.find(one => one.id === transport?.selectedCandidatePairId);
	const local = pair && all.find(one => one.id === pair.localCandidateId);
	return local && [local.candidateType, local.relayProtocol].join(" by ");
}))`;

async function is_relayed(page) {
	const used = await page.ask(USED);
	assert.ok(used.length > 0 && used.every(one => one === "relay by tls"), `connections used: ${JSON.stringify(used)}`);
}

// Runs in a page of this service, in place of its own scripts.
function client() {
	const servers = answer => (answer.headers.get("Link") || "").split(/,\s*(?=<)/).filter(Boolean).map(link => {
		const said = Object.fromEntries([...link.matchAll(/;\s*([\w-]+)="([^"]*)"/g)].map(found => found.slice(1)));
		return { urls: link.match(/<(.*?)>/)[1], username: said.username, credential: said.credential };
	});
	// The answer names the servers, so candidates are gathered after it.
	window.connect = async (url, token, kind, turn) => {
		const peer = new RTCPeerConnection(), begun = performance.now();
		if (kind === "whip") {
			const media = await navigator.mediaDevices.getUserMedia({ audio: true });
			peer.addTransceiver(media.getTracks()[0], { direction: "sendonly" });
		} else
			peer.addTransceiver("audio", { direction: "recvonly" });
		peer.ontrack = ({ track }) => {
			window.track = track;
			Object.assign(new Audio(), { srcObject: new MediaStream([track]) }).play();
		};
		peer.onconnectionstatechange = () => {
			window.state = peer.connectionState;
			if (state === "connected")
				window.connected ||= performance.now() - begun;
		};
		const offer = await peer.createOffer();
		const answer = await fetch(url, { method: "POST", body: offer.sdp,
			headers: { "Content-Type": "application/sdp", ...token && { Authorization: `Bearer ${token}` } } });
		if (answer.status !== 201)
			throw new Error(await answer.text());
		if (turn)
			peer.setConfiguration({ iceServers: servers(answer) });
		await peer.setLocalDescription(offer);
		await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
	};
}

async function page_of(browser) {
	const { ear } = require("../browser/ear.js");
	const page = await browser.page();
	return page.open(`${base}/docs/`, `${ear};${COLLECT};(${client})()`);
}

async function whip_and_whep(browser) {
	const { channel_id, input } = await hall();
	const whip = `"${base}/whip/${channel_id}", "${input.token}", "whip"`;
	const direct = await page_of(browser);
	await direct.ask(`connect(${whip}, false)`);
	await nap(6000);
	assert.ok(await direct.ask("!window.connected"), "the network is closed");
	await direct.close();
	const listener = await page_of(browser), speaker = await page_of(browser);
	await listener.ask(`connect("${base}/whep/${channel_id}?language=es", "", "whep", true)`);
	await speaker.ask(`connect(${whip}, true)`);
	for (const page of [listener, speaker]) {
		await page.until("window.connected", 10, "the connection");
		await is_relayed(page);
	}
	await listener.until("sounds_of(track, 5).then(all => all.some(one => one.seconds > 0.5))", 30, "the translation to be heard");
	for (const [name, page] of [["WHIP", speaker], ["WHEP", listener]])
		console.log(`turn: ${name} of a page: connected after ${Math.round(await page.ask("connected"))} ms, relayed by TLS`);
}

// A page whose signalling was lost gets new credentials of TURN.
async function is_resumed(page) {
	const username = "myRTCPeerConnection[0].getConfiguration().iceServers[0].username", was = await page.ask(username);
	await nap(1000);
	await page.ask("myWebSocket.at(-1).close()");
	await page.until(`${username} !== ${JSON.stringify(was)}`, 10, "new credentials");
}

async function our_pages(browser) {
	const { channel_id, link } = await hall();
	const { short_url } = await call("GET", `/saas/channel/${channel_id}/speaker-token`);
	const listener = await open(browser, link("language=es"), COLLECT);
	await way(listener, "room", 30);
	const talker = await open(browser, short_url, COLLECT);
	await way(talker, "room", 30);
	await says(listener, "es", 1, 20);
	await hears(listener);
	for (const page of [talker, listener])
		await is_relayed(page);
	await is_resumed(listener);
	await end(talker);
	console.log("turn: our pages: relayed by TLS");
}

(async () => {
	const browser = new Chromium(process.env.BROWSER_MICROPHONE);
	try {
		await whip_and_whep(browser);
		await our_pages(browser);
	} catch (error) {
		process.exitCode = 1;
		console.log(`turn: pages: ${error.stack}`);
	} finally {
		await browser.close();
	}
})();
