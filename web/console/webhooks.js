// SPDX-License-Identifier: GPL-3.0-or-later
// Webhooks: create, test, and see the results of deliveries.
import { fill, make, say } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { all, ask, change, edit } from "./service.js";
import { may } from "./session.js";
import { button, button_twice, copyable, field, form, tell } from "./words.js";

const SENT = 20; // deliveries that are shown

/** @param {any} hook @param {HTMLElement} place */
async function show_deliveries(hook, place) {
	const path = `saas/webhook/${hook.webhook_id}/deliveries`, { data } = await ask("GET", path, { query: { page_size: SENT } });
	fill(place, data.items.length ? null : make("p", null, t("console.nothing_sent")), make("ul", { class: "plain" }, ...data.items.map((/** @type {any} */ one) =>
		make("li", { class: one.status === "failed" && "bad" }, `${one.event_type} · ${t(`console.delivery.${one.status}`)} · ${time(one.utc_created_at)}${one.error ? ` · ${one.error}` : ""} `,
			may("webhooks:write") && one.status !== "pending" && button(t("console.send_again"), async () => {
				await change("POST", `${path}/${one.delivery_id}/redeliver`, undefined);
				await show_deliveries(hook, place);
			})))));
}

/** @param {any} hook @param {() => Promise<void>} again */
function hook_card(hook, again) {
	const path = `saas/webhook/${hook.webhook_id}`, sent = make("div", { class: "sent" });
	return make("li", { class: "card" }, make("h2", { dir: "ltr" }, hook.url), make("p", { class: "soft" }, hook.events[0] === "*" ? t("console.all_events") : hook.events.join(" ")),
		make("p", { class: hook.is_enabled ? "good" : "bad" }, hook.is_enabled ? t("console.hook_on") : t("console.hook_off")),
		make("div", { class: "row" }, button(t("console.deliveries"), () => show_deliveries(hook, sent)),
			may("webhooks:write") && button(t("console.try"), async () => (await change("POST", `${path}/test`, undefined), show_deliveries(hook, sent))),
			may("webhooks:write") && button(hook.is_enabled ? t("console.switch_off") : t("console.switch_on"), async () =>
				(await edit(path, () => ({ is_enabled: !hook.is_enabled })), again())),
			may("webhooks:write") && button_twice(t("console.delete"), t("console.delete_sure"), async () => (await change("DELETE", path, undefined), tell(t("console.deleted")), again()))), sent);
}

/** @param {HTMLElement} view */
export async function draw_webhooks(view) {
	const list = make("ul", { class: "plain", id: "hooks" }), state = make("p", { role: "status" }), secret = make("div", { role: "status" });
	const again = async () => {
		const hooks = await all("saas/webhooks");
		say(state, hooks.length ? "" : t("console.no_webhooks"));
		fill(list, ...hooks.map(one => hook_card(one, again)));
	};
	if (may("webhooks:write"))
		view.append(form(t("console.make_webhook"), async ({ url }, it) => {
			const made = await change("POST", "saas/webhook", { url, events: ["*"] });
			fill(secret, make("p", null, t("console.secret_once")), copyable(t("console.secret"), made.secret));
			it.reset();
			await again();
		}, field("url", t("console.address"), { type: "url", required: true, maxLength: 2083, placeholder: "https://", dir: "ltr" })), secret);
	view.append(state, list);
	await again();
}
