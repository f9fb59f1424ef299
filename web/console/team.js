// SPDX-License-Identifier: GPL-3.0-or-later
// The people of the account, their invitations, and the browsers in which they are signed in.
import { fill, make } from "../shared/dom.js";
import { t, time } from "../shared/i18n.js";
import { card_head, empty, head, pill, menu, qr_of, sure, table_of, undoable } from "./parts.js";
import { has_passkeys, passkey_of } from "./passkeys.js";
import { all, change, read } from "./service.js";
import { may, me } from "./session.js";
import { button, button_twice, choice, copyable, fail, field, form, keyed, tell } from "./words.js";

const ROLES = ["owner", "organiser", "desk", "viewer"];
const roles = () => Object.fromEntries(ROLES.map(one => [one, t(`console.role.${one}`)]));

/** @param {HTMLElement} place @param {any} member @param {{ link: string, qr_svg: string }} invitation */
function show_link(place, { name }, { link, qr_svg }) {
	const how = t("console.invite_link", { name });
	place.classList.add("pad");
	fill(place, make("div", { class: "qr-box" }, qr_of(qr_svg, how), make("div", { class: "stack" }, make("p", null, how), copyable(t("console.invite_short"), link))));
	place.scrollIntoView({ block: "nearest" });
}

/** @param {any} member @param {HTMLElement} place of its new link @param {() => Promise<void>} again @param {Set<string>} leaving */
function member_row(member, place, again, leaving) {
	const { member_id, name, role, status } = member, path = `saas/member/${member_id}`, mine = me.member && me.member.member_id === member_id, writes = may("members:write");
	const cell = (/** @type {string} */ label, /** @type {any[]} */ ...parts) => make("td", { "data-label": label }, ...parts);
	const select = make("select", { name: "role", "aria-label": t("console.role_of", { name }), onchange: () => change("PATCH", path, { role: select.value })
		.then(() => tell(t("console.saved")), fail).then(again) }, ...Object.entries(roles()).map(([key, text]) => make("option", { value: key, selected: key === role }, text)));
	return make("tr", null, make("th", { scope: "row", dir: "auto" }, name, mine && make("small", null, " ", t("console.you"))),
		cell(t("console.role"), writes ? select : t(`console.role.${role}`)),
		cell(t("console.is"), pill(status === "active" ? "live" : "", t(`console.member.${status}`))),
		cell(t("console.last_used_head"), member.last_seen_at ? time(member.last_seen_at) : make("span", { class: "soft" }, t("console.never_used"))),
		make("td", { class: "acts" }, writes && menu(t("console.more_for", { name }),
			button(t("console.speaker_new"), async () => show_link(place, member, await change("POST", `${path}/link`, undefined)), "", "link"),
			button(t("console.remove_member"), () => {
				leaving.add(member_id);
				again();
				undoable(t("console.removed_member", { name }), () => change("DELETE", path, undefined).catch(fail).finally(() => (leaving.delete(member_id), again())), () => (leaving.delete(member_id), again()));
			}, "danger", "trash"))));
}

/** @param {HTMLElement} view */
async function members_part(view) {
	const place = make("div", { role: "status" }), leaving = new Set();
	const { element, list } = table_of([t("console.name"), t("console.role"), t("console.is"), t("console.last_used_head")]);
	const again = async () => keyed(list, (await all("saas/members")).filter(one => !leaving.has(one.member_id)), one => one.member_id, one => member_row(one, place, again, leaving));
	view.append(make("section", { class: "card" }, card_head(t("console.people")), element));
	if (may("members:write"))
		view.append(make("section", { class: "card" }, card_head(t("console.invite")), form(t("console.invite"), async ({ name, role }, it) => {
			const made = await change("POST", "saas/member", { name, role });
			it.reset();
			show_link(place, made, made);
			await again();
		}, make("div", { class: "line" }, field("name", t("console.name"), { required: true, maxLength: 64 }), choice("role", t("console.role"), roles(), "organiser")),
		make("dl", { class: "roles" }, ...ROLES.flatMap(one => [make("dt", null, t(`console.role.${one}`)), make("dd", { class: "soft" }, t(`console.role_how.${one}`))]))), place));
	await again();
}

/** Names a browser and its system by its User-Agent. @param {string | null} agent */
function browser_told(agent) {
	const found = (/** @type {[RegExp, string][]} */ names) => (names.find(([like]) => like.test(agent || "")) || [null, ""])[1];
	return [found([[/Edg/, "Edge"], [/OPR/, "Opera"], [/Firefox|FxiOS/, "Firefox"], [/Chrom|CriOS/, "Chrome"], [/Safari/, "Safari"]]),
		found([[/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Windows/, "Windows"], [/Mac OS/, "macOS"], [/Linux/, "Linux"]])].filter(Boolean).join(" · ") || agent || "–";
}

/** @param {HTMLElement} view */
async function browsers_part(view) {
	const list = make("ul", { class: "rows" });
	const again = async () => {
		const found = await read("auth/sign-ins");
		fill(list, ...found.map((/** @type {any} */ one) => make("li", null, make("span", { class: "grow" }, make("b", null, browser_told(one.browser), " "), one.current && pill("live", t("console.this_browser")),
			make("small", null, [one.member, t("console.since", { time: time(one.utc_created_at) })].filter(Boolean).join(" · "))),
		!one.current && button(t("console.leave"), async () => {
			await change("DELETE", `auth/sign-ins/${one.sign_in_id}`, undefined);
			await again();
		}, "", "door"))), !found.length && make("li", { class: "soft" }, t("console.no_browsers")));
	};
	view.append(make("section", { class: "card" }, card_head(t("console.browsers"), make("span", { class: "push" }, button(t("console.leave_all"), async () => {
		if (await sure(t("console.leave_all_q"), t("console.leave_all"), t("console.leave_all_how"))) {
			await change("DELETE", "auth/sign-ins", undefined);
			location.reload();
		}
	}, "danger bare"))), list));
	await again();
}

/** @param {HTMLElement} view */
async function passkeys_part(view) {
	const list = make("ul", { class: "rows" });
	const again = async () => {
		const found = await read("auth/passkeys");
		fill(list, make("li", { class: "soft" }, t("console.passkeys_how")), ...found.map((/** @type {any} */ one) => make("li", null, make("span", { class: "grow" }, make("b", { dir: "auto" }, one.name),
			make("small", null, [t("console.since", { time: time(one.utc_created_at) }), one.last_used_at && `${t("console.last_used_head")}: ${time(one.last_used_at)}`].filter(Boolean).join(" · "))),
		button_twice(t("console.remove", { name: one.name }), t("console.remove_member"), async () => {
			await change("DELETE", `auth/passkey/${one.passkey_id}`, undefined);
			await again();
		}, "danger bare icon"))));
	};
	view.append(make("section", { class: "card" }, card_head(t("console.passkeys"), make("span", { class: "push" }, button(t("console.add_passkey"), async () => {
		const passkey = await passkey_of(await change("POST", "auth/passkey/options", {}));
		await change("POST", "auth/passkey", { name: browser_told(navigator.userAgent).slice(0, 64), passkey });
		await again();
	}, "", "key"))), list));
	await again();
}

/** @param {HTMLElement} view */
export async function draw_team(view) {
	head({ title: t("console.team"), meta: [me.member && `${me.member.name} · ${t(`console.role.${me.member.role}`)}`] });
	if (may("members:read"))
		await members_part(view);
	if (me.member && has_passkeys())
		await passkeys_part(view);
	if (me.member || may("members:read"))
		await browsers_part(view);
	else
		view.append(empty("people", t("console.team"), t("console.no_scope")));
}
