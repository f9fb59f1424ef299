// The halls of an event: how each is, and the links of those who need one.
import { base } from "../shared/api.js";
import { make, say, show } from "../shared/dom.js";
import { has, name_of, number, t } from "../shared/i18n.js";
import { change, edit, read, watch } from "./service.js";
import { may } from "./session.js";
import { button, copyable, fail, form, keyed, tell } from "./words.js";
import { choice, source_names, target_boxes } from "./create.js";

/** @param {any} channel */
function light(channel) {
	const state = channel.lifecycle_status !== "ready" ? channel.lifecycle_status : channel.runtime_status === "active" ? "live" :
		channel.runtime_status === "failed" ? "failed" : "waiting";
	return make("p", { class: `light ${state}` }, t(`console.light.${state}`));
}

/** @param {any} warning */
function warning_line(warning) {
	const slug = String(warning.type || "").split("/").pop();
	return make("li", { class: "bad" }, has(`console.problem.${slug}`) ? `${t(`console.problem.${slug}`)} ` : "", warning.detail || warning.title || "");
}

/** @param {any} event @param {any} channel */
const query_of = (event, channel) => new URLSearchParams({ e: event.event_id, ...(channel.stage_id && { s: channel.stage_id }) });

/** @param {any} event @param {any} channel */
function hall_links(event, channel) {
	const query = query_of(event, channel);
	/** @type {Record<string, string>} */
	const code = event.access_code ? { code: event.access_code } : {};
	const first = channel.target_languages.slice(0, 3).join(",") || "original";
	const screen = `${base}screen/?${query}#${new URLSearchParams({ l: first, ...code })}`;
	const listen = `${base}listen/?${query}${event.access_code ? `#${new URLSearchParams(code)}` : ""}`;
	return make("details", null, make("summary", null, t("console.links")), copyable(t("console.screen"), screen),
		copyable(t("console.obs"), `${screen}&bg=transparent`), copyable(t("console.listen"), listen),
		make("a", { class: "button", href: listen, target: "_blank", rel: "noopener" }, t("console.preview")));
}

/** @param {any} event @param {any} channel */
function speaker_link(event, channel) {
	const place = make("div", null);
	return make("div", null, make("p", { class: "soft" }, t("console.speaker_how")), button(t("console.speaker"), async () => {
		const { url, token } = await change("POST", `saas/channel/${channel.channel_id}/speaker-token`, {});
		const known = new URLSearchParams({ ws_url: url, token, e: event.event_id, ...(channel.stage_id && { s: channel.stage_id }) });
		place.replaceChildren(copyable(t("console.speaker"), `${base}speak/#${known}`));
	}), place);
}

/** @param {any} channel @param {() => any} again */
function languages_form(channel, again) {
	const place = make("div", null), it = make("details", null, make("summary", null, t("console.languages")), place);
	it.ontoggle = async () => {
		if (!it.open || place.firstChild)
			return;
		const languages = await read("languages").catch(fail);
		if (!languages)
			return;
		let source = channel.source_language;
		const boxes = target_boxes(languages, () => source, channel.target_languages);
		const shown = form(t("console.save"), async () => {
			await edit(`saas/channel/${channel.channel_id}`, () => ({ source_language: source, target_languages: boxes.chosen() }));
			tell(t("console.saved"));
			await again();
		}, choice("source_language", t("console.spoken"), source_names(languages), source), make("fieldset", null, make("legend", null, t("console.targets")), boxes.box));
		shown.oninput = ({ target }) => {
			const { name, value } = /** @type {HTMLSelectElement} */ (target);
			if (name === "source_language") {
				source = value;
				boxes.draw();
			}
		};
		place.append(shown);
	};
	return it;
}

/** What of a channel a card shows; the rest may change without a new card. @param {any} one */
const shown_of = one => ({ channel_id: one.channel_id, stage_id: one.stage_id, name: one.name, lifecycle_status: one.lifecycle_status, runtime_status: one.runtime_status,
	source_language: one.source_language, target_languages: one.target_languages, error: one.error, warnings: one.warnings });

/** @param {any} event @param {any} channel @param {() => any} again */
function card(event, channel, again) {
	const retry = may("channels:write") && channel.lifecycle_status !== "ready" && channel.lifecycle_status !== "deleting";
	const stage = event.stages.find((/** @type {any} */ one) => one.stage_id === channel.stage_id);
	return make("li", { class: "card", "data-channel": channel.channel_id }, make("h2", { dir: "auto" }, stage && stage.name !== channel.name ? `${stage.name} · ${channel.name}` : channel.name),
		light(channel), make("p", null, `${name_of(channel.source_language)} → ${channel.target_languages.map((/** @type {string} */ code) => name_of(code)).join(", ")}`),
		make("p", { class: "listeners" }), channel.error && make("p", { class: "bad" }, channel.error),
		channel.warnings.length > 0 && make("ul", null, ...channel.warnings.map(warning_line)),
		retry && button(t("console.retry"), async () => (await change("POST", `saas/channel/${channel.channel_id}/retry`, undefined), again())),
		may("channels:write") && speaker_link(event, channel), hall_links(event, channel), may("channels:write") && languages_form(channel, again));
}

/** @param {HTMLElement} list @param {any} stats */
function show_listeners(list, stats) {
	const by = stats ? stats.now.by_channel : [];
	for (const one of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-channel]"))) {
		const mine = by.filter((/** @type {any} */ row) => row.channel_id === one.dataset.channel);
		const sum = mine.reduce((/** @type {number} */ n, /** @type {any} */ row) => n + row.listeners, 0);
		const line = /** @type {HTMLElement} */ (one.querySelector(".listeners"));
		say(line, [t("console.listeners", { count: sum }), ...mine.map((/** @type {any} */ row) => `${row.language === "original" ? t("console.original") : name_of(row.language)} ${number(row.listeners)}`)].join(" · "));
		show(line, stats);
	}
}

/** @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export function draw_halls(view, signal, event) {
	const list = make("ul", { class: "plain" }), none = make("p", { role: "status" });
	/** @type {any} */
	let stats = null;
	view.append(none, list);
	const again = watch(signal, "saas/channels", channels => {
		say(none, channels.length ? "" : t("console.no_halls"));
		keyed(list, channels.map(shown_of), one => one.channel_id, one => card(event, one, again));
		show_listeners(list, stats);
	}, fail, { event_id: event.event_id });
	watch(signal, `saas/v2/event/${event.event_id}/stats`, now => show_listeners(list, stats = now), fail);
}
