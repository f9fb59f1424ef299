// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a guide, in the reader's language. The guides are in English.
import { byId, make } from "../shared/dom.js";
import { language, load, t } from "../shared/i18n.js";
import { offer_ui } from "../shared/ui.js";

await load("docs");
const list = byId("ui"), nav = /** @type {HTMLElement} */ (list.parentElement);
nav.ariaLabel = t("docs.guides");
/** @type {HTMLElement} */ (nav.querySelector("summary")).textContent = t("docs.guides");
list.ariaLabel = t("ui.language");
offer_ui(list);
if (language() !== "en")
	nav.append(make("p", { class: "soft" }, t("docs.english")));
