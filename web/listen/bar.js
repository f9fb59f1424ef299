// SPDX-License-Identifier: GPL-3.0-or-later
// The settings bar of a listener: pause, letter size, language, volume, original beside the
// translation, and saving the text.
import { address } from "../shared/api.js";
import { byId, fill, keep, make, save, show } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";
import { path_of } from "../shared/event.js";
import { show_both } from "./beside.js";

const SMALLEST = 16, LARGEST = 64, STEP = 1.2;

export class Bar {
	constructor() {
		/** @type {import("./live.js").Live | null} */
		this.live = null;
		this.size = Number(keep("ever", "size")) || 22;
		this.resize(1);
		byId("smaller").onclick = () => this.resize(1 / STEP);
		byId("larger").onclick = () => this.resize(STEP);
		byId("pause").onclick = () => this.pause();
		byId("more").onclick = () => this.open();
		byId("done").onclick = () => byId("settings").close();
		byId("leave").onclick = () => (byId("settings").close(), this.live && this.live.leave(""));
		byId("volume").oninput = () => this.live && this.live.way.set_volume(byId("volume").valueAsNumber);
		byId("language").onchange = () => this.live && this.live.set_language(byId("language").value);
		byId("both").onchange = () => this.live && show_both(this.live, byId("both").checked);
		for (const button of byId("saves").children)
			button.onclick = () => this.save(button.dataset.format);
	}

	/** @param {import("./live.js").Live} live */
	use(live) {
		this.live = live;
		this.languages();
		live.changed = () => this.languages();
		byId("both").checked = false;
		document.body.classList.remove("both");
		show("pause", live.wish.sound);
		this.show_pause(false);
		const { view, event } = live.wish;
		const open = !!view && !!event && view.transcript === "public";
		show("transcript", open);
		if (open)
			byId("transcript").href = address(`${path_of(event.id)}/transcript`, { code: event.code, language: live.wish.language, format: "txt" });
	}

	languages() {
		if (!this.live)
			return;
		const all = [...new Set([...this.live.languages, "original", this.live.wish.language].filter(Boolean))];
		fill(byId("language"), ...all.map(code => make("option", { value: code },
			code === "original" ? t("listen.original") : name_of(code, true))));
		byId("language").value = this.live.wish.language;
	}

	/** @param {number} factor */
	resize(factor) {
		this.size = Math.round(Math.min(LARGEST, Math.max(SMALLEST, this.size * factor)));
		keep("ever", "size", String(this.size));
		document.body.style.setProperty("--size", `${this.size}px`);
		if (this.live)
			this.live.scroll.follow();
	}

	pause() {
		if (!this.live)
			return;
		this.live.way.pause(!this.live.way.paused);
		this.show_pause(this.live.way.paused);
		this.live.tell();
	}

	/** @param {boolean} paused */
	show_pause(paused) {
		byId("pause").classList.toggle("paused", paused);
		byId("pause").setAttribute("aria-label", t(paused ? "listen.play" : "listen.pause"));
	}

	open() {
		byId("settings").showModal();
	}

	/** @param {string} format */
	async save(format) {
		const { as_srt, as_text, as_vtt } = await import("./save.js");
		if (!this.live)
			return;
		const texts = this.live.captions.kept;
		const make_it = { txt: as_text, srt: as_srt, vtt: as_vtt }[/** @type {"txt" | "srt" | "vtt"} */ (format)];
		save(`${document.title.replace(/[^\p{L}\p{N}]+/gu, "-")}.${format}`, format === "vtt" ? "text/vtt" : "text/plain", make_it(texts));
	}
}
