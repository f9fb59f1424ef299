// SPDX-License-Identifier: GPL-3.0-or-later
// Webhooks: create, test, and see the results of deliveries.
import { fill, make } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { card_head, empty, menu, pill } from "./parts.js";
import { all, ask, change, edit } from "./service.js";
import { may } from "./session.js";
import { button, button_twice, copyable, fail, field, form, tell } from "./words.js";

const SENT = 20; // deliveries that are shown
/** Events that a webhook can have. @type {Record<string, string[]>} */
const EVENTS = { event: ["created", "updated", "live", "finished", "deleted"], channel: ["ready", "live", "stopped", "failed", "deleted"], transcript: ["ready"], listener_request: ["created", "decided"],
	voice: ["ready", "failed"], glossary: ["ready", "failed"], balance: ["low", "empty"] };

/** Choices of events; none chosen: all. @param {string[]} [chosen] */
const event_choices = (chosen = []) => make("fieldset", { "data-field": "events" }, make("legend", null, t("console.hook_events")), make("div", { class: "choices" }, ...Object.entries(EVENTS).flatMap(([kind, all]) => all.map(one => `${kind}.${one}`))
	.map(one => make("label", null, make("input", { type: "checkbox", name: "events", value: one, checked: chosen.includes(one) }), make("code", null, one)))));

/** @param {HTMLFormElement} it */
function events_of(it) {
	const chosen = new FormData(it).getAll("events");
	return chosen.length ? chosen : ["*"];
}

/** @param {HTMLElement} place @param {string} secret */
function show_secret(place, secret) {
	place.classList.add("pad");
	fill(place, make("p", null, t("console.secret_once")), copyable(t("console.secret"), secret));
}

/** The type of a message; opened, it shows the body. @param {any} one @param {string} path */
function body_of(one, path) {
	const text = make("pre", { dir: "ltr", tabIndex: 0, role: "group", "aria-label": one.event_type });
	const it = make("details", { ontoggle: () => it.open && !text.textContent && ask("GET", `${path}/${one.delivery_id}`)
		.then(({ data }) => fill(text, JSON.stringify(JSON.parse(data.body), null, 2)), fail) }, make("summary", null, make("code", null, one.event_type)), text);
	return it;
}

/** @param {any} hook @param {HTMLElement} place */
async function show_deliveries(hook, place) {
	const path = `saas/webhook/${hook.webhook_id}/deliveries`, { data } = await ask("GET", path, { query: { page_size: SENT } });
	fill(place, data.items.length ? null : make("p", { class: "soft pad" }, t("console.nothing_sent")), make("ul", { class: "rows" }, ...data.items.map((/** @type {any} */ one) =>
		make("li", null, pill(one.status === "failed" ? "bad" : one.status === "pending" ? "" : "live", t(`console.delivery.${one.status}`)),
			make("span", { class: "grow" }, body_of(one, path), make("small", null, [time(one.utc_created_at), one.response_status, one.response_ms !== null && `${one.response_ms} ms`, one.tries > 1 && `× ${one.tries}`, one.error].filter(Boolean).join(" · "))),
			may("webhooks:write") && one.status !== "pending" && button(t("console.send_again"), async () => {
				await change("POST", `${path}/${one.delivery_id}/redeliver`, undefined);
				await show_deliveries(hook, place);
			})))));
}

/** @param {any} hook @param {() => Promise<void>} again */
function hook_card(hook, again) {
	const path = `saas/webhook/${hook.webhook_id}`, sent = make("div", { class: "sent" });
	const writes = may("webhooks:write"), name = hook.url.replace(/^https?:\/\//, "");
	return make("li", { class: "card" }, make("header", null, make("h2", { dir: "ltr" }, name), pill(hook.is_enabled ? "live" : "bad", hook.is_enabled ? t("console.hook_on") : t("console.hook_off")),
		make("span", { class: "chips" }, ...(hook.events[0] === "*" ? [t("console.all_events")] : hook.events).map((/** @type {string} */ one) => make("span", { class: "chip" }, one))),
		make("div", { class: "row push" }, button(t("console.deliveries"), () => show_deliveries(hook, sent), "bare"),
			writes && button(t("console.try"), async () => (await change("POST", `${path}/test`, undefined), show_deliveries(hook, sent))),
			menu(t("console.more_for", { name }), writes && button(hook.is_enabled ? t("console.switch_off") : t("console.switch_on"), async () =>
				(await edit(path, () => ({ is_enabled: !hook.is_enabled })), again()), "", "hook"),
			writes && button(t("console.hook_events_change"), () => fill(sent, form(t("console.save"), async (_, it) => {
				await edit(path, () => ({ events: events_of(it) }));
				tell(t("console.saved"));
				await again();
			}, event_choices(hook.events))), "", "edit"),
			writes && button_twice(t("console.new_secret"), t("console.new_secret_sure"), async () => show_secret(sent, (await change("POST", `${path}/rotate-secret`, undefined)).secret), "", "key"),
			writes && button_twice(t("console.delete"), t("console.delete_sure"), async () => (await change("DELETE", path, undefined), tell(t("console.deleted")), again()), "danger")))), sent);
}

/** The cards of webhooks. */
export function hooks_part() {
	const list = make("ul", { class: "stack", id: "hooks" }), none = make("div", { role: "status" });
	const again = async () => {
		const hooks = await all("saas/webhooks");
		fill(none, !hooks.length && make("section", { class: "card" }, empty("hook", t("console.no_webhooks"), t("console.no_webhooks_how"))));
		fill(list, ...hooks.map(one => hook_card(one, again)));
	};
	return { parts: [none, list], again };
}

/** @param {HTMLElement} view */
export async function draw_webhooks(view) {
	const { parts, again } = hooks_part(), secret = make("div", { role: "status", class: "stack" });
	view.append(...parts);
	if (may("webhooks:write"))
		view.append(make("section", { class: "card" }, card_head(t("console.new_webhook")), form(t("console.make_webhook"), async ({ url }, it) => {
			const made = await change("POST", "saas/webhook", { url, events: events_of(it) });
			show_secret(secret, made.secret);
			it.reset();
			await again();
		}, field("url", t("console.address"), { type: "url", required: true, maxLength: 2083, placeholder: "https://", dir: "ltr" }), event_choices()), secret));
	await again();
}
