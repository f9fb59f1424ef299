# SPDX-License-Identifier: GPL-3.0-or-later
"""
The same answers in Python: Starlette under uvicorn with uvloop and httptools.
Each worker keeps one connection, whose statements sqlite3 caches.  Queries run in
the event loop: a thread for each would cost more than they do.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import time
import uuid

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

BASE, KEY = os.environ["PEER_BASE"], os.environ["PEER_KEY"].encode()
UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
GLOSSARY = """SELECT id, account, name, enabled, type, source_lang, target_lang, status,
    entries, created_us, updated_us, version FROM glossaries WHERE account = ?"""
CALLER = """SELECT a.id, c.scopes FROM credentials c JOIN accounts a ON a.id = c.account
    WHERE c.revoked_us IS NULL AND a.status = 'active' AND c.kind = 'key' AND c.hash = ?"""
INSERT = """INSERT INTO glossaries (id, account, created_us, updated_us, name, enabled,
    type, source_lang, target_lang) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
VIEW = """SELECT e.access_code, CASE WHEN e.channels_active > 0 THEN 'live'
    WHEN e.finished_us IS NOT NULL OR e.end_us < :now THEN 'finished'
    WHEN e.channels_ready = 0 THEN 'setup_required'
    WHEN e.start_us <= :now THEN 'ready' ELSE 'upcoming' END, v.hash, v.body
    FROM events e JOIN bundles v ON v.event = e.id WHERE e.id = :id"""

db = sqlite3.connect(os.environ["PEER_DB"], timeout=5, isolation_level=None)
db.execute("PRAGMA synchronous = FULL")
db.execute("PRAGMA foreign_keys = ON")
encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Problem(Exception):
    def __init__(self, status, slug, title, detail, code):
        self.status = status
        self.body = {
            "type": f"{BASE}/problems/{slug}",
            "status": status,
            "title": title,
            "detail": detail,
            "instance": f"urn:uuid:{uuid.uuid4()}",
            "error_code": code,
        }


def answer(status, body, headers=None):
    return Response(encode(body), status, headers, "application/json")


async def refuse(_request, problem):
    return answer(problem.status, {"ok": False, "errors": [problem.body]})


def not_found():
    return Problem(404, "resource-not-found", "Resource not found", "No such resource.", 100040)


def caller(request, scope):
    """The account of a key with this scope."""
    given = request.headers.get("authorization", "")
    who = None
    if given.startswith("Bearer "):
        who = db.execute(CALLER, (hashlib.sha256(given[7:].encode()).hexdigest(),)).fetchone()
    if who is None:
        raise Problem(401, "unauthorized", "Unauthorized", "The credential is unknown.", 100020)
    scopes = who[1].split(" ")
    if "*" not in scopes and scope not in scopes:
        raise Problem(403, "insufficient-scope", "Forbidden", f"This lacks {scope}.", 100030)
    return who[0]


def utc(us):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(us // 1000000))


def glossary(g):
    return {
        "glossary_id": g[0],
        "user_id": g[1],
        "name": g[2],
        "is_enabled": g[3] == 1,
        "glossary_type": g[4],
        "source_lang": g[5],
        "target_lang": g[6],
        "entries_status": g[7],
        "entries_count": g[8],
        "entries_errors": [],
        "utc_created_at": utc(g[9]),
        "utc_updated_at": utc(g[10]),
    }


async def get_glossary(request):
    account = caller(request, "glossaries:read")
    given = request.path_params["id"]
    g = UUID(given) and db.execute(GLOSSARY + " AND id = ?", (account, given)).fetchone()
    if g is None:
        raise not_found()
    return answer(200, {"ok": True, "data": glossary(g)}, {"ETag": f'"v{g[11]}"'})


def token(last, account):
    """Where the next page begins, signed."""
    place = f"{last[9]} {last[0]}".encode()
    mac = hmac.digest(KEY, account.encode() + place, "sha256")[:16]
    return base64.urlsafe_b64encode(mac + place).decode().rstrip("=")


async def list_glossaries(request):
    account = caller(request, "glossaries:read")
    size = int(request.query_params.get("page_size", "10"))
    if not 1 <= size <= 100:
        raise Problem(422, "validation-failed", "Invalid", "page_size is 1 to 100.", 100090)
    rows = db.execute(
        GLOSSARY + " ORDER BY created_us DESC, id DESC LIMIT ?", (account, size + 1)
    ).fetchall()
    following = None
    if len(rows) > size:
        rows.pop()
        following = token(rows[-1], account)
    page = {
        "items": [glossary(g) for g in rows],
        "page_size": size,
        "count": len(rows),
        "next": following,
    }
    return answer(200, {"ok": True, "data": page})


async def add_glossary(request):
    account = caller(request, "glossaries:write")
    data = json.loads(await request.body()).get("data")
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("name"), str)
        or len(data["name"]) < 3
        or data.get("glossary_type") not in ("translation", "asr", "asr_hot")
        or not isinstance(data.get("source_lang"), str)
        or not isinstance(data.get("target_lang"), str)
    ):
        raise Problem(422, "validation-failed", "Invalid", "A field is wrong.", 100090)
    us, new = time.time_ns() // 1000, str(uuid.uuid4())
    enabled = int(data.get("is_enabled", True))
    kind, source, target = data["glossary_type"], data["source_lang"], data["target_lang"]
    db.execute("BEGIN IMMEDIATE")
    db.execute(INSERT, (new, account, us, us, data["name"], enabled, kind, source, target))
    db.execute("COMMIT")
    g = (new, account, data["name"], enabled, kind, source, target, "none", 0, us, us)
    return answer(200, {"ok": True, "data": glossary(g)}, {"ETag": '"v1"'})


async def public_view(request):
    now = time.time_ns() // 1000
    v = db.execute(VIEW, {"now": now, "id": request.path_params["id"]}).fetchone()
    if v is None:
        raise not_found()
    code = request.query_params.get("code", "")
    if v[0] is not None and not hmac.compare_digest(v[0].encode(), code.encode()):
        raise Problem(403, "access-code", "Forbidden", "This event has an access code.", 100031)
    tag = f'"{v[2][:32]}-{v[1]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    text = f'{{"ok":true,"data":{{"lifecycle_status":"{v[1]}","captcha_required":false,{v[3]}}}}}'
    return Response(text, 200, {"ETag": tag}, "application/json")


app = Starlette(
    routes=[
        Route("/saas/glossaries", list_glossaries),
        Route("/saas/glossary", add_glossary, methods=["POST"]),
        Route("/saas/glossary/{id}", get_glossary),
        Route("/saas/v2/event/public/{id}", public_view),
    ],
    exception_handlers={Problem: refuse},
)
