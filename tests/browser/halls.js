// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Creates events for listeners and sends texts into their channels.
const { base, call, page_of } = require("./service.js");

const hours = n => new Date(Date.now() + n * 3600000).toISOString();

// An event with a channel in its first hall.
async function hall({ source_language = "en", target_languages = ["es"], channel, ...of } = {}) {
	const event = await call("POST", "/saas/v2/event", { title: "Health Forum", event_type: "in-person",
		utc_start_dt: hours(-1), utc_end_dt: hours(3), ...of });
	const { input, channel_id } = await call("POST", "/saas/channel", { type: "event", name: "Main", event_id: event.event_id,
		stage_id: event.stages[0].stage_id, source_language, target_languages, ...channel });
	const at = { e: event.event_id, s: event.stages[0].stage_id };
	return { event, input, channel_id, speaker: page_of("speaker", { ws_url: input.url, token: input.token }),
		link: (hash = "", host = base) => `${host}/listen/?${new URLSearchParams(at)}#${hash}` };
}

// Sends texts to a hall without a microphone, from a page of its own.
async function say_words(browser, { input }, texts, language = "en") {
	const page = await (await browser.page()).open(`${base}/`);
	await page.ask(`new Promise((done, fail) => {
		const socket = window.socket = new WebSocket(${JSON.stringify(input.url)} + "?token=" + encodeURIComponent(${JSON.stringify(input.token)}));
		const send = (message_type, data = {}) => socket.send(JSON.stringify({ message_type, data }));
		socket.onerror = socket.onclose = () => fail(new Error("closed"));
		socket.onopen = () => {
			send("set_task", { input_stream: { content_type: "audio", source: { type: "ws", format: "pcm_s16le", sample_rate: 24000, channels: 1 } },
				output_stream: { content_type: "audio", target: { type: "ws", format: "pcm_s16le" } },
				pipeline: { transcription: { source_language: "en" }, translations: [] } });
			send("get_task");
		};
		let told = false;
		socket.onmessage = ({ data }) => {
			const { message_type, data: { code } } = JSON.parse(data);
			if (message_type === "error" && code === "NOT_FOUND")
				return setTimeout(send, 300, "get_task");
			if (message_type !== "current_task" || told)
				return;
			told = true;
			for (const text of ${JSON.stringify(texts)})
				send("tts_task", { text, language: ${JSON.stringify(language)}, translate_text: true });
			done();
		};
	})`);
	return page;
}

module.exports = { hall, say_words, hours };
