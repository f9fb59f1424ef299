// SPDX-License-Identifier: GPL-3.0-or-later
// usage: node rtc_node.mjs MODULE URL TOKEN
//
// A program with @livekit/rtc-node that works in the same order as the SDK for Python: it waits for
// the translator, sets the task, polls until the task exists, publishes its track, waits for the
// translated track and receives it.  It prints each event as a line of JSON.  It speaks until its
// input ends; then it ends the task, waits for eos, and leaves.
const [module, url, token] = process.argv.slice(2);
const { AudioFrame, AudioSource, AudioStream, LocalAudioTrack, Room, RoomEvent, TrackPublishOptions,
	TrackSource, dispose } = await import(module);
const begun = Date.now();
const saw = (what, more = {}) => console.log(JSON.stringify({ at: Date.now() - begun, what, ...more }));
const nap = ms => new Promise(done => setTimeout(done, ms));
const RATE = 48000, FRAME = RATE / 100;
const told = new Map(); // the last message of each type
let ended = false;
process.stdin.on("end", () => ended = true).resume();

async function until(look, seconds, what) {
	for (const end = Date.now() + seconds * 1000; Date.now() < end; await nap(20))
		if (look())
			return look();
	throw new Error(`${what} is awaited in vain`);
}

// Loudness and pitch of each 100 ms; the pitch comes from upward crossings of zero.
async function hear(track, sid) {
	for await (const { data } of new AudioStream(track, 24000, 1)) {
		let square = 0, ups = 0;
		for (let i = 0; i < data.length; i++) {
			square += data[i] * data[i];
			ups += i > 0 && data[i - 1] < 0 && data[i] >= 0;
		}
		if (Math.sqrt(square / data.length) > 500)
			saw("heard", { sid, hz: ups * 24000 / data.length, ms: data.length / 24 });
	}
}

// A tone of half a second and a second of silence, repeated.
async function speak(source) {
	for (let frame = 0; !ended; frame++) {
		const loud = frame % 150 < 50;
		const samples = Int16Array.from({ length: FRAME }, (_, i) =>
			loud ? 8000 * Math.sin(2 * Math.PI * 300 * (frame * FRAME + i) / RATE) : 0);
		await source.captureFrame(new AudioFrame(samples, RATE, 1, FRAME));
	}
}

const room = new Room();
const tell = (type, data) => room.localParticipant.publishData(
	new TextEncoder().encode(JSON.stringify({ message_type: type, data })), { reliable: true });
room.on(RoomEvent.DataReceived, bytes => {
	const message = JSON.parse(new TextDecoder().decode(bytes));
	told.set(message.message_type, message.data);
	saw("told", message);
});
let track_sid = null;
room.on(RoomEvent.TrackSubscribed, (track, publication) => {
	track_sid = publication.sid;
	saw("track", { name: publication.name, sid: track_sid });
	hear(track, track_sid);
});
for (const what of ["Disconnected", "Reconnecting", "Reconnected"])
	room.on(RoomEvent[what], () => saw(what.toLowerCase()));

await room.connect(url, token, { autoSubscribe: true, dynacast: false });
saw("connected");
const translator = await until(() => [...room.remoteParticipants.values()].find(({ identity }) =>
	identity.toLowerCase().startsWith("palabra_translator_")), 30, "the translator");
saw("translator", { identity: translator.identity });
await tell("set_task", JSON.parse(process.env.TASK));
for (let tries = 0; !told.has("current_task"); tries++) {
	if (tries === 10)
		throw new Error("no task");
	await tell("get_task", {});
	await nap(1000);
}
const source = new AudioSource(RATE, 1);
const options = new TrackPublishOptions();
options.source = TrackSource.SOURCE_MICROPHONE;
await room.localParticipant.publishTrack(LocalAudioTrack.createAudioTrack("7d2c_en", source), options);
saw("published");
await until(() => track_sid, 30, "the track");
await speak(source);
await tell("end_task", { eos_timeout: 1 });
await until(() => told.has("eos"), 15, "eos");
await room.disconnect();
await dispose();
process.exit(0);
