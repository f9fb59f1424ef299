// SPDX-License-Identifier: GPL-3.0-or-later
// The screen of a hall, and the overlay of a broadcast: /screen/?e=EVENT&s=STAGE#l=es,en.
// It connects again for ever, keeps its last lines, and never shows an error.
import { address } from "../shared/api.js";
import { byId, fill, nap, say, show, stay_awake } from "../shared/dom.js";
import { best_of, load, t } from "../shared/i18n.js";
import { path_of, PublicEvent } from "../shared/event.js";
import { Board } from "./board.js";
import { fill_idle } from "./idle.js";
import { letters, read_look, set_theme } from "./look.js";

const link = new URLSearchParams(location.hash.slice(1)), asked = new URLSearchParams(location.search);
const id = asked.get("e") || link.get("event");
const event = id ? new PublicEvent(id, asked.get("s") || link.get("stage"), link.get("code") || "").begin() : null;
const look = read_look(link);
addEventListener("hashchange", () => location.reload());
set_theme(link);

let spoken_one = ""; // language of the original, if there is one

/** Waits until the event exists. @returns {Promise<string[]>} the languages to show */
async function find_languages() {
	for (; event; await nap(5000))
		try {
			const view = await event.read();
			const { targets, spoken, any } = event.languages(view);
			document.title = view.title;
			say("title", view.title);
			spoken_one = spoken.length === 1 && spoken[0] !== "auto" ? spoken[0] : "";
			const wanted = look.languages.map(code => !targets.includes(code) && spoken.includes(code) ? "original" : code);
			if (wanted.length > 0)
				return wanted;
			if (any)
				return [best_of(targets, navigator.languages) || targets[0] || "original"];
		} catch {
			// the loop requests it again
		}
	return look.languages.length > 0 ? look.languages : [""];
}

/** @type {Board[]} */
let boards = [];

function resize() {
	document.body.style.setProperty("--letters", `${letters(look, boards.length)}px`);
	document.body.style.setProperty("--lines", String(look.lines));
}

function show_pictures() {
	if (look.logo && new URL(look.logo, location.href).origin === location.origin || /^data:image\//.test(look.logo)) {
		byId("logo").src = look.logo;
		show("logo", true);
	}
	if (look.qr && event) {
		byId("qr").src = address(`${path_of(event.id)}/qr.svg`, { stage: event.stage });
		show("qr", true);
		document.body.classList.add("qr");
	}
}

/* ---- the slide ---- */

let said_at = Infinity; // when the last text came

async function show_idle() {
	said_at = Infinity;
	for (document.body.classList.add("idle"); event && document.body.classList.contains("idle"); await nap(60000))
		try {
			await fill_idle(event, await event.read());
			show("idle", document.body.classList.contains("idle"));
		} catch {
			// the loop tries again
		}
}

function said() {
	said_at = Date.now();
	if (!document.body.classList.contains("idle"))
		return;
	document.body.classList.remove("idle");
	show("idle", false);
	resize();
}

/** A hall that was stopped shows nothing. @param {string} is */
function take_state(is) {
	document.body.classList.toggle("stopped", is === "stopped");
}

function turn_full() {
	if (document.fullscreenElement)
		document.exitFullscreen();
	else
		document.documentElement.requestFullscreen().catch(() => {});
}

addEventListener("keydown", ({ key }) => {
	if (key === "f" || key === "F")
		turn_full();
	else if (key === "+" || key === "-")
		look.size = Math.min(4, Math.max(0.3, look.size * (key === "+" ? 1.1 : 1 / 1.1)));
	resize();
});
addEventListener("resize", resize);
let still = setTimeout(() => {}, 0);
addEventListener("mousemove", () => {
	document.body.classList.add("moves");
	clearTimeout(still);
	still = setTimeout(() => document.body.classList.remove("moves"), 2000);
});

const sample = (link.get("sample") || "").slice(0, 300);
await load("screen");
show_pictures();
stay_awake();
if (!event && !link.get("ws_url"))
	say("none", t("screen.none"));
else
	boards = (await find_languages()).map((code, i) => new Board(event, link, code, { delay: look.delay, colour: look.colours[i], sample, name: code === "original" ? spoken_one : code, said, state: take_state }));
fill(byId("boards"), ...boards.map(one => one.element));
resize();
if (boards.length > 0 && look.idle && !sample)
	show_idle();
setInterval(() => look.idle && look.pause > 0 && Date.now() > said_at + look.pause * 60000 && show_idle(), 1000);
setInterval(() => show("dot", !sample && boards.some(one => one.stream.away > 10)), 1000);
