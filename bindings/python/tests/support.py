from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from tower_hooks import Hooks

RULES: dict[str, Any] = {
    "version": 1,
    "command_guard": {},
    "write_guard": {"allow": ["src/**"]},
    "redaction": {},
    "rules": [{"name": "send", "tools": ["send_mail"], "action": "ask", "reason": "this leaves the machine"}],
}
GREETING = json.dumps({"hooks": {"protocol": 1, "version": "0.1.0", "config": "", "rules": "0"}})

# Nothing of the tests stays in the user's state.
_STATE = tempfile.TemporaryDirectory(prefix="tower-hooks-test-")
atexit.register(_STATE.cleanup)
os.environ["XDG_STATE_HOME"] = _STATE.name


class Case(unittest.TestCase):
    def folder(self) -> Path:
        folder = tempfile.TemporaryDirectory(prefix="tower-hooks-test-")
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def started(self, **options: Any) -> Hooks:
        hooks = Hooks.start(**{"config": RULES, "cwd": self.folder(), **options})
        self.addCleanup(hooks.close)
        return hooks

    def impostor(self, body: str) -> Path:
        """A program in place of `hooks` that breaks the protocol: `body` may use `say`, `lines` and `GREETING`."""
        file = self.folder() / "hooks"
        file.write_text(
            f"""#!{sys.executable}
import json, os, sys, time
GREETING = {GREETING!r}
def say(text):
    sys.stdout.write(text if isinstance(text, str) else json.dumps(text))
    sys.stdout.write("\\n")
    sys.stdout.flush()
def allow(call, **fields):
    return {{"id": call.get("id"), "event": call.get("event"), "decision": "allow", **fields}}
lines = (json.loads(line) for line in sys.stdin)
{body}
"""
        )
        file.chmod(0o700)
        return file


def children(pid: int) -> list[int]:
    """Processes that any thread of a process started."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # The thread has ended.
            found += map(int, (task / "children").read_text().split())
    return found


def gone(pid: int) -> None:
    """Waits until a process is gone."""
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
