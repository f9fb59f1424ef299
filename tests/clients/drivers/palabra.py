#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""palabra-ai of any version: translation, recognition, speech, voices and glossaries."""
import asyncio
import os

import palabra_host  # noqa: F401
import palabra_ai
from palabra_ai import Audio, Palabra, ServerError, StreamEnd, TaskInfo, Transcript
from report import BASE_URL, SOUNDS, WS_URL, run

if hasattr(palabra_ai.client, "REGIONS"):
    palabra = Palabra()
else:
    palabra_ai.tts.TTS_STREAM_URL = WS_URL + "/tts-api/v1/text-to-speech/stream"
    palabra = Palabra(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"], api_url=BASE_URL)


def rms(pcm):
    samples = memoryview(pcm[: len(pcm) & ~1]).cast("h")
    return (sum(s * s for s in samples) / max(1, len(samples))) ** 0.5


async def until(session, wanted, timeout=10):
    """The first event that is wanted; an error of the server ends the check."""
    async with asyncio.timeout(timeout):
        while (event := await session.receive()) is not None:
            assert not isinstance(event, ServerError), event
            if wanted(event):
                return event
    raise AssertionError("the stream ended")


async def file():
    """a file of three phrases"""
    texts = []
    audio = await palabra.atranslate_file(
        f"{SOUNDS}/phrases-24000.wav", source="en", targets=["es", "fr"], on_transcript=texts.append)
    for language in "es", "fr":
        told = [t.text for t in texts if t.is_eos and t.is_translation and t.language == language]
        assert len(told) == 3, told
        assert all(t == f"[{language}] hello world" for t in told), told
        assert len(audio[language]) > 3 * 24000, len(audio[language])
        assert rms(audio[language]) > 100
    assert len([t for t in texts if t.type == "validated_transcription"]) == 3, texts


async def live():
    """live: speak, pause, resume, interrupt, end"""
    statuses = []
    async with palabra.translation("en", ["es"], output_format="zlib_pcm_s16le", voice_id="default_high") as s:
        await s.speak("good morning", "en", translate=True)
        said = await until(s, lambda e: isinstance(e, Audio) and e.last_chunk)
        assert said.language == "es", said
        await s.get_task()
        info = await until(s, lambda e: isinstance(e, TaskInfo))
        assert info.status == "running", info
        await s.pause()
        await s.get_task()
        await until(s, lambda e: isinstance(e, TaskInfo) and e.status == "paused")
        await s.resume()
        await s.get_task()
        await until(s, lambda e: isinstance(e, TaskInfo) and e.status == "running")
        await s.speak("a text that takes long to say " * 8, "es")
        await until(s, lambda e: isinstance(e, Audio) and e.pcm)
        await (s.interrupt if hasattr(s, "interrupt") else s.flush)()
        await until(s, lambda e: isinstance(e, Audio) and e.last_chunk, 2)
        await s.end()
        async for event in s:
            statuses.append(event)
    if hasattr(palabra_ai, "TaskStatus"):
        assert any(isinstance(e, StreamEnd) for e in statuses), statuses


async def refused():
    """a language that is not served is refused in words"""
    try:
        async with palabra.translation("en", ["xx"]):
            raise AssertionError("xx is accepted")
    except palabra_ai.TaskError as e:
        assert "target_language" in str(e), e


async def stt():
    """recognition with a translation"""
    events = []
    async with palabra.stt("en", translate_languages=["es"]) as s:
        sending = asyncio.create_task(s.send_file(f"{SOUNDS}/phrases-16000.wav"))
        while len([e for e in events if e.is_translation]) < 3:
            events.append(await until(s, lambda e: isinstance(e, palabra_ai.SttTranscript)))
        await sending
    finals = [e.text for e in events if e.is_eos and not e.is_translation]
    assert finals == ["hello world"] * 3, finals
    assert any(not e.is_eos for e in events), "no partial"


async def tts():
    """speech: sentences, cancel, again"""
    async with palabra.tts("en", voice_id="default_low") as s:
        first = await s.synthesize("Curious minds think alike.")
        assert len(first) > 24000 and rms(first) > 100, len(first)
        await s.send_text("This takes a while. " * 12, eos=True, generation_id="long")
        await until(s, lambda e: e.type == "audio_chunk")
        await s.cancel()
        again = await s.synthesize("Curious minds think alike.")
        assert abs(len(again) - len(first)) < 24000, (len(first), len(again))


async def voices():
    """voices: the built-in ones, clone one, use, rename, delete it"""
    assert len(await palabra.voices.builtin()) > 1
    voice = await palabra.voices.create(
        f"{SOUNDS}/voice.wav", name="Übung", language="en", labels={"gender": "female", "mood": "calm"})
    assert voice.ready, voice
    async with palabra.tts("en", voice_id=voice.id) as s:
        assert rms(await s.synthesize("In my own voice.")) > 100
    assert (await palabra.voices.update(voice.id, name="Renamed")).name == "Renamed"
    assert voice.id in [v.id for v in await palabra.voices.list()]
    await palabra.voices.delete(voice.id)
    assert voice.id not in [v.id for v in await palabra.voices.list()]


async def glossaries():
    """glossaries of three kinds: make, use, read, delete"""
    g = palabra.glossaries
    made = [
        await g.create(["Dragoman"], name="words", kind="hotwords", source_language="en"),
        await g.create({"hello": "good day"}, name="ears", kind="verification", source_language="en"),
        await g.create({"world": "mundo entero"}, name="terms", kind="translation",
                       source_language="en", target_language="es"),
    ]
    assert {x.id for x in made} <= {x.id for x in await g.list()}
    assert b"mundo entero" in await g.download(made[2].id)
    texts = []
    await palabra.atranslate_file(
        f"{SOUNDS}/phrases-24000.wav", source="en", targets="es", on_transcript=texts.append,
        translation_glossaries=[made[2]], verification_glossaries=True)
    told = {t.text for t in texts if t.type == "translated_transcription"}
    assert told == {"[es] good day mundo entero"}, told
    assert not (await g.update(made[0].id, enabled=False)).enabled
    for x in made:
        await g.delete(x.id)
    assert not {x.id for x in made} & {x.id for x in await g.list()}


checks = [file, live, refused, stt, tts]
if hasattr(palabra, "voices"):
    checks += [voices, glossaries]
run(*checks)
