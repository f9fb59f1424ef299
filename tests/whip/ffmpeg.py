#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: ffmpeg.py URL TOKEN WAV SECONDS
#
# The encoder of FFmpeg 8, whose muxer whip is in PyAV: sends a file in real time.  Prints
# the seconds that the connection took, as JSON.

import json
import sys
import time

import av

url, token, path, seconds = sys.argv[1:5]
source = av.open(path)
began = time.monotonic()
with av.open(url, "w", format="whip", options={"authorization": token}) as to:
    track = to.add_stream("libopus", rate=48000, layout="stereo")
    resampler = av.AudioResampler("s16", "stereo", 48000, 960)
    to.start_encoding()
    print(json.dumps({"connected": round(time.monotonic() - began, 3)}), flush=True)
    began = time.monotonic()
    for frame in source.decode(audio=0):
        for piece in resampler.resample(frame):
            time.sleep(max(0, piece.pts * float(piece.time_base) - (time.monotonic() - began)))
            to.mux(track.encode(piece))
        if time.monotonic() - began > float(seconds):
            break
