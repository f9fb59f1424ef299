#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: client.py whip URL TOKEN WAV SECONDS
#        client.py whep URL TOKEN SECONDS
#
# An encoder or a player by aiortc.  whip sends a file; whep receives sound until SECONDS
# have passed.  Prints a line of JSON: status and headers of the POST, the seconds from the
# POST to its answer, to the connection and to the first packet with sound, the number of
# frames with sound, and the status of the DELETE.

import asyncio
import json
import sys
import time
from urllib.parse import urljoin

import aiohttp
import numpy
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer
from aiortc.mediastreams import MediaStreamError

LOUD = 500  # of 32,768: above the noise of a codec in silence


class Peer:
    def __init__(self, url, token):
        self.url, self.headers = url, {"Authorization": f"Bearer {token}"} if token else {}
        self.connection = RTCPeerConnection()
        self.seen = {"loud": 0}
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
                async with http.delete(resource, headers=self.headers) as deleted:
                    self.seen["deleted"] = deleted.status
            else:
                self.seen["body"] = sdp
        await self.connection.close()
        print(json.dumps(self.seen), flush=True)


async def main(kind, url, token, *rest):
    peer = Peer(url, token)
    if kind == "whip":
        peer.connection.addTrack(MediaPlayer(rest[0]).audio)
    else:
        peer.connection.addTransceiver("audio", direction="recvonly")
        peer.connection.on("track", lambda track: asyncio.ensure_future(peer.listen(track)))
    await peer.run(float(rest[-1]))


asyncio.run(main(*sys.argv[1:]))
