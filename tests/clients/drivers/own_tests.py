#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The live tests that a project ships, which use palabra-ai."""
import os
import sys

os.environ["PALABRA_TEST_WAV"] = os.environ["SOUNDS"] + "/voice.wav"

import palabra_host  # noqa: E402, F401
import pytest  # noqa: E402


class Rows:
    """A skipped test is no row: nothing was tried."""

    def pytest_runtest_logreport(self, report):
        if report.failed:
            said = report.longreprtext.strip().splitlines()
            error = [line for line in said if line.startswith("E ")] or said
            print(f"{report.location[2]}|failed: {error[0].lstrip('E ')}", file=rows, flush=True)
        elif report.passed and report.when == "call":
            print(f"{report.location[2]}|passed", file=rows, flush=True)


rows = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # pytest's output goes to the log
os.chdir(os.environ["CLIENT_HOME"] + "/source")
sys.exit(pytest.main(["-m", "live", "-rA", "-p", "no:cacheprovider", "tests"], plugins=[Rows()]))
