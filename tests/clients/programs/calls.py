# SPDX-License-Identifier: GPL-3.0-or-later
"""Five calls: the caller, a glossary made, read and deleted, built-in voices."""
import os

import dragoman

conf = dragoman.Configuration(host=os.environ["BASE_URL"], access_token=os.environ["API_KEY"])
with dragoman.ApiClient(conf) as client:
    glossaries = dragoman.GlossariesApi(client)
    dragoman.KeysApi(client).get_caller()
    body = dragoman.CreateGlossaryRequest.from_dict({"data": {
        "name": "Begriffe Übersicht", "glossary_type": "translation", "source_lang": "en", "target_lang": "es"}})
    made = glossaries.create_glossary(body).data
    assert glossaries.get_glossary(made.glossary_id).data.name == "Begriffe Übersicht"
    dragoman.VoicesApi(client).list_builtin_voices()
    assert glossaries.delete_glossary(made.glossary_id).data is None
