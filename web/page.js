/* ---- what both pages do ---- */

// All that a page is to know stands behind the # of its address, which is sent to nobody.
const link = new URLSearchParams(location.hash.slice(1));
const $ = id => document.getElementById(id);
const nap = ms => new Promise(done => setTimeout(done, ms));
addEventListener("hashchange", () => location.reload());
// An address that the policy of the page refuses; not every browser ends a socket for it.
document.addEventListener("securitypolicyviolation", () =>
	fail("The link leads to another service; this page speaks with its own alone."));

const tell = text => $("state").textContent = text;
const complain = text => $("error").textContent = text;

const rows = new Map(); // id: {row, and what a page keeps with it}

// What is kept of a row of the log, which is made when its id comes for the first time.
function row_of(id, make) {
	if (!rows.has(id)) {
		const row = $("log").appendChild(document.createElement("li"));
		rows.set(id, { row, ...make() });
		if (rows.size > 200) {
			const [oldest, { row }] = rows.entries().next().value;
			row.remove();
			rows.delete(oldest);
		}
	}
	return rows.get(id);
}

// The text so far, of the parts that a transcription comes in.
function add_part(parts, transcription) {
	parts[transcription.translation_part_id || 0] = transcription.text;
	$("partial").textContent = "";
	return parts.join(" ");
}

function show_partial({ transcription }) {
	$("partial").lang = transcription.language;
	$("partial").textContent = transcription.text;
}

/* ---- the socket ---- */

// round: of start(), so that what is left of an earlier one is known; refused: connections
// in a row that came to nothing; dialled: when the last ones were tried.
let socket, janus, known, refused, round = 0, dialled = [];
const wanted = {};

const is_open = () => !!socket && socket.readyState === WebSocket.OPEN;
const send = (message_type, data = {}) => {
	if (is_open())
		socket.send(JSON.stringify({ message_type, data }));
};

// Again and again with the same token; the service takes 20 connections a minute.  A hall of
// pages that lost their connections at once does not come back at once.  False: while that
// was waited for it has become useless.
async function may_dial(is_wanted) {
	dialled = dialled.filter(at => at > Date.now() - 60000);
	if (dialled.length > 0)
		await nap((dialled.length < 3 ? 500 : 3500) + Math.random() * 1500);
	if (!is_wanted())
		return false;
	dialled.push(Date.now());
	refused++;
	return true;
}

// A path that breaks tells neither end.  A socket that has been silent for ASK ms is asked
// for the task, and is as good as closed when the answer takes longer than ANSWER ms, or
// the socket longer than ASK ms to open.
const ASK = 10000, ANSWER = 5000;

function guard(one) {
	let heard = Date.now(), asked = 0;
	const give_up = () => {
		const { onclose } = one;
		clearInterval(timer);
		one.onopen = one.onmessage = one.onclose = null;
		one.close(); // to which no answer may ever come
		onclose({ code: 1006, reason: "" });
	};
	const look = () => {
		const late = asked ? asked + ANSWER : heard + ASK;
		if (one.readyState > WebSocket.OPEN)
			clearInterval(timer);
		else if (Date.now() < late)
			return;
		else if (asked || one.readyState === WebSocket.CONNECTING)
			give_up();
		else {
			asked = Date.now();
			one.send(JSON.stringify({ message_type: "get_task", data: {} }));
		}
	};
	const timer = setInterval(look, 1000);
	one.is_stale = () => Date.now() > heard + ASK + ANSWER;
	one.give_up = give_up;
	for (const sign of ["open", "message"])
		one.addEventListener(sign, () => { heard = Date.now(); asked = 0; });
}

// A phone that wakes up, or changes its network, need not wait for that.
const redial = () => is_open() && socket.give_up();
addEventListener("online", redial);
for (const sign of ["pageshow", "visibilitychange"])
	addEventListener(sign, () => !document.hidden && socket && socket.is_stale() && redial());

// A room would be kept for somebody who comes back.
addEventListener("pagehide", ({ persisted }) => !persisted && socket instanceof Room && socket.close());

function reached() {
	known = true;
	refused = 0;
	complain("");
}

// The room of the link, or of the answer to a join, where the gateway has such.
async function find_room(url) {
	wanted.room_url = url && await Room.admits(url, wanted.token) ? url : undefined;
}

// A socket is left where there is no way for sound by WebRTC.
function leave_rooms() {
	wanted.room_url = undefined;
	refused = 0;
}

// Whether it is of any use to connect again; else that was told.
function may_return({ code, reason }) {
	const ended = code === 1008 && !["connection rate limit", "slow consumer", "other node"].includes(reason);
	if (ended)
		fail($("error").textContent || `The service ended it: ${reason}`);
	else if (refused > (known ? 20 : 0))
		fail("The service cannot be reached, or the token is wrong or has expired.");
	else
		complain("The connection was lost; trying again.");
	return state !== "none";
}

// A Janus was lost: after a while the gateway is asked which one it is now.
async function join_again(lost, why, join) {
	complain(`The sound was lost: ${why}; trying again.`);
	await nap(3000);
	if (janus !== lost)
		return;
	if (is_open())
		send("get_task");
	else
		join();
}
