// SPDX-License-Identifier: GPL-3.0-or-later
// The screen of one event, with its tabs.
import { fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { draw_agenda } from "./agenda.js";
import { copy_event, delete_event, draw_edit, end_event } from "./event_form.js";
import { event_pill, is_live, times_of } from "./events.js";
import { draw_halls } from "./halls.js";
import { draw_speech } from "./hall_speech.js";
import { draw_numbers } from "./numbers.js";
import { draw_look } from "./look_builder.js";
import { fact, head, menu } from "./parts.js";
import { draw_all_recordings } from "./recordings.js";
import { draw_requests } from "./requests.js";
import { read } from "./service.js";
import { poster_of } from "./share.js";
import { draw_transcript } from "./transcript.js";
import { may } from "./session.js";
import { button, link } from "./words.js";
import { language_of, languages_told } from "./frame.js";

/** @type {Record<string, { title: () => string, draw: (view: HTMLElement, signal: AbortSignal, event: any, rest?: string) => any }>} */
const tabs = {
	halls: { title: () => t("console.halls"), draw: draw_halls },
	agenda: { title: () => t("console.agenda"), draw: draw_agenda },
	requests: { title: () => t("console.requests"), draw: draw_requests },
	speech: { title: () => t("console.speech"), draw: draw_speech },
	transcript: { title: () => t("console.transcript"), draw: draw_transcript },
	recordings: { title: () => t("console.recordings"), draw: draw_all_recordings },
	numbers: { title: () => t("console.numbers"), draw: draw_numbers },
};

/** Says which languages are spoken and which are heard. @param {any} event */
function pair_told({ input_languages: spoken, output_languages: heard }) {
	const from = spoken.map((/** @type {string} */ code) => language_of(code)).join(", ");
	return from && `${from} → ${languages_told(heard)}`;
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {string[]} rest */
export async function draw_event(view, signal, [id, tab = "halls", rest]) {
	const event = await read(`saas/v2/event/${id}`), known = tabs[tab] ? tab : "halls", body = make("div", { class: "stack wide" });
	if (signal.aborted)
		return;
	head({ title: event.title, crumb: ["#/events", t("console.events")], state: event_pill(event),
		meta: [fact("clock", times_of(event)), fact("place", event.location), fact("globe", pair_told(event))],
		acts: [...may("events:write") ? [tab !== "edit" && link(t("console.edit"), `#/event/${id}/edit`, "", "edit"), menu(t("console.more_for", { name: event.title }), button(t("console.copy_event"), () => copy_event(event), "", "copy"), is_live(event) && button(t("console.end_event"), async () =>
			end_event(event, (await read(`saas/v2/event/${id}/stats`)).now.listeners), "danger", "stop"), button(t("console.delete"), () => {
			delete_event(event, () => {});
			location.hash = "#/events";
		}, "danger", "trash"))] : [], link(t("console.poster"), poster_of(event), "strong", "print")] });
	fill(view, make("nav", { class: "tabs", "aria-label": t("console.tabs") }, ...Object.entries(tabs).map(([name, one]) =>
		make("a", { href: `#/event/${id}/${name}`, "aria-current": name === known && tab !== "edit" && "page" }, one.title()))), body);
	await (tab === "edit" ? draw_edit : tab === "look" ? draw_look : tabs[known].draw)(body, signal, event, rest);
}
