// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around each screen: the navigation at the side, or a bar above and a dock below.
import { byId, fill, make, say, show } from "../shared/dom.js";
import { direction_of, name_of, t } from "../shared/i18n.js";
import { icon } from "../shared/svg.js";
import { mark } from "./parts.js";
import { may, me, sign_out } from "./session.js";
import { ui_choice } from "./words.js";

/**
 * A screen draws itself into a view. The signal ends its requests and timers. Those with a `group`
 * are in the navigation; those with the same `tabs` are beside one another.
 * @typedef {{ title: string, scope?: string, group?: string, icon?: string, dock?: boolean, tabs?: string, under?: string,
 *   draw: (view: HTMLElement, signal: AbortSignal, rest: string[]) => any }} Screen
 */

/** @param {Record<string, Screen>} screens */
export const open_to_me = screens => Object.entries(screens).filter(([, one]) => !one.scope || may(one.scope));

/** @param {string} name @param {Screen} screen @param {boolean} here */
const place = (name, screen, here) => make("a", { href: `#/${name}`, "aria-current": here && "page" }, icon(screen.icon || "next"), make("span", null, screen.title));

/** @param {Record<string, Screen>} screens @param {string} now the shown one */
export function draw_frame(screens, now) {
	const all = open_to_me(screens), at = screens[now].under || now, groups = [...new Set(all.map(([, one]) => one.group))].filter(one => one !== undefined);
	fill(byId("menu"), ...groups.flatMap(group => [group && make("h2", null, t(`console.group.${group}`)), make("ul", null, ...all.filter(([, one]) => one.group === group)
		.map(([name, one]) => make("li", null, place(name, one, name === at))))]));
	const dock = all.filter(([, one]) => one.dock);
	fill(byId("dock"), ...dock.map(([name, one]) => place(name, one, name === at || name === "more" && !dock.some(([other]) => other === at))));
	say("account", me.name || me.user_id);
	say("face", (me.name || "•").split(/\s+/).slice(0, 2).map((/** @type {string} */ word) => word.charAt(0)).join("").toLocaleUpperCase());
	const beside = all.filter(([, one]) => one.tabs && one.tabs === screens[now].tabs);
	return beside.length > 1 && make("nav", { class: "tabs", "aria-label": screens[at].title }, ...beside.map(([name, one]) =>
		make("a", { href: `#/${name}`, "aria-current": name === now && "page" }, one.title)));
}

/** @param {boolean} inside true: the frame; false: the page to sign in */
export function show_frame(inside) {
	document.body.className = inside ? "app" : "login";
	for (const id of ["side", "top", "dock", "skip"])
		show(id, inside);
	show("show", !inside);
	show("logo", !inside);
	byId("skip").onclick = () => byId("main").focus();
	fill(byId("find"), icon("search"), make("span", { class: "grow" }, t("console.palette")), make("kbd", { translate: false }, "Ctrl K"));
	fill(byId("find-top"), icon("search"));
	fill(byId("ui"), inside && ui_choice());
	const leave = byId("leave");
	fill(leave, icon("door"));
	leave.title = t("console.leave");
	leave.onclick = sign_out;
	const said = { en: "Every minute counts.", es: "Cada minuto cuenta.", de: "Jede Minute zählt.", ar: "كل دقيقة مهمة." };
	fill(byId("show"), ...inside ? [] : [make("h2", null, t("console.motto")), make("ul", null, ...Object.entries(said).map(([code, text]) =>
		make("li", null, mark(code), make("span", { lang: code, dir: direction_of(code) }, text))))]);
}

/** The other places, for small screens. @param {Record<string, Screen>} screens @param {HTMLElement} view */
export function draw_more(screens, view) {
	fill(view, make("ul", { class: "card rows" }, ...open_to_me(screens).filter(([, one]) => one.group !== undefined && !one.dock)
		.map(([name, one]) => make("li", null, icon(one.icon || "next"), make("a", { class: "grow", href: `#/${name}` }, one.title))),
	make("li", null, icon("globe"), ui_choice()), make("li", null, icon("door"), make("button", { type: "button", class: "bare", onclick: sign_out }, t("console.leave")))));
}

/** @param {string} code @param {boolean} [own] */
export const language_of = (code, own) => code === "original" ? t("console.original") : code === "auto" ? t("console.detected") : name_of(code, own);

/** Names one language, or says how many there are. @param {string[]} codes */
export const languages_told = codes => codes.length === 1 ? language_of(codes[0]) : t("console.languages_count", { count: codes.length });
