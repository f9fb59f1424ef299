// SPDX-License-Identifier: GPL-3.0-or-later
// The links of a hall, in sections of its card that are drawn when they are opened.
import { base } from "../shared/api.js";
import { fill, make } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { change, part, read } from "./service.js";
import { button_twice, copyable, fail } from "./words.js";

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
		draw(place).catch(error => {
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
	const listen = `${base}listen/?${query}${event.access_code ? `#${new URLSearchParams(code)}` : ""}`;
	return [copyable(t("console.screen"), screen), copyable(t("console.obs"), `${screen}&bg=transparent`), copyable(t("console.listen"), listen)];
}

/**
 * Returns the link of the speaker's page, which uses WebRTC if possible, else the socket.
 * @param {any} event @param {any} channel
 */
export function speaker_link(event, channel) {
	const path = `saas/channel/${channel.channel_id}/speaker-token`;
	return panel(t("console.speaker"), async place => {
		const show_link = async (/** @type {Promise<any>} */ asked) => {
			const by_janus = channel.input && channel.input.room, { join_preview } = await part(import("./hall_ear.js"));
			const [{ url, token }, { webrtc_url }] = await Promise.all([asked,
				by_janus ? { webrtc_url: null } : join_preview(event, channel).catch(() => ({ webrtc_url: null }))]);
			const known = new URLSearchParams({ ws_url: url, token, ...(webrtc_url && { webrtc_url }), e: event.event_id, ...(channel.stage_id && { s: channel.stage_id }) });
			fill(place, make("p", { class: "soft" }, t("console.speaker_how")), copyable(t("console.speaker"), `${base}speak/#${known}`),
				make("div", { class: "row" }, button_twice(t("console.speaker_new"), t("console.speaker_cut"), () => show_link(change("POST", path, {})), "", "link")));
		};
		await show_link(read(path));
	});
}
