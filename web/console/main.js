// The console: who signs in, and which screen is shown.
import { byId, fill, make, say, show } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";
import { draw_new } from "./create.js";
import { draw_developer } from "./developer.js";
import { draw_event } from "./event.js";
import { draw_glossaries } from "./glossaries.js";
import { draw_home } from "./home.js";
import { draw_keys } from "./keys.js";
import { know_me, may, me, sign_in_form, sign_out, signed_in, use_link } from "./session.js";
import { clear } from "./service.js";
import { draw_usage } from "./usage.js";
import { draw_webhooks } from "./webhooks.js";
import { draw_voices } from "./voices.js";
import { fail } from "./words.js";

/**
 * A screen draws itself into a view; what it began ends with the signal.
 * @typedef {{ title: string, scope?: string, menu?: boolean, draw: (view: HTMLElement, signal: AbortSignal, rest: string[]) => any }} Screen
 */

/** @type {Record<string, Screen>} */
const screens = {};
let shown = new AbortController();

function read_screens() {
	Object.assign(screens, {
		home: { title: t("console.home"), menu: true, draw: draw_home },
		new: { title: t("console.new"), menu: true, scope: "events:write", draw: draw_new },
		glossaries: { title: t("console.glossaries"), menu: true, scope: "glossaries:read", draw: draw_glossaries },
		voices: { title: t("console.voices"), menu: true, scope: "voices:read", draw: draw_voices },
		keys: { title: t("console.keys"), menu: true, scope: "keys:read", draw: draw_keys },
		webhooks: { title: t("console.webhooks"), menu: true, scope: "webhooks:read", draw: draw_webhooks },
		usage: { title: t("console.usage"), menu: true, scope: "balance:read", draw: draw_usage },
		developer: { title: t("console.developer"), menu: true, draw: draw_developer },
		event: { title: t("console.event"), draw: draw_event },
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
	shown = new AbortController();
	const view = make("div", { id: "view" });
	byId("view").replaceWith(view);
	clear();
	draw_menu();
	say("heading", screen.title);
	document.title = screen.title;
	byId("heading").focus();
	try {
		await screen.draw(view, shown.signal, rest);
	} catch (error) {
		fail(error);
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
		history.replaceState(null, "", location.pathname); // it is good once, and no bookmark
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

await load("console");
await begin();
