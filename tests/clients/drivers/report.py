# SPDX-License-Identifier: GPL-3.0-or-later
"""What the runner reads: a row for each check of a driver."""
import asyncio
import os
import sys
import traceback

BASE_URL = os.environ["BASE_URL"]
WS_URL = "ws" + BASE_URL.removeprefix("http")
API_KEY = os.environ["API_KEY"]
SOUNDS = os.environ["SOUNDS"]


async def all_of(checks):
    failed = False
    for check in checks:
        result = "passed"
        try:
            await asyncio.wait_for(check(), 60)
        except Exception as e:
            traceback.print_exc()
            where = traceback.extract_tb(e.__traceback__)[-1]
            said = " ".join(str(e).split()) or where.line
            result, failed = f"failed: {type(e).__name__}: {said}", True
        print(f"{check.__doc__}|{result}", flush=True)
    return failed


def run(*checks):
    sys.exit(asyncio.run(all_of(checks)))
