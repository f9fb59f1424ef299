# SPDX-License-Identifier: GPL-3.0-or-later
"""Points palabra-ai 2 at BASE_URL: its table of regions, and its setting for REST."""
import os

from report import BASE_URL, WS_URL

os.environ["PALABRA_API_URL"] = BASE_URL
os.environ["PALABRA_API_KEY"] = os.environ["API_KEY"]

from palabra_ai import client  # noqa: E402

if hasattr(client, "REGIONS"):
    client.REGIONS["eu"] = client.Region(
        translation=WS_URL + "/streaming-api/{random_hash}/v1/speech-to-speech/stream",
        stt=WS_URL + "/asr/v1/speech-to-text/stream",
        tts=WS_URL + "/tts-api/v1/text-to-speech/stream",
    )
