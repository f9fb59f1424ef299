// SPDX-License-Identifier: GPL-3.0-or-later
// The screen of one event, with its tabs.
import { fill, make, say } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { draw_agenda } from "./agenda.js";
import { draw_halls } from "./halls.js";
import { draw_speech } from "./hall_speech.js";
import { status_of } from "./home.js";
import { draw_numbers } from "./numbers.js";
import { draw_requests } from "./requests.js";
import { read } from "./service.js";
import { draw_share } from "./share.js";
import { draw_transcript } from "./transcript.js";

/** @type {Record<string, { title: () => string, draw: (view: HTMLElement, signal: AbortSignal, event: any, rest?: string) => any }>} */
const tabs = {
	halls: { title: () => t("console.halls"), draw: draw_halls },
	speech: { title: () => t("console.speech"), draw: draw_speech },
	requests: { title: () => t("console.requests"), draw: draw_requests },
	agenda: { title: () => t("console.agenda"), draw: draw_agenda },
	share: { title: () => t("console.share"), draw: draw_share },
	transcript: { title: () => t("console.transcript"), draw: draw_transcript },
	numbers: { title: () => t("console.numbers"), draw: draw_numbers },
};

/** @param {HTMLElement} view @param {AbortSignal} signal @param {string[]} rest */
export async function draw_event(view, signal, [id, tab = "halls", rest]) {
	const event = await read(`saas/v2/event/${id}`);
	const body = make("div", null);
	const known = tabs[tab] ? tab : "halls";
	say("heading", event.title);
	document.title = event.title;
	fill(view, make("p", { class: "soft" }, `${status_of(event)} · ${time(event.utc_start_dt, event.timezone)}`),
		make("nav", { class: "row tabs", "aria-label": t("console.tabs") }, ...Object.entries(tabs).map(([name, one]) =>
			make("a", { href: `#/event/${id}/${name}`, "aria-current": name === known && "page" }, one.title()))), body);
	await tabs[known].draw(body, signal, event, rest);
}
