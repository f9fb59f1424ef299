// SPDX-License-Identifier: GPL-3.0-or-later
// Languages that listeners ask for. The user approves or declines each.
import { fill, make, say } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { change, edit, read, watch } from "./service.js";
import { may } from "./session.js";
import { button, fail, field, form, keyed, tell } from "./words.js";

const REQUESTS_SHOWN = 50; // requests that are shown

/**
 * Approves a request. The hall gets the language first, so that a refusal leaves the request
 * unchanged.
 * @param {any} event @param {any} asked
 */
async function approve(event, asked) {
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

/** @param {any} event @param {any} asked @param {Set<string> | null} served @param {() => any} again */
function request_row(event, asked, served, again) {
	const { language } = asked.payload, at = `saas/v2/event/${event.event_id}/requests/${asked.request_id}`;
	return make("li", { class: "card" }, make("h2", null, name_of(language)),
		make("p", null, t("console.asked_by", { count: asked.request_count })),
		served && !served.has(language) && make("p", { class: "bad" }, t("console.no_engine")),
		may("events:write") && make("div", null,
			button(t("console.approve"), async () => (await approve(event, asked), again()), "strong"),
			form(t("console.decline"), async ({ reason }) => {
				await change("POST", `${at}/reject`, reason ? { reason } : {});
				tell(t("console.declined"));
				await again();
			}, field("reason", t("console.reason"), { maxLength: 500 }))));
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export async function draw_requests(view, signal, event) {
	const list = make("ul", { class: "plain" }), state = make("p", { role: "status" }), room = make("p", { class: "soft" }), more = make("div", null);
	/** @type {any[]} */
	let asked = [];
	let shown = REQUESTS_SHOWN;
	fill(view, room, state, list, more);
	const languages = await read("languages").catch(() => null);
	const served = languages && new Set(languages.pairs.filter((/** @type {any} */ one) => one.engine).map((/** @type {any} */ one) => one.target));
	const again = watch(signal, `saas/v2/event/${event.event_id}/requests`, ({ requests, language_capacity: capacity }) => {
		say(room, capacity ? t("console.capacity", { used: capacity.used, limit: capacity.limit }) : "");
		say(state, requests.length ? t("console.wait.requests", { count: requests.length }) : t("console.no_requests"));
		asked = requests;
		draw();
	}, fail);
	const draw = () => {
		keyed(list, asked.slice(0, shown), one => one.request_id, one => request_row(event, one, served, again));
		fill(more, asked.length > shown && button(t("console.more"), () => (shown += REQUESTS_SHOWN, draw())));
	};
}
