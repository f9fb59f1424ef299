// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// A network between clients and a server. The relay passes datagrams for one address to another and
// back, or loses them; it passes TCP connections until they are cut.
const { createSocket } = require("node:dgram");
const { connect, createServer } = require("node:net");
const { once } = require("node:events");

class Relay {
	constructor() {
		this.loss = 0; // the share of datagrams lost in each direction, 0 to 1
		this.passed = this.lost = 0;
		this.refuses = false; // connections
		this.outer = createSocket("udp4");
		this.inner = new Map(); // sockets to the server, by the client's address
		this.connections = new Set();
	}

	async open(address, port, server, server_port) {
		this.server = { address: server, port: server_port };
		this.outer.on("message", (bytes, { address: host, port: from }) =>
			this.pass(() => this.socket_of(host, from).send(bytes, server_port, server)));
		this.outer.bind(port, address);
		this.tcp = createServer(client => this.join(client)).listen(port, address);
		await Promise.all([once(this.outer, "listening"), once(this.tcp, "listening")]);
		this.port = this.tcp.address().port;
		return this;
	}

	pass(send) {
		if (Math.random() < this.loss)
			this.lost++;
		else
			this.passed++, send();
	}

	socket_of(host, from) {
		const key = `${host}:${from}`;
		if (!this.inner.has(key)) {
			const socket = createSocket("udp4");
			socket.on("message", bytes => this.pass(() => this.outer.send(bytes, from, host)));
			socket.on("error", () => {}); // the server has ended
			this.inner.set(key, socket);
		}
		return this.inner.get(key);
	}

	join(client) {
		if (this.refuses)
			return client.on("error", () => {}).resetAndDestroy();
		const server = connect(this.server.port, this.server.address);
		for (const [one, other] of [[client, server], [server, client]]) {
			this.connections.add(one);
			one.setNoDelay(true);
			one.pipe(other);
			one.on("error", () => {}).on("close", () => (other.destroy(), this.connections.delete(one)));
		}
	}

	cut() {
		for (const one of this.connections)
			one.resetAndDestroy();
	}

	close() {
		this.cut();
		this.tcp.close();
		for (const socket of [this.outer, ...this.inner.values()])
			socket.close();
	}
}

module.exports = { Relay };
