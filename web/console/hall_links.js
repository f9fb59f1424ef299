// SPDX-License-Identifier: GPL-3.0-or-later
// The links of a hall, in sections of its card that are drawn when they are opened.
import { base } from "../shared/api.js";
import { fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { qr_of, sure } from "./parts.js";
import { change, read } from "./service.js";
import { short_of } from "./share.js";
import { button, copyable, fail, link, tell } from "./words.js";

/**
 * Makes a closed section of a card whose content is drawn when it is first opened.
 * @param {string} title @param {(place: HTMLElement) => Promise<void>} draw
 */
export function panel(title, draw) {
	const place = make("div", null), it = make("details", { class: "panel" }, make("summary", null, title), place);
	it.ontoggle = () => {
		if (!it.open || place.firstChild)
			return;
		place.append("…");
		draw(place).then(() => it.scrollIntoView({ block: "nearest" }), error => {
			place.replaceChildren();
			fail(error);
		});
	};
	return it;
}

/** @param {any} event @param {any} channel */
const query_of = (event, channel) => new URLSearchParams({ e: event.event_id, ...(channel.stage_id && { s: channel.stage_id }) });

/** @param {any} event @param {any} channel */
export function hall_links(event, channel) {
	const query = query_of(event, channel);
	/** @type {Record<string, string>} */
	const code = event.access_code ? { code: event.access_code } : {};
	const first = channel.target_languages.slice(0, 3).join(",") || "original";
	const screen = `${base}screen/?${query}#${new URLSearchParams({ l: first, ...code })}`;
	const listen = `${short_of(event, channel.stage_id) || `${base}listen/?${query}`}${event.access_code ? `#${new URLSearchParams(code)}` : ""}`;
	return [make("div", { class: "row" }, link(t("console.look.title"), `#/event/${event.event_id}/look/${channel.channel_id}`, "", "screen")), copyable(t("console.screen"), screen), copyable(t("console.obs"), `${screen}&bg=transparent`), copyable(t("console.listen"), listen)];
}

/**
 * Returns the speaker's current link and its QR code, and a button for a new link.
 * @param {any} channel @param {() => boolean} is_live true: the speaker may be on the air
 */
export function speaker_link(channel, is_live) {
	const path = `saas/channel/${channel.channel_id}/speaker-token`;
	return panel(t("console.speaker"), async place => {
		const draw = (/** @type {any} */ { short_url, qr_svg }) => fill(place, make("div", { class: "qr-box" }, qr_of(qr_svg, t("console.speaker")),
			make("div", { class: "stack" }, make("p", { class: "soft" }, t("console.speaker_how")), copyable(t("console.speaker"), short_url),
				make("div", { class: "row" }, button(t("console.speaker_new"), async () => {
					if (!is_live() || await sure(`${t("console.speaker_new")}?`, t("console.speaker_make"), t("console.speaker_cut"))) {
						draw(await change("POST", path, {}));
						tell(t("console.speaker_made"));
					}
				}, "", "link")))));
		draw(await read(path));
	});
}
