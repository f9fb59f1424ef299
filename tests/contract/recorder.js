// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node recorder.js PORT BEHIND FILE
//
// Connects each client of 127.0.0.1:PORT to 127.0.0.1:BEHIND and writes the bytes of both to FILE,
// in frames: connection (u32), sender (u8: 0 the client, 1 the server, 2 the end), length (u32),
// all big-endian, and the bytes.  The bytes pass unchanged, also those of broken requests and cut
// connections.  Of a WebSocket only the handshake is written; with RECORD_SOCKETS=yes also its
// messages.
const { createWriteStream } = require("node:fs");
const { createServer, connect } = require("node:net");

const [port, behind, file] = process.argv.slice(2);
const out = createWriteStream(file, { flags: "a" });
let connections = 0;

function write(connection, who, bytes) {
	const head = Buffer.alloc(9);
	head.writeUInt32BE(connection, 0);
	head.writeUInt8(who, 4);
	head.writeUInt32BE(bytes.length, 5);
	out.write(head);
	out.write(bytes);
}

// Passes the bytes of one end to the other, and also the end of the connection.
function pass(from, to, take) {
	from.on("data", bytes => {
		take(bytes);
		if (!to.write(bytes)) {
			from.pause();
			to.once("drain", () => from.resume());
		}
	});
	from.on("end", () => to.end());
	from.on("error", () => to.resetAndDestroy());
	from.on("close", failed => failed || to.end());
}

createServer({ allowHalfOpen: true }, client => {
	const connection = ++connections;
	// Connects from the client's address, because the service counts requests per address.
	const server = connect({ port: behind, host: "127.0.0.1", allowHalfOpen: true,
		localAddress: client.remoteAddress });
	let socket = false;
	client.setNoDelay(true);
	server.setNoDelay(true);
	pass(client, server, bytes => socket || write(connection, 0, bytes));
	pass(server, client, bytes => {
		if (!socket)
			write(connection, 1, bytes);
		socket = socket || process.env.RECORD_SOCKETS !== "yes" && bytes.subarray(0, 12).toString() === "HTTP/1.1 101";
	});
	client.on("close", () => write(connection, 2, Buffer.alloc(0)));
}).listen(port, "127.0.0.1");

process.on("SIGTERM", () => out.end(() => process.exit()));
