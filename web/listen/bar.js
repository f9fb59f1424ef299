// SPDX-License-Identifier: GPL-3.0-or-later
// The bar of a listener: language, pause, size of the letters, and the settings.
import { byId, fill, keep, make, show } from "../shared/dom.js";
import { name_of, t } from "../shared/i18n.js";

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
		byId("language").onchange = () => this.live && this.live.set_language(byId("language").value);
		byId("more").onclick = async () => {
			const { open_settings } = await import("./settings.js");
			if (this.live)
				open_settings(this.live);
		};
	}

	/** @param {import("./live.js").Live} live */
	use(live) {
		this.live = live;
		this.languages();
		live.changed = () => this.languages();
		show("pause", live.wish.sound);
		this.show_pause(false);
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
}
