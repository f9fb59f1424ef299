// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of a hall or of an event: play, download and delete.
import { fill, make, say } from "../shared/dom.js";
import { language, name_of, t, time } from "../shared/i18n.js";
import { pages_of } from "./pages.js";
import { change, read } from "./service.js";
import { may } from "./session.js";
import { button, button_twice, keyed, sentence, tell } from "./words.js";

/** Formats a duration as hours, minutes and seconds. @param {number} ms */
function clock_of(ms) {
	const s = Math.round(ms / 1000), two = new Intl.NumberFormat(language(), { minimumIntegerDigits: 2, useGrouping: false });
	return [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60].map(two.format).join(":");
}

/** @param {number} bytes */
function size_of(bytes) {
	const [unit, of] = bytes < 1e6 ? ["kilobyte", 1e3] : bytes < 1e9 ? ["megabyte", 1e6] : ["gigabyte", 1e9];
	return new Intl.NumberFormat(language(), { style: "unit", unit: String(unit), maximumSignificantDigits: 3 }).format(bytes / Number(of));
}

/**
 * Makes a player. When its link expires during a pause, it takes a new one.
 * @param {string} name @param {() => string} url
 */
function player(name, url) {
	const it = make("audio", { controls: true, src: url(), "aria-label": name, onerror: () => {
		const at = it.currentTime;
		if (!at || it.src === url())
			return tell(t("console.problem.resource-not-found"), true);
		it.src = url();
		it.currentTime = at;
		it.play().catch(() => {});
	} });
	it.play().catch(() => {});
	return it;
}

/** @param {any} event @param {[string, boolean]} hall its name, and whether to show it @param {any} one without its link @param {() => string} url @param {() => Promise<void>} look */
function recording_row(event, [hall, shown], { recording_id, channel_id, language: code, format, utc_start_at: at, duration_ms, size_bytes }, url, look) {
	const when = time(at, event.timezone), spoken = code === "original" ? t("console.original") : code ? name_of(code) : t("console.several_languages");
	const place = make("div", null), file = [hall, at.slice(0, 16).replace(":", "."), code].filter(Boolean).join(" ");
	const link = make("a", { class: "button", href: url(), download: `${file}.${format}`, onclick: () => (link.href = url()) }, t("console.download"));
	return make("li", { "data-recording": recording_id }, make("h3", null, when), make("p", { dir: "auto" }, [shown && hall, spoken, format.toUpperCase(), clock_of(duration_ms), size_of(size_bytes)].filter(Boolean).join(" · ")),
		place, make("div", { class: "row" }, button(t("console.play"), () => fill(place, player(`${spoken}, ${when}`, url)), "", "play"), link,
			may("channels:write") && button_twice(t("console.delete"), t("console.delete_sure"), async () => {
				await change("DELETE", `saas/channel/${channel_id}/recordings/${recording_id}`, undefined);
				tell(t("console.deleted"));
				await look();
			})));
}

/** @param {HTMLElement} place @param {AbortSignal} signal @param {any} event @param {string} path @param {(one: any) => [string, boolean]} hall */
function draw_list(place, signal, event, path, hall) {
	const list = make("ul", null), state = make("p", { role: "status" }, "…");
	/**
	 * Link of each recording. A link is valid for an hour; each answer of the service has new
	 * links.
	 * @type {Map<string, string>}
	 */
	const urls = new Map();
	const pages = pages_of(signal, `${path}/recordings`, items => {
		say(state, items.length ? "" : t("console.no_recordings"));
		items.forEach(one => urls.set(one.recording_id, one.url));
		keyed(list, items.map(({ url, ...one }) => one), one => one.recording_id, one =>
			recording_row(event, hall(one), one, () => urls.get(one.recording_id) || "", pages.look));
	}, error => say(state, sentence(error)));
	fill(place, state, list, pages.box);
	pages.find({});
}

/** @param {HTMLElement} place @param {AbortSignal} signal @param {any} event @param {any} channel */
export const draw_recordings = (place, signal, event, { channel_id, name }) =>
	draw_list(place, signal, event, `saas/channel/${channel_id}`, () => [name, false]);

/** Draws those of all halls. @param {HTMLElement} view @param {AbortSignal} signal @param {any} event */
export async function draw_all_recordings(view, signal, event) {
	const place = make("div", { class: "pad" }), { event_id } = event;
	/** @type {Map<string, string>} */
	const names = new Map((await read("saas/channels", { event_id })).map((/** @type {any} */ { channel_id, name }) => [channel_id, name]));
	fill(view, make("section", { class: "card" }, make("header", null, make("h2", null, t("console.recordings"))), place));
	draw_list(place, signal, event, `saas/v2/event/${event_id}`, ({ channel_id }) => [names.get(channel_id) || "", true]);
}
