// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: an event's agenda.
const assert = require("node:assert/strict");
const { enter, is_clean, make_event, press, shows, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { call } = require("./service.js");

const BAD = "<img src=x onerror=alert(1)>";
const DAY = "2030-07-01T";

const make_agenda = () => make_event({ timezone: "Europe/Madrid", utc_start_dt: `${DAY}06:00:00Z`, utc_end_dt: "2030-07-02T18:00:00Z",
	stages: [{ name: "Red" }, { name: "Blue" }], sessions: [
		{ stage_index: 0, title: "Opening", description: "Words of welcome", utc_start_dt: `${DAY}07:00:00Z`, utc_end_dt: `${DAY}08:00:00Z`,
			speakers: [{ name: "Ana", title: "Professor", photo_url: "https://example.org/ana.png" }] },
		{ stage_index: 1, title: BAD, utc_start_dt: "2030-07-02T07:00:00Z", utc_end_dt: "2030-07-02T08:00:00Z" }] });

const row = title => `[...document.querySelectorAll("[data-session]")].find(e => e.innerText.includes(${JSON.stringify(title)}))`;
const cells = (page, title) => page.ask(`[...(${row(title)}).querySelectorAll("td")].slice(0, 3).map(e => e.innerText.replace(/[\\s\u202f\u2009]+/g, " ").trim())`);
const sessions_of = async id => (await call("GET", `/saas/v2/event/${id}`)).sessions;

async function an_agenda_is_made_and_changed_in_the_console(browser) {
	const { event_id, stages } = await make_agenda();
	const page = await enter(browser, `#/event/${event_id}/agenda`);
	await shows(page, "Opening");
	assert.deepEqual(await cells(page, "Opening"), ["9:00 – 10:00 AM", "Red", "Opening Ana, Professor"]);
	assert.equal((await cells(page, BAD))[1], "Blue");
	assert.equal(await page.ask("document.querySelectorAll('tr.day').length"), 2);
	await is_accessible(page);

	await press(page, "Change", `(${row("Opening")})`);
	await page.until("document.activeElement.name === 'title'", 5, "the form to have the focus");
	await type(page, "title", "Opening & welcome");
	await type(page, "utc_start_dt", "2030-07-01T11:30");
	await press(page, "Save");
	assert.equal(await page.ask("document.querySelector('[name=utc_end_dt]').validationMessage"), "The end must be after the beginning.");
	await type(page, "utc_end_dt", "2030-07-01T12:15");
	await type(page, "stage_id", stages[1].stage_id);
	await press(page, "Add a speaker");
	await page.ask("document.activeElement.value = 'Ben, the second'");
	await is_accessible(page);
	await press(page, "Save");
	await shows(page, "Saved.");
	assert.deepEqual(await cells(page, "Opening & welcome"), ["11:30 AM – 12:15 PM", "Blue", "Opening & welcome Ana, Professor Ben, the second"]);
	const [changed, other] = await sessions_of(event_id);
	assert.deepEqual(changed.speakers, [{ name: "Ana", title: "Professor", photo_url: "https://example.org/ana.png" }, { name: "Ben, the second" }]);
	assert.equal(changed.utc_start_dt, `${DAY}09:30:00Z`);
	assert.equal(changed.description, "Words of welcome");
	assert.equal(other.title, BAD);

	await press(page, "Add a session");
	await type(page, "title", "Farewell");
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	await press(page, "Save");
	await shows(page, "Farewell");
	await fits(page);
	assert.deepEqual((await sessions_of(event_id)).map(one => one.utc_start_dt), [`${DAY}09:30:00Z`, "2030-07-02T07:00:00Z", "2030-07-02T08:00:00Z"]);
	await press(page, "Delete", `(${row(BAD)})`);
	assert.equal((await sessions_of(event_id)).length, 3);
	await press(page, "Yes, delete it for good");
	await page.until(`!(${row(BAD)})`, 15, "the row to be gone");
	assert.deepEqual((await sessions_of(event_id)).map(one => one.title), ["Opening & welcome", "Farewell"]);
	is_clean(page);
}

async function an_agenda_changed_by_another_user_is_not_overwritten_in_the_console(browser) {
	const { event_id } = await make_agenda(), [mine, other] = await sessions_of(event_id);
	const page = await enter(browser, `#/event/${event_id}/agenda`);
	await shows(page, "Opening");
	await press(page, "Change", `(${row("Opening")})`);
	await type(page, "title", "Typed here");
	await call("PATCH", `/saas/v2/event/${event_id}`, { sessions: [{ ...mine, title: "Changed there" }, { ...other, title: "Another one" }] });
	await press(page, "Save");
	await shows(page, "Another user changed it meanwhile.");
	assert.deepEqual((await sessions_of(event_id)).map(one => one.title), ["Changed there", "Another one"]);
	assert.equal(await page.ask("document.querySelector('[name=title]').value"), "Typed here");
	await press(page, "Save");
	await shows(page, "Saved.");
	assert.deepEqual((await sessions_of(event_id)).map(one => one.title), ["Typed here", "Another one"]);
	// A fault that the service reports is shown at its field.
	await press(page, "Change", `(${row("Typed here")})`);
	await page.ask("document.querySelector('[name=title]').removeAttribute('maxlength'), document.querySelector('[name=title]').maxLength = 1000");
	await type(page, "title", "x".repeat(300));
	await press(page, "Save");
	await page.until("document.querySelector('[data-field=title] .wrong')", 15, "the fault at its field");
	is_clean(page);
}

module.exports = { cases: [an_agenda_is_made_and_changed_in_the_console, an_agenda_changed_by_another_user_is_not_overwritten_in_the_console] };
