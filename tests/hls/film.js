// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node film.js BASE PLAYLIST SECONDS
//
// Plays HLS with a picture by hls.js in Chromium for so many seconds.  Prints a JSON object: the
// seconds from the time of a picture to its display, one each second; the pictures shown a second;
// the width of the picture; and the player's faults.
const { readFileSync } = require("node:fs");
const { Chromium } = require("../browser/chromium.js");

const [base, playlist, seconds] = process.argv.slice(2);
const BEGIN = 8; // s for the player to find its place

const PLAYER = `(() => {
	window.faults = [];
	const film = window.film = document.body.appendChild(document.createElement("video"));
	const player = window.player = new Hls({ lowLatencyMode: true });
	film.muted = true;
	player.on(Hls.Events.ERROR, (_, { fatal, details }) => faults.push((fatal ? "fatal " : "") + details));
	player.loadSource(${JSON.stringify(playlist)});
	player.attachMedia(film);
	film.play();
})()`;

const wait = s => new Promise(done => setTimeout(done, s * 1000));

async function main() {
	const browser = new Chromium("/dev/null");
	try {
		const page = await (await browser.page()).open(`${base}/health`);
		await page.ask(`${readFileSync(process.env.BROWSER_HLS_JS, "utf8")};true`);
		await page.until(`fetch(${JSON.stringify(playlist)}).then(answer => answer.ok)`, 60, "the playlist");
		await page.ask(PLAYER);
		await page.until("film.videoWidth > 0 && player.playingDate", 30, "a picture");
		await wait(BEGIN);
		const shown = "film.getVideoPlaybackQuality().totalVideoFrames", before = await page.ask(shown), behind = [];
		for (let i = 0; i < Number(seconds); i++) {
			await wait(1);
			behind.push(await page.ask("(Date.now() - player.playingDate) / 1000"));
		}
		const { now, width, faults } = await page.ask(`({ now: ${shown}, width: film.videoWidth, faults })`);
		console.log(JSON.stringify({ behind, pictures: (now - before) / Number(seconds), width, faults }));
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error);
	process.exitCode = 1;
});
