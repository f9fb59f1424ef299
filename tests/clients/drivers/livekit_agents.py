#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin of LiveKit Agents: recognition, translation, and speech with interruptions."""
import asyncio
import wave

import palabra_host  # noqa: F401
from livekit import rtc
from livekit.agents import stt as agents_stt
from livekit.plugins import palabra
from report import SOUNDS, run

Type = agents_stt.SpeechEventType


async def hear(**options):
    """The events for three phrases, sent in frames of 10 ms as a room sends them."""
    events = []
    with wave.open(f"{SOUNDS}/phrases-48000.wav") as w:
        pcm = w.readframes(w.getnframes())
    stt = palabra.STT(language="en", **options)
    stream = stt.stream()

    async def send():
        for i in range(0, len(pcm), 960):
            stream.push_frame(rtc.AudioFrame(pcm[i:i + 960], 48000, 1, len(pcm[i:i + 960]) // 2))
            if i % 9600 == 0:
                await asyncio.sleep(0.1)

    sending = asyncio.create_task(send())
    async with asyncio.timeout(30):
        async for event in stream:
            events.append(event)
            if [e.type for e in events].count(Type.END_OF_SPEECH) == 3:
                break
    await sending
    await stream.aclose()
    await stt.aclose()
    return events


def each_utterance_is_whole(events):
    """START, interim ones, FINAL, END, one utterance after the other."""
    kinds = [e.type for e in events]
    while kinds:
        end = kinds.index(Type.END_OF_SPEECH)
        assert kinds[0] == Type.START_OF_SPEECH and kinds[end - 1] == Type.FINAL_TRANSCRIPT, kinds
        assert set(kinds[1:end - 1]) <= {Type.INTERIM_TRANSCRIPT}, kinds
        kinds = kinds[end + 1:]


async def recognition():
    """recognition: start, interim, final, end of each phrase"""
    events = await hear()
    each_utterance_is_whole(events)
    assert any(e.type == Type.INTERIM_TRANSCRIPT for e in events)
    finals = [e.alternatives[0] for e in events if e.type == Type.FINAL_TRANSCRIPT]
    assert [f.text for f in finals] == ["hello world"] * 3, finals
    starts = [f.start_time for f in finals]
    assert starts[1] - starts[0] > 2 and starts[2] - starts[1] > 2, starts


async def translation():
    """recognition with a translation"""
    events = await hear(translate_languages="es", filler_filter=True)
    each_utterance_is_whole(events)
    finals = [e.alternatives[0] for e in events if e.type == Type.FINAL_TRANSCRIPT]
    assert [f.text for f in finals] == ["[es] hello world"] * 3, finals
    assert all(f.source_texts == ["hello world"] for f in finals), finals


def speaking(tts, texts):
    stream = tts.stream()
    for text in texts:
        stream.push_text(text)
    stream.end_input()
    return stream


async def speak(tts, texts):
    """Seconds of sound that one stream gives."""
    async with speaking(tts, texts) as stream:
        return sum([audio.frame.duration async for audio in stream])


SENTENCES = ["The sun was setting over the mountains. ", "Long golden shadows lay on the valley. ",
             "Nothing moved but the river below. "]


async def speech():
    """speech: sentence after sentence, and in one request"""
    tts = palabra.TTS()
    alone = await speak(tts, SENTENCES)
    assert alone > 3, alone
    seconds = 0.0
    async for audio in tts.synthesize("".join(SENTENCES)):
        seconds += audio.frame.duration
    assert abs(seconds - alone) < 1, (seconds, alone)
    await tts.aclose()


async def interruption():
    """an interrupted stream leaves another one of the same socket whole"""
    tts = palabra.TTS(voice_id="default_high")
    alone = await speak(tts, SENTENCES)
    whole = asyncio.create_task(speak(tts, SENTENCES))
    other = speaking(tts, SENTENCES * 4)
    await anext(other)
    await asyncio.sleep(0.1)  # Python 3.11 loses a cancellation that arrives together with a chunk
    await asyncio.wait_for(other.aclose(), 2)
    seconds = await whole
    assert abs(seconds - alone) < 0.2, (seconds, alone)
    assert abs(await speak(tts, SENTENCES) - alone) < 0.2
    await tts.aclose()


run(recognition, translation, speech, interruption)
