// SPDX-License-Identifier: GPL-3.0-or-later
// The console: signs the user in and shows the screen that the address names.
import { byId, fill, keep, make, say, show } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";
import { draw_home } from "./home.js";
import { know_me, may, me, sign_in_form, sign_out, signed_in, use_link } from "./session.js";
import { clear, later, PART_MISSING, until_online } from "./service.js";
import { fail } from "./words.js";

/**
 * A screen draws itself into a view. The signal ends its requests and timers.
 * @typedef {{ title: string, scope?: string, menu?: boolean, draw: (view: HTMLElement, signal: AbortSignal, rest: string[]) => any }} Screen
 */

/** @type {Record<string, Screen>} */
const screens = {};
let shown = new AbortController();
const RELOADED = "reloaded";

function read_screens() {
	Object.assign(screens, {
		home: { title: t("console.home"), menu: true, draw: draw_home },
		new: { title: t("console.new"), menu: true, scope: "events:write", draw: later(() => import("./create.js"), "draw_new") },
		glossaries: { title: t("console.glossaries"), menu: true, scope: "glossaries:read", draw: later(() => import("./glossaries.js"), "draw_glossaries") },
		voices: { title: t("console.voices"), menu: true, scope: "voices:read", draw: later(() => import("./voices.js"), "draw_voices") },
		languages: { title: t("console.languages"), menu: true, draw: later(() => import("./languages.js"), "draw_languages") },
		keys: { title: t("console.keys"), menu: true, scope: "keys:read", draw: later(() => import("./keys.js"), "draw_keys") },
		webhooks: { title: t("console.webhooks"), menu: true, scope: "webhooks:read", draw: later(() => import("./webhooks.js"), "draw_webhooks") },
		usage: { title: t("console.usage"), menu: true, scope: "balance:read", draw: later(() => import("./usage.js"), "draw_usage") },
		developer: { title: t("console.developer"), menu: true, draw: later(() => import("./developer.js"), "draw_developer") },
		event: { title: t("console.event"), draw: later(() => import("./event.js"), "draw_event") },
	});
}

function draw_menu() {
	const [now] = location.hash.slice(2).split("/");
	fill(byId("menu"), ...Object.entries(screens).filter(([, one]) => one.menu && (!one.scope || may(one.scope)))
		.map(([name, one]) => make("a", { href: `#/${name}`, "aria-current": (now || "home") === name && "page" }, one.title)));
	document.querySelector("#menu [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
	say("account", me.name || me.user_id);
}

async function go() {
	const [name, ...rest] = location.hash.slice(2).split("/");
	const screen = screens[name] || screens.home;
	shown.abort();
	const { signal } = shown = new AbortController();
	const view = make("div", { id: "view" });
	byId("view").replaceWith(view);
	clear();
	draw_menu();
	say("heading", screen.title);
	document.title = screen.title;
	byId("heading").focus();
	try {
		await screen.draw(view, signal, rest);
		keep("tab", RELOADED, null);
	} catch (error) {
		if (/** @type {any} */ (error).slug !== PART_MISSING || keep("tab", RELOADED))
			return fail(error);
		await until_online();
		if (!signal.aborted) {
			keep("tab", RELOADED, "yes");
			location.reload(); // the service may have a newer version of the pages, and the browser remembers the failure
		}
	}
}

async function enter() {
	await know_me();
	read_screens();
	show("bar", true);
	byId("leave").onclick = sign_out;
	addEventListener("hashchange", go);
	await go();
}

function ask_who() {
	fill(byId("view"), sign_in_form(enter));
	say("heading", t("console.signin"));
}

async function begin() {
	const link = new URLSearchParams(location.hash.slice(1)).get("link");
	if (link)
		history.replaceState(null, "", location.pathname); // a sign-in link works once: keep it out of the history
	try {
		if (link)
			await use_link(link);
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
