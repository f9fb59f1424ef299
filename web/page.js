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

// Again and again with the same token; the service takes 20 connections a minute.  False:
// while that was waited for it has become useless.
async function may_dial(is_wanted) {
	dialled = dialled.filter(at => at > Date.now() - 60000);
	await nap(dialled.length === 0 ? 0 : dialled.length < 3 ? 500 : 3500);
	if (!is_wanted())
		return false;
	dialled.push(Date.now());
	refused++;
	return true;
}

function reached() {
	known = true;
	refused = 0;
	complain("");
}

// Whether it is of any use to connect again; else that was told.
function may_return({ code, reason }) {
	const ended = code === 1008 && reason !== "connection rate limit" && reason !== "slow consumer";
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
