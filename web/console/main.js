// The console: who signs in, and which screen is shown.
import { byId, fill, make, say, show } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";
import { know_me, may, me, sign_in_form, sign_out, signed_in, use_link } from "./session.js";
import { clear } from "./service.js";
import { fail } from "./words.js";

/**
 * A screen draws itself into a view; what it began ends with the signal.
 * @typedef {{ title: string, scope?: string, menu?: boolean, draw: (view: HTMLElement, signal: AbortSignal, rest: string[]) => any }} Screen
 */

/** @type {Record<string, Screen>} */
const screens = {};
let shown = new AbortController();

async function read_screens() {
	Object.assign(screens, {
		home: { title: t("console.home"), menu: true, draw: (await import("./home.js")).draw },
		new: { title: t("console.new"), menu: true, scope: "events:write", draw: (await import("./create.js")).draw },
		event: { title: t("console.event"), draw: (await import("./event.js")).draw },
	});
}

function draw_menu() {
	const [now] = location.hash.slice(2).split("/");
	fill(byId("menu"), ...Object.entries(screens).filter(([, one]) => one.menu && (!one.scope || may(one.scope)))
		.map(([name, one]) => make("a", { href: `#/${name}`, "aria-current": (now || "home") === name && "page" }, one.title)));
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
	await read_screens();
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
