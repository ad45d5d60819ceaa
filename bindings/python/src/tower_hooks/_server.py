"""The process `hooks serve`: it is started once, kept, and started again at the next call if it ended."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import shutil
import subprocess
import threading
import uuid
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from pathlib import Path
from typing import IO, Any

from ._json import line

# Version of the protocol that this client speaks.
PROTOCOL = 1

# Longest answer, in bytes; a longer one is not an answer.
LONGEST_ANSWER = 256 << 20

Fields = dict[str, Any]


class NoAnswer(Exception):
    """Reason for a call without an answer."""


def settle(future: Future[Fields], answer: Fields | NoAnswer) -> None:
    """Settles a request, unless its caller stopped waiting."""
    try:
        if isinstance(answer, NoAnswer):
            future.set_exception(answer)
        else:
            future.set_result(answer)
    except InvalidStateError:
        pass


class Connection:
    """One process, from its start to its end. A thread writes, so that no caller waits for a full pipe; another reads."""

    def __init__(self, command: Sequence[str], cwd: Path) -> None:
        self._lock = threading.Lock()
        # Requests in the order in which they were sent, which is that of the answers.
        self._waiting: deque[tuple[object, Future[Fields]]] = deque()
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._problem: NoAnswer | None = None
        self.greeted: Future[Fields] = Future()
        self.ended = threading.Event()
        self.process: subprocess.Popen[bytes] | None = None
        try:
            self.process = subprocess.Popen(
                command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except (OSError, ValueError) as error:
            self._fail(f"`{command[0]}` cannot be started: {error}")
            self._end()
            return
        assert self.process.stdin is not None and self.process.stdout is not None
        for work, stream in ((self._write, self.process.stdin), (self._read, self.process.stdout)):
            threading.Thread(target=work, args=(stream,), daemon=True, name="tower-hooks").start()

    @property
    def is_open(self) -> bool:
        return self._problem is None

    def send(self, id: object, text: bytes) -> Future[Fields]:
        future: Future[Fields] = Future()
        with self._lock:
            problem = self._problem
            if problem is None:
                # The order of answers is that of the lines, so both are queued at once.
                self._waiting.append((id, future))
                self._lines.put(text)
        if problem is not None:
            settle(future, problem)
        return future

    def finish(self) -> None:
        """Ends the input, which ends the server after its last answer."""
        self._lines.put(None)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def abandon(self) -> None:
        """Leaves the pipes to the process that this one was forked from."""
        if self.process is not None and self.process.stdin is not None and self.process.stdout is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            # It is another process's child.
            self.process.returncode = 0

    def _write(self, stream: IO[bytes]) -> None:
        try:
            while (text := self._lines.get()) is not None:
                rest = memoryview(text)
                while rest:
                    rest = rest[stream.write(rest) :]
        except (OSError, ValueError):
            pass  # The server is gone; the reader finds out why.
        finally:
            stream.close()

    def _read(self, stream: IO[bytes]) -> None:
        parts: list[bytes] = []
        length = 0
        while self._problem is None and (part := _read_some(stream)):
            *lines, rest = part.split(b"\n")
            for text in lines:
                self._take(b"".join((*parts, text)))
                parts, length = [], 0
            parts.append(rest)
            length += len(rest)
            if length > LONGEST_ANSWER:
                self._break("its answer is too long")
        stream.close()
        assert self.process is not None
        if self._problem is None:
            try:
                code: int | None = self.process.wait(1)
            except subprocess.TimeoutExpired:
                code = None
            self._fail(f"`hooks serve` ended ({'its output' if code is None else _how(code)})")
            self.kill()
        self.process.wait()
        self._end()

    def _take(self, text: bytes) -> None:
        if self._problem is not None:
            return
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            return self._break("it wrote a line that is not JSON")
        if not isinstance(answer, dict):
            return self._break("it wrote a line that is not an answer")
        if not self.greeted.done():
            return self._take_greeting(answer)
        with self._lock:
            waiting = self._waiting[0] if self._waiting else None
            # An error about a line that it cannot read has no id; the order says which line that is.
            is_meant = waiting is not None and (
                _same(answer.get("id"), waiting[0])
                or ("id" not in answer and isinstance(answer.get("error"), dict))
                or (waiting[0] == "end" and answer == {"serve": "end"})
            )
            if is_meant:
                self._waiting.popleft()
        if waiting is None or not is_meant:
            return self._break("it answered what was not asked")
        settle(waiting[1], answer)

    def _take_greeting(self, answer: Fields) -> None:
        greeting = answer.get("hooks")
        if not isinstance(greeting, dict):
            return self._break("its first line is not its greeting")
        if not _same(greeting.get("protocol"), PROTOCOL):
            spoken = json.dumps(greeting.get("protocol"))
            return self._break(f"it speaks protocol {spoken}, and this package {PROTOCOL}")
        settle(self.greeted, greeting)

    def _break(self, what: str) -> None:
        """Ends a server that broke the protocol: nothing that it writes from now on can be trusted."""
        self._fail(f"`hooks serve` broke the protocol: {what}")
        self.kill()

    def _fail(self, message: str) -> None:
        problem = NoAnswer(message)
        with self._lock:
            if self._problem is not None:
                return
            self._problem = problem
            waiting, self._waiting = self._waiting, deque()
        settle(self.greeted, problem)
        for _, future in waiting:
            settle(future, problem)

    def _end(self) -> None:
        self._lines.put(None)
        self.ended.set()


class Server:
    """Asks a server, and starts it where there is none."""

    def __init__(
        self,
        bin: str | os.PathLike[str] | None,
        config: str | os.PathLike[str] | Mapping[str, Any] | None,
        cwd: str | os.PathLike[str] | None,
        timeout: float,
        args: Sequence[str],
    ) -> None:
        if not timeout > 0:
            raise ValueError(f"`timeout` is {timeout}; use a number above 0")
        # Found once: nothing that is put into `PATH` later becomes the server.
        self._bin = find_program(bin)
        self._config = config
        self._args = args
        self.cwd = Path(cwd or ".").resolve()
        self.timeout = timeout
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._next = 0
        self._is_closed = False
        _SERVERS.add(self)

    def start(self) -> Future[Fields]:
        """The greeting of the server, which is started if there is none."""
        with self._lock:
            return self._open().greeted

    def ask(self, event: Fields) -> Future[Fields]:
        """Sends an event, without its id."""
        with self._lock:
            self._next += 1
            return self._open().send(self._next, line({"id": self._next, **event}))

    def late(self) -> NoAnswer:
        """Reason for an answer that did not come in time. The server stays: under `squad-compat`, a fresh one has lost its counts."""
        connection = self._connection
        if connection is not None and not connection.greeted.done():
            connection.kill()
        return NoAnswer(f"`hooks serve` gave no answer within {self.timeout:g} s")

    def close(self) -> None:
        """Ends the server after its last answer; it is killed if it does not end in time."""
        with self._lock:
            self._is_closed = True
            connection = self._connection
        if connection is None:
            return
        connection.send("end", line({"serve": "end"}))
        connection.finish()
        if not connection.ended.wait(self.timeout):
            connection.kill()
            connection.ended.wait()

    def forked(self) -> None:
        """Begins anew in a process that was forked: its threads are gone, and the pipes are its parent's."""
        connection, self._connection, self._lock = self._connection, None, threading.Lock()
        if connection is not None:
            connection.abandon()

    def _open(self) -> Connection:
        if self._is_closed:
            raise NoAnswer("these hooks are closed")
        if self._connection is None or not self._connection.is_open:
            self._connection = self._spawn()
        return self._connection

    def _spawn(self) -> Connection:
        command = [str(self._bin), "serve", *self._args]
        if self._config is None:
            return Connection(command, self.cwd)
        if not isinstance(self._config, Mapping):
            return Connection([*command, "--config", str(self.cwd / self._config)], self.cwd)
        file = write_rules(self._config, self.cwd)
        return Connection([*command, "--no-reload", "--config", str(file)], self.cwd)


def write_rules(config: Mapping[str, Any], cwd: Path) -> Path:
    """Writes rules that are given as a mapping to the user's state of `hooks`, which agents may not change.

    The same rules for the same folder have the same file, so they keep their counts. It is written anew for each start.
    """
    text = json.dumps(config)
    home = os.environ.get("XDG_STATE_HOME", "")
    state = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "state"
    digest = hashlib.sha256(json.dumps([text, str(cwd)]).encode()).hexdigest()[:32]
    folder = state / "hooks" / "inline" / digest
    file, fresh = folder / "hooks.json", folder / f"{uuid.uuid4()}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh.write_text(text)
        fresh.replace(file)
    except OSError as error:
        raise NoAnswer(f"the rules cannot be written: {error}") from error
    return file


_SERVERS: weakref.WeakSet[Server] = weakref.WeakSet()


def _after_fork() -> None:
    for server in list(_SERVERS):
        server.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def find_program(named: str | os.PathLike[str] | None) -> Path:
    """The absolute path of the program."""
    wanted = named or os.environ.get("HOOKS_BIN")
    if wanted:
        return Path(wanted).resolve()
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    found = shutil.which("hooks", path=os.pathsep.join(folders)) if folders else None
    if found is None:
        raise NoAnswer("the program `hooks` is not in `PATH`; install it, or name it with `bin` or `HOOKS_BIN`")
    return Path(found)


def _read_some(stream: IO[bytes]) -> bytes:
    try:
        return stream.read(1 << 16) or b""
    except (OSError, ValueError):
        return b""


def _same(given: object, wanted: object) -> bool:
    """Whether two ids are the same; `True` is not 1."""
    return type(given) is type(wanted) and given == wanted


def _how(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
