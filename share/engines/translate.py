# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: translate.py RUNTIME FROM TO FOLDER [FROM TO FOLDER]...

Translate by models of this host, as an engine of the kind "process": docs/engines.md
describes the lines of JSON.  RUNTIME is a folder with the Python packages of a runtime,
each FOLDER a model from one language to another: of Firefox (a model*.bin with its
vocabulary, and a lex*.bin if there is one) for the package fxtranslate, or of
CTranslate2 (a model.bin with source.spm and target.spm, or one .model for both) for
ctranslate2 and sentencepiece.
"""
import json
import os
import sys


class Firefox:
    def __init__(self, folder):
        from fxtranslate import Translator

        vocabulary = find(folder, "vocab", ".spm")
        self.translator = Translator(
            model=read(find(folder, "model", ".bin")),
            src_vocab=read(find(folder, "srcvocab", ".spm") or vocabulary),
            trg_vocab=read(find(folder, "trgvocab", ".spm") or vocabulary),
            shortlist=read(find(folder, "lex", ".bin")),
        )

    def translate(self, text):
        return self.translator.translate_long(text)


class CTranslate2:
    def __init__(self, folder):
        import ctranslate2
        from sentencepiece import SentencePieceProcessor

        both = find(folder, "", ".model")
        self.source = SentencePieceProcessor(find(folder, "source", ".spm") or both)
        self.target = SentencePieceProcessor(find(folder, "target", ".spm") or both)
        self.translator = ctranslate2.Translator(folder, intra_threads=1)

    def translate(self, text):
        words = self.source.encode(text, out_type=str) + ["</s>"]
        answer = self.translator.translate_batch([words], beam_size=2)
        return self.target.decode(answer[0].hypotheses[0])


def find(folder, start, end):
    """The first file of that kind in a folder, or None."""
    for name in sorted(os.listdir(folder)):
        if name.startswith(start) and name.endswith(end):
            return os.path.join(folder, name)
    return None


def read(path):
    if path is None:
        return None
    with open(path, "rb") as file:
        return file.read()


def load(folder):
    """A model, by its files."""
    if os.path.exists(os.path.join(folder, "model.bin")):
        return CTranslate2(folder)
    return Firefox(folder)


def answer(models, line):
    question = json.loads(line)
    model = models.get((question["source"], question["target"]))
    if model is None:
        return {"id": question["id"], "error": "there is no model for this pair"}
    try:
        return {"id": question["id"], "text": model.translate(question["text"])}
    except Exception as error:
        return {"id": question["id"], "error": str(error)}


def write(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main(arguments):
    if len(arguments) < 4 or len(arguments) % 3 != 1:
        sys.exit(__doc__)
    sys.path.insert(0, arguments[0])
    models = {}
    try:
        for i in range(1, len(arguments), 3):
            models[arguments[i], arguments[i + 1]] = load(arguments[i + 2])
    except Exception as error:
        write({"error": f"{type(error).__name__}: {error}"})
        return
    write({"pairs": [list(pair) for pair in models]})
    for line in sys.stdin.buffer:
        write(answer(models, line))


main(sys.argv[1:])
