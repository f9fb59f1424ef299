// SPDX-License-Identifier: GPL-3.0-or-later
// A language that is missing: asks for it, and tells when it has come, in the page and by a
// notification if the listener allows that.
import { byId, keep, make, nap, say } from "../shared/dom.js";
import { best_of, name_of, t } from "../shared/i18n.js";
import { load_parts } from "./parts.js";

/** @typedef {import("../shared/event.js").PublicEvent} PublicEvent */

const AGAIN = 15000; // ms between two looks at the event's languages

/** Codes of languages that a listener may ask for. */
const WISHES = ("ar bg bn ca cs da de el en es et fa fi fr gu he hi hr hu id it ja ko lt lv mr ms nl no pa pl pt ro ru sk sl sq sr " +
	"sv sw ta te th tl tr uk ur vi zh").split(" ");

/** Shows the form that asks for a language. @param {PublicEvent} event @param {string[]} there @param {(language: string) => void} came */
export async function offer_wishes(event, there, came) {
	await load_parts();
	const names = WISHES.filter(code => !there.includes(code)).map(code => ({ code, name: name_of(code) }))
		.sort((a, b) => a.name.localeCompare(b.name));
	const mine = best_of(names.map(one => one.code), navigator.languages);
	const wish = make("select", { id: "wish" }, ...names.map(({ code, name }) => make("option", { value: code, selected: code === mine }, `${name} (${code})`)));
	const asked = make("p", { id: "asked", role: "status" });
	document.getElementById("request")?.remove();
	byId("missing").after(make("form", { id: "request", class: "card", onsubmit: (/** @type {SubmitEvent} */ submit) => {
		submit.preventDefault();
		ask(event, wish.value, came);
	} }, make("label", { for: "wish" }, t("listen.wish")), wish, make("button", { class: "strong" }, t("listen.ask")), asked));
	wish.focus();
}

/** @param {PublicEvent} event @param {string} language @param {(language: string) => void} came */
async function ask(event, language, came) {
	try {
		const count = await event.ask_for(language);
		say("asked", `${t("listen.askedby", { language: name_of(language), count })} ${t("listen.tellyou")}`);
		keep("tab", `asked ${event.id}`, language);
		if ("Notification" in window && Notification.permission === "default")
			Notification.requestPermission();
		wait_for(event, came);
	} catch (error) {
		const { slug } = /** @type {import("../shared/api.js").Problem} */ (error);
		say("asked", t(slug === "language-already-available" ? "listen.already" : slug === "listener-requests-off" ||
			slug === "language-limit-reached" ? "listen.nomore" : "listen.unreached"));
	}
}

let waits = false;

/** Looks until the language that this tab asked for is there. @param {PublicEvent} event @param {(language: string) => void} came */
export async function wait_for(event, came) {
	const wanted = () => keep("tab", `asked ${event.id}`);
	if (waits || !wanted())
		return;
	waits = true;
	for (; wanted(); await nap(AGAIN)) {
		const view = await event.read().catch(() => null), language = view && best_of(event.languages(view).targets, [wanted() || ""]);
		if (!language)
			continue;
		keep("tab", `asked ${event.id}`, null);
		await load_parts();
		notify(language);
		came(language);
	}
	waits = false;
}

/** @param {string} language */
function notify(language) {
	try {
		if (document.hidden && Notification.permission === "granted")
			new Notification(document.title, { body: t("listen.came", { language: name_of(language) }), lang: document.documentElement.lang });
	} catch {
		// some phones show notifications of service workers only
	}
}

/** Tells in the page that a language is there. @param {string} language @param {() => void} change */
export function tell_came(language, change) {
	const note = make("p", { class: "card row", role: "status", id: "came" }, t("listen.came", { language: name_of(language) }),
		make("button", { class: "strong", onclick: () => (note.remove(), change()) }, t("listen.change")),
		make("button", { onclick: () => note.remove() }, t("listen.close")));
	document.getElementById("came")?.remove();
	byId("error").before(note);
}
