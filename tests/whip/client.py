#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: client.py [--turn] whip URL TOKEN WAV SECONDS
#        client.py [--turn] whep URL TOKEN SECONDS
#
# An encoder or a player by aiortc.  whip sends a file; whep receives sound until SECONDS
# have passed.  Prints a line of JSON: status and headers of the POST, the seconds from the
# POST to its answer, to the connection and to the first packet with sound, the number of
# frames with sound, true if a TURN server relays, and the status of the DELETE.
#
# --turn: use the servers of the header Link.  aiortc needs them before it makes an offer, so
# the client makes a first one, and ends it.

import asyncio
import json
import re
import sys
import time
from urllib.parse import urljoin

import aiohttp
import numpy
from aiortc import RTCConfiguration, RTCIceServer, RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer
from aiortc.mediastreams import MediaStreamError

LOUD = 500  # of 32,768: above the noise of a codec in silence


class Peer:
    def __init__(self, url, token, servers=()):
        self.url, self.headers = url, {"Authorization": f"Bearer {token}"} if token else {}
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=list(servers)))
        self.seen, self.began = {"loud": 0}, time.monotonic()
        self.connection.on("connectionstatechange", self.note_state)

    def note(self, name):
        self.seen.setdefault(name, round(time.monotonic() - self.began, 3))

    def note_state(self):
        self.note(self.connection.connectionState)

    async def listen(self, track):
        while True:
            try:
                frame = await track.recv()
            except MediaStreamError:
                return
            if numpy.abs(frame.to_ndarray().astype(int)).max() > LOUD:
                self.note("sound")
                self.seen["loud"] += 1

    def is_relayed(self):
        transport = self.connection.getTransceivers()[0].receiver.transport.transport
        pair = transport._connection._nominated.get(1)
        return pair is not None and pair.local_candidate.type == "relay"

    async def run(self, seconds):
        await self.connection.setLocalDescription(await self.connection.createOffer())
        async with aiohttp.ClientSession() as http:
            self.began = time.monotonic()
            async with http.post(self.url, data=self.connection.localDescription.sdp,
                                 headers={**self.headers, "Content-Type": "application/sdp"}) as answer:
                sdp = await answer.text()
                self.note("answered")
                self.seen.update(status=answer.status, headers=dict(answer.headers))
            if answer.status == 201:
                await self.connection.setRemoteDescription(RTCSessionDescription(sdp, "answer"))
                await asyncio.sleep(seconds)
                resource = urljoin(self.url, answer.headers["Location"])
                self.seen["relay"] = self.is_relayed()
                async with http.delete(resource, headers=self.headers) as deleted:
                    self.seen["deleted"] = deleted.status
            else:
                self.seen["body"] = sdp
        await self.connection.close()
        print(json.dumps(self.seen), flush=True)


def prepare(peer, kind, path):
    if kind == "whip":
        peer.connection.addTrack(MediaPlayer(path).audio)
    else:
        peer.connection.addTransceiver("audio", direction="recvonly")
        peer.connection.on("track", lambda track: asyncio.ensure_future(peer.listen(track)))


def server_of(link):
    said = dict(re.findall(r';\s*([\w-]+)="([^"]*)"', link))
    return RTCIceServer(urls=re.match("<(.*?)>", link)[1], username=said.get("username"), credential=said.get("credential"))


async def servers_at(kind, url, token):
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"} if token else {}) as http:
        peer = Peer(url, token)
        prepare(peer, kind, sys.argv[-2])
        await peer.connection.setLocalDescription(await peer.connection.createOffer())
        async with http.post(url, data=peer.connection.localDescription.sdp,
                             headers={"Content-Type": "application/sdp"}) as answer:
            links = answer.headers.getall("Link", [])
        await peer.connection.close()
        async with http.delete(urljoin(url, answer.headers["Location"])):
            return [server_of(link) for link in links]


async def main(turn, kind, url, token, *rest):
    peer = Peer(url, token, await servers_at(kind, url, token) if turn else ())
    prepare(peer, kind, rest[0])
    await peer.run(float(rest[-1]))


turn = sys.argv[1] == "--turn"
asyncio.run(main(turn, *sys.argv[1 + turn:]))
