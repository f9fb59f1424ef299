// SPDX-License-Identifier: GPL-3.0-or-later
// The attendee's page. Its address has ?e=EVENT&s=STAGE, as in QR codes. The fragment may have
// event, code and language; or ws_url, token, language and webrtc_url of a session; or webrtc_url,
// mountpoint and pin of a Janus.
import { byId, keep, say, show } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";
import { PublicEvent } from "../shared/event.js";
import { offer_ui } from "../shared/ui.js";
import { Bar } from "./bar.js";
import { Door, show_view } from "./door.js";
import { Early } from "./early.js";
import { Live } from "./live.js";

const link = new URLSearchParams(location.hash.slice(1));
const asked = new URLSearchParams(location.search);
addEventListener("hashchange", () => location.reload());
// The page's policy refused an address. Not every browser closes a socket for this reason.
document.addEventListener("securitypolicyviolation", event => {
	if (event.effectiveDirective === "connect-src")
		say("error", t("listen.stranger"));
});
if (keep("ever", "look"))
	import("./look.js").then(({ use_look }) => use_look());

/** @type {Bar} */
let bar;
/** @type {Door} */
let door;

/** @param {import("./live.js").Wish} wish */
function enter(wish) {
	show("door", false);
	show("live", true);
	document.body.classList.add("on");
	const close = () => {
		door.live = null;
		live.stop();
		document.body.classList.remove("on");
		show("live", false);
	};
	const live = new Live(wish, {
		leave: why => (close(), begin(why)),
		enter: other => (close(), enter(other)),
	}, early);
	door.live = live;
	show_view(wish);
	bar.use(live);
	live.start();
}

const event_id = asked.get("e") || link.get("event");
const event = event_id ? new PublicEvent(event_id, asked.get("s"), link.get("code") || asked.get("code") || "").begin() : null;
const early = event && new Early(event, link.get("language"));

/** @param {string} [why] message to show first */
function begin(why) {
	show("door", true);
	if (event)
		door.open(event, link.get("language"), why);
	else if (link.get("ws_url") || link.get("mountpoint"))
		door.open_link(link, why);
	else {
		say("notice", t("listen.nolink"));
		show("other", true);
	}
}

load("listen").then(() => {
	say("host", location.host);
	offer_ui(byId("ui"));
	bar = new Bar();
	door = new Door(enter);
	begin();
});
