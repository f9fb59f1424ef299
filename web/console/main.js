// SPDX-License-Identifier: GPL-3.0-or-later
// The console: signs the user in and shows the screen that the address names.
import { byId, fill, keep, make, show } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";
import { draw_events } from "./events.js";
import { draw_frame, draw_more, show_frame } from "./frame.js";
import { draw_home } from "./home.js";
import { bones, empty, head } from "./parts.js";
import { know_me, link_form, me, secret_of, sign_in_form, signed_in } from "./session.js";
import { clear, later, part, PART_MISSING, until_online } from "./service.js";
import { fail, link, sentence } from "./words.js";

/** @type {Record<string, import("./frame.js").Screen>} */
const screens = {};
let shown = new AbortController();
const RELOADED = "reloaded";
const rest = () => import("./rest.js");

function read_screens() {
	Object.assign(screens, {
		home: { title: t("console.home"), group: "", icon: "home", dock: true, draw: draw_home },
		events: { title: t("console.events"), group: "", icon: "event", dock: true, scope: "events:read", draw: draw_events },
		glossaries: { title: t("console.glossaries"), group: "library", icon: "glossary", dock: true, scope: "glossaries:read", draw: later(rest, "draw_glossaries") },
		voices: { title: t("console.voices"), group: "library", icon: "voice", scope: "voices:read", draw: later(rest, "draw_voices") },
		languages: { title: t("console.languages"), group: "library", icon: "globe", draw: later(rest, "draw_languages") },
		usage: { title: t("console.usage"), group: "account", icon: "usage", dock: true, scope: "balance:read", draw: later(rest, "draw_usage") },
		team: { title: t("console.team"), group: "account", icon: "people", tabs: "team", draw: later(rest, "draw_team") },
		audit: { title: t("console.audit"), under: "team", tabs: "team", scope: "members:read", draw: later(rest, "draw_audit") },
		developer: { title: t("console.developer"), group: "account", icon: "code", tabs: "developer", draw: later(rest, "draw_developer") },
		keys: { title: t("console.keys"), under: "developer", tabs: "developer", scope: "keys:read", draw: later(rest, "draw_keys") },
		webhooks: { title: t("console.webhooks"), under: "developer", tabs: "developer", scope: "webhooks:read", draw: later(rest, "draw_webhooks") },
		more: { title: t("console.more"), icon: "menu", dock: true, draw: (/** @type {HTMLElement} */ view) => draw_more(screens, view) },
		new: { title: t("console.new"), under: "events", scope: "events:write", draw: later(rest, "draw_new") },
		event: { title: t("console.event"), under: "events", draw: later(rest, "draw_event") },
	});
}

async function go() {
	const [asked, ...more] = location.hash.slice(2).split("/"), name = screens[asked] ? asked : "home", screen = screens[name];
	shown.abort();
	const { signal } = shown = new AbortController();
	const view = make("div", { id: "view" });
	byId("view").replaceWith(view);
	clear();
	head({ title: screen.title });
	const tabs = draw_frame(screens, name), place = make("div", { class: "stack wide screen" }), shape = bones(5);
	view.append(...tabs ? [tabs] : [], place, shape);
	scrollTo(0, 0);
	byId("heading").focus();
	try {
		await screen.draw(place, signal, more);
		keep("tab", RELOADED, null);
	} catch (error) {
		if (signal.aborted)
			return;
		if (/** @type {any} */ (error).status === 404) {
			const up = screen.under || name, { title, icon = "" } = screens[up];
			return place.append(make("div", { class: "card", role: "alert" }, empty(icon, sentence(error), "", link(title, `#/${up}`, "strong"))));
		}
		if (/** @type {any} */ (error).slug !== PART_MISSING || keep("tab", RELOADED))
			return fail(error);
		await until_online();
		if (!signal.aborted) {
			keep("tab", RELOADED, "yes");
			location.reload(); // the service may have a newer version of the pages, and the browser remembers the failure
		}
	} finally {
		shape.remove();
	}
}

async function enter() {
	await know_me();
	read_screens();
	show_frame(true);
	const find = () => part(rest()).then(it => it.open_palette(screens), fail);
	for (const id of ["find", "find-top"])
		byId(id).onclick = find;
	addEventListener("keydown", event => {
		if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
			return;
		event.preventDefault();
		find();
	});
	addEventListener("hashchange", () => !secret_of(location.hash) && go());
	await go();
}

function ask_who() {
	show_frame(false);
	head({ title: t("console.signin"), meta: [t("console.signin_to", { host: location.host })] });
	fill(byId("view"), sign_in_form(enter));
}

/** @param {Record<string, string>} secret of a link, which works once: it is kept out of the history */
function ask_to_enter(secret) {
	history.replaceState(null, "", location.pathname);
	shown.abort();
	show_frame(false);
	head({ title: t(secret.invite ? "console.invited" : "console.signin"), meta: [t("console.signin_to", { host: location.host })] });
	fill(byId("view"), link_form(secret, () => me ? location.reload() : enter()));
}

async function begin() {
	const secret = secret_of(location.hash);
	addEventListener("hashchange", () => {
		const pasted = secret_of(location.hash);
		if (pasted)
			ask_to_enter(pasted);
	});
	if (secret)
		return ask_to_enter(secret);
	try {
		if (signed_in())
			return await enter();
	} catch (error) {
		fail(error);
	}
	ask_who();
}

// The other parts import this page. A part of a newer version imports a newer page, which must not
// start a second console.
if (document.body.dataset.begun)
	throw new Error("there is a newer version");
document.body.dataset.begun = "yes";
load("console").then(begin);
