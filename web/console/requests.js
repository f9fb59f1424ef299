// SPDX-License-Identifier: GPL-3.0-or-later
// Languages that listeners ask for. The user approves or declines each.
import { fill, make, say } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { change, edit, read, watch } from "./service.js";
import { may } from "./session.js";
import { empty } from "./parts.js";
import { button, fail, field, form, keyed, tell } from "./words.js";

const REQUESTS_SHOWN = 50; // requests that are shown

/**
 * Approves a request. The hall gets the language first, so that a refusal leaves the request
 * unchanged.
 * @param {any} event @param {any} asked
 */
export async function approve(event, asked) {
	const { language } = asked.payload;
	const channels = await read("saas/channels", { event_id: event.event_id });
	const one = channels.find((/** @type {any} */ channel) => channel.channel_id === asked.channel_id) ||
		channels.sort((/** @type {any} */ a, /** @type {any} */ b) => a.utc_created_at.localeCompare(b.utc_created_at))[0];
	if (!one)
		return tell(t("console.no_halls"), true);
	if (!one.target_languages.includes(language))
		await edit(`saas/channel/${one.channel_id}`, ({ target_languages }) =>
			({ target_languages: [...new Set([...target_languages, language])] }));
	await change("POST", `saas/v2/event/${event.event_id}/requests/${asked.request_id}/approve`, undefined);
	tell(t("console.approved", { language: name_of(language) }));
}

/** @param {any} event @param {any} asked @param {string} [reason] */
export async function decline(event, asked, reason) {
	await change("POST", `saas/v2/event/${event.event_id}/requests/${asked.request_id}/reject`, reason ? { reason } : {});
	tell(t("console.declined"));
}

/** @param {any} event @param {any} asked @param {() => any} again */
function request_row(event, asked, again) {
	return make("li", { class: "card" }, make("header", null, make("h2", null, name_of(asked.payload.language)),
		make("span", { class: "soft" }, t("console.asked_by", { count: asked.request_count })),
		may("events:write") && make("span", { class: "push" }, button(t("console.approve"), async () => (await approve(event, asked), again()), asked.served === false ? "" : "strong"))),
	asked.served === false && make("p", { class: "bad pad" }, t("console.no_engine")),
	may("events:write") && line_form(form(t("console.decline"), async ({ reason }) => {
		await decline(event, asked, reason);
		await again();
	}, field("reason", t("console.reason"), { maxLength: 500 }))));
}

/** @param {HTMLFormElement} it */
function line_form(it) {
	it.classList.add("line");
	it.querySelector(".strong")?.classList.remove("strong");
	return it;
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export async function draw_requests(view, signal, event) {
	const list = make("ul", { class: "stack" }), state = make("div", { role: "status" }), room = make("p", { class: "soft" }), more = make("div", null);
	/** @type {any[]} */
	let asked = [];
	let shown = REQUESTS_SHOWN;
	fill(view, room, state, list, more);
	const again = watch(signal, `saas/v2/event/${event.event_id}/requests`, ({ requests, language_capacity: capacity }) => {
		say(room, capacity ? t("console.capacity", { used: capacity.used, limit: capacity.limit }) : "");
		fill(state, requests.length ? t("console.wait.requests", { count: requests.length }) : make("section", { class: "card" }, empty("ask", t("console.no_requests"), t("console.no_requests_how"))));
		asked = requests;
		draw();
	}, fail);
	const draw = () => {
		keyed(list, asked.slice(0, shown), one => one.request_id, one => request_row(event, one, again));
		fill(more, asked.length > shown && button(t("console.more"), () => (shown += REQUESTS_SHOWN, draw())));
	};
}
