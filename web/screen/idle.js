// SPDX-License-Identifier: GPL-3.0-or-later
// The slide that a hall sees before the first word: title, time, languages, and how to listen. It
// invites in up to five of the event's languages.
import { address, asset, now } from "../shared/api.js";
import { byId, fill, make, say } from "../shared/dom.js";
import { best_of, direction_of, languages, name_of } from "../shared/i18n.js";
import { path_of } from "../shared/event.js";

/** @typedef {import("../shared/event.js").Event} Event */

const INVITES = 5;

/** @type {Map<string, Promise<Record<string, string>>>} */
const invitations = new Map();

/** The texts of this page in a language. @param {string} code */
function texts_of(code) {
	const known = invitations.get(code) || fetch(asset(`i18n/screen.${code}.json`)).then(answer => answer.json());
	invitations.set(code, known);
	return known;
}

/** @param {string} code of a language of the pages @param {string} begins when the translation begins; "": it has begun */
async function invite(code, begins) {
	const time = begins && new Intl.DateTimeFormat(code, { hour: "numeric", minute: "2-digit" }).format(new Date(begins));
	const { "screen.begins": at, "screen.invite": open } = await texts_of(code);
	return make("p", { lang: code, dir: direction_of(code) }, time ? at.replace("{time}", time) : open);
}

/**
 * Fills the slide.
 * @param {import("../shared/event.js").PublicEvent} event @param {Event} view
 */
export async function fill_idle(event, view) {
	const stages = event.stages(view), { targets, spoken } = event.languages(view);
	const later = (view.sessions || []).filter(one => stages.some(stage => stage.stage_id === one.stage_id) && Date.parse(one.utc_end_dt) > now());
	const next = later[0], starts = next ? next.utc_start_dt : view.utc_start_dt;
	const all = [...new Set([...spoken.filter(code => code !== "auto"), ...targets])];
	const ours = [...new Set(all.map(code => best_of(Object.keys(languages), [code])))].filter(code => code !== undefined).slice(0, INVITES);
	const begins = Date.parse(starts) > now() ? starts : "";
	say("hall", stages.length === 1 ? stages[0].name : "");
	say("idle_title", next ? next.title : view.title);
	say("address", location.host);
	say("digits", (view.join_code || "").replace(/(\d{3})(?=\d{3}$)/, "$1 "));
	byId("idle_qr").src = address(`${path_of(event.id)}/qr.svg`, { stage: event.stage });
	fill(byId("names"), ...all.map(code => make("li", { lang: code, dir: direction_of(code) }, name_of(code, true))));
	fill(byId("invites"), ...await Promise.all((ours.length > 0 ? ours : ["en"]).map(code => invite(code, begins))));
}
