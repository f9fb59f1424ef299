// One event: its tabs.
import { fill, make, say } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { read } from "./service.js";
import { status_of } from "./home.js";
import { draw as halls } from "./halls.js";
import { draw as numbers } from "./numbers.js";
import { draw as requests } from "./requests.js";
import { draw as share } from "./share.js";
import { draw as transcript } from "./transcript.js";

/** @type {Record<string, { title: () => string, draw: (view: HTMLElement, signal: AbortSignal, event: any) => any }>} */
const tabs = {
	halls: { title: () => t("console.halls"), draw: halls },
	requests: { title: () => t("console.requests"), draw: requests },
	share: { title: () => t("console.share"), draw: share },
	transcript: { title: () => t("console.transcript"), draw: transcript },
	numbers: { title: () => t("console.numbers"), draw: numbers },
};

/** @param {HTMLElement} view @param {AbortSignal} signal @param {string[]} rest */
export async function draw(view, signal, [id, tab = "halls"]) {
	const event = await read(`saas/v2/event/${id}`);
	const body = make("div", null);
	const known = tabs[tab] ? tab : "halls";
	say("heading", event.title);
	document.title = event.title;
	fill(view, make("p", { class: "soft" }, `${status_of(event)} · ${time(event.utc_start_dt, event.timezone)}`),
		make("nav", { class: "row tabs", "aria-label": t("console.tabs") }, ...Object.entries(tabs).map(([name, one]) =>
			make("a", { href: `#/event/${id}/${name}`, "aria-current": name === known && "page" }, one.title()))), body);
	await tabs[known].draw(body, signal, event);
}
