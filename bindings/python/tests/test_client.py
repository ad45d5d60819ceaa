"""The client, with the program `hooks` itself."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tower_hooks import Hooks, NoAnswer, ToolCall, ToolDenied

from .support import RULES, Case, children, gone


def bash(command: str) -> ToolCall:
    return ToolCall("bash", {"command": command})


class Client(Case):
    def test_the_rules_decide(self) -> None:
        hooks = self.started()
        denied = hooks.pre_tool_use("bash", {"command": "rm -rf build"})
        self.assertEqual(denied.decision, "deny")
        self.assertIn("blocked as `rm -rf`", denied.message or "")
        self.assertEqual(denied.reasons[0]["policy"], "command-guard")
        self.assertTrue(hooks.pre_tool_use("bash", {"command": "ls"}).allowed)
        self.assertFalse(hooks.pre_tool_use("write_file", {"path": "docs/a"}).allowed)
        self.assertEqual(hooks.pre_tool_use("send_mail", {}).decision, "ask")

    def test_a_governed_tool_runs_only_if_it_may_and_its_result_and_error_are_scrubbed(self) -> None:
        hooks = self.started()
        ran: list[str] = []

        @hooks.tool
        def bash(command: str) -> str:
            ran.append(command)
            if command == "false":
                raise ValueError("no user ada@example.com")
            return f"{command} ada@example.com"

        self.assertEqual(bash("ls"), "ls [EMAIL_REDACTED]")
        with self.assertRaisesRegex(ToolDenied, "git push --force"):
            bash(command="git push --force")
        with self.assertRaisesRegex(RuntimeError, r"^no user \[EMAIL_REDACTED\]$"):
            bash("false")
        self.assertEqual(ran, ["ls", "false"])
        unchanged = object()
        self.assertIs(hooks.govern(ToolCall("view", {}), lambda _: unchanged), unchanged)

    def test_a_governed_coroutine(self) -> None:
        hooks = self.started()

        @hooks.tool
        async def bash(command: str) -> str:
            await asyncio.sleep(0)
            return f"{command} ada@example.com"

        self.assertEqual(asyncio.run(bash("ls")), "ls [EMAIL_REDACTED]")
        with self.assertRaises(ToolDenied):
            asyncio.run(bash("git push --force"))

    def test_a_call_that_needs_a_person_is_denied_without_one(self) -> None:
        hooks = self.started()
        call = ToolCall("send_mail", {})
        with self.assertRaises(ToolDenied):
            hooks.govern(call, lambda _: "sent")
        with self.assertRaises(ToolDenied):
            hooks.govern(call, lambda _: "sent", approve=lambda *_: False)
        approved = hooks.govern(call, lambda _: "sent", approve=lambda _, message: "leaves the machine" in message)
        self.assertEqual(approved, "sent")

    def test_calls_at_the_same_time_get_their_own_answers(self) -> None:
        hooks = self.started()
        command = lambda n: "git push --force" if n % 2 else f"echo {n}"
        with ThreadPoolExecutor(16) as pool:
            outcomes = pool.map(lambda n: hooks.pre_tool_use("bash", {"command": command(n)}), range(400))
        for n, outcome in enumerate(outcomes):
            self.assertEqual(outcome.allowed, n % 2 == 0)

        async def all_at_once() -> list[bool]:
            asked = (hooks.apre_tool_use("bash", {"command": command(n)}) for n in range(400))
            return [outcome.allowed for outcome in await asyncio.gather(*asked)]

        self.assertEqual(asyncio.run(all_at_once()), [n % 2 == 0 for n in range(400)])

    def test_what_cannot_be_encoded_is_denied(self) -> None:
        hooks = self.started()
        loop: dict[str, Any] = {}
        loop["loop"] = loop
        wrong: list[Any] = ["\ud800", "\udcff", {"\udc00": 1}, float("nan"), 1 << 64, {1: 2}, {1, 2}, b"x", object(), loop]
        for args in wrong:
            self.assertIn("not JSON", hooks.pre_tool_use("bash", args).message or "")
        self.assertEqual(hooks.post_tool_use(bash("ls"), loop).decision, "deny")
        self.assertEqual(hooks.seen(bash("ls"), "ada@example.com \ud83d"), "[EMAIL_REDACTED] ?")

    def test_every_character_arrives(self) -> None:
        hooks = self.started()
        self.assertFalse(hooks.pre_tool_use("write_file", {"path": 'docs/é\u2028\n"\\\0😀.md'}).allowed)
        self.assertTrue(hooks.pre_tool_use("write_file", {"path": "src/é😀.md"}).allowed)

    def test_large_arguments_are_judged_and_too_large_ones_denied(self) -> None:
        hooks = self.started(timeout=60)
        filled = lambda size: hooks.pre_tool_use("write_file", {"path": "src/a", "content": "x" * size})
        self.assertTrue(filled(4 << 20).allowed)
        self.assertIn("longer than 32 MiB", filled(33 << 20).message or "")
        self.assertTrue(filled(1).allowed)

    def test_a_killed_server_denies_its_calls_and_the_next_call_starts_another(self) -> None:
        hooks = self.started()
        for _ in range(3):
            (server,) = children(os.getpid())

            async def storm() -> None:
                denied = [asyncio.ensure_future(hooks.apre_tool_use("bash", {"command": "git push --force"})) for _ in range(200)]
                harmless = [asyncio.ensure_future(hooks.apre_tool_use("bash", {"command": "ls"})) for _ in range(200)]
                await asyncio.sleep(0)
                os.kill(server, signal.SIGKILL)
                for outcome in await asyncio.gather(*denied):
                    self.assertEqual(outcome.decision, "deny")
                # Each got its answer before the kill, or was denied because of it.
                for outcome in await asyncio.gather(*harmless):
                    self.assertTrue(outcome.allowed or "signal 9" in (outcome.message or ""), outcome)

            asyncio.run(storm())
            self.assertTrue(hooks.pre_tool_use("bash", {"command": "ls"}).allowed)
            self.assertFalse(hooks.pre_tool_use("bash", {"command": "git push --force"}).allowed)

    def test_counts_outlive_a_killed_server(self) -> None:
        hooks = self.started(config={"version": 1, "ask_user": {"max_per_session": 1}})
        self.assertTrue(hooks.pre_tool_use("ask_user", {}).allowed)
        (server,) = children(os.getpid())
        os.kill(server, signal.SIGKILL)
        # The first call after the kill may still find the server.
        self.assertFalse(hooks.pre_tool_use("ask_user", {}).allowed)
        self.assertIn("1 of 1", hooks.pre_tool_use("ask_user", {}).message or "")

    def test_a_cancelled_call_leaves_the_others_alone(self) -> None:
        hooks = self.started()

        async def cancel() -> list[bool]:
            asked = [asyncio.ensure_future(hooks.apre_tool_use("bash", {"command": "ls"})) for _ in range(20)]
            await asyncio.sleep(0)
            asked[3].cancel()
            outcomes = await asyncio.gather(*asked, return_exceptions=True)
            return [not isinstance(outcome, BaseException) and outcome.allowed for outcome in outcomes]

        self.assertEqual(asyncio.run(cancel()), [n != 3 for n in range(20)])

    def test_a_missing_program_or_wrong_rules_end_the_start_and_deny_later(self) -> None:
        missing = self.folder() / "hooks"
        for options in ({"bin": missing}, {"config": {"version": 1, "nonsense": 1}}, {"config": missing}):
            with self.assertRaises(NoAnswer):
                Hooks.start(**{"config": RULES, **options})
            hooks = Hooks(**{"config": RULES, **options})
            self.assertFalse(hooks.pre_tool_use("bash", {"command": "ls"}).allowed)
            self.assertFalse(hooks.post_tool_use(bash("ls"), "secret").allowed)
            self.assertTrue(hooks.inform("session_start").error)
            hooks.close()

    def test_closed_hooks_deny(self) -> None:
        with Hooks(config=RULES) as hooks:
            self.assertTrue(hooks.pre_tool_use("bash", {"command": "ls"}).allowed)
        self.assertIn("closed", hooks.pre_tool_use("bash", {"command": "ls"}).message or "")
        self.assertEqual(children(os.getpid()), [])

        async def inside() -> bool:
            async with Hooks(config=RULES) as hooks:
                return (await hooks.apre_tool_use("bash", {"command": "ls"})).allowed

        self.assertTrue(asyncio.run(inside()))
        self.assertEqual(children(os.getpid()), [])

    def test_a_forked_process_has_a_server_of_its_own(self) -> None:
        hooks = self.started()
        child = os.fork()
        if child == 0:
            is_well = hooks.pre_tool_use("bash", {"command": "ls"}).allowed
            is_well &= not hooks.pre_tool_use("bash", {"command": "git push --force"}).allowed
            os._exit(0 if is_well else 1)
        self.assertTrue(hooks.pre_tool_use("bash", {"command": "ls"}).allowed)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(hooks.pre_tool_use("bash", {"command": "ls"}).allowed)

    def test_a_process_that_does_not_close_its_hooks_ends_and_its_server_with_it(self) -> None:
        script = """if True:
            import os
            from pathlib import Path
            from tower_hooks import Hooks
            hooks = Hooks.start(config={"version": 1, "command_guard": {}})
            hooks.pre_tool_use("bash", {"command": "ls"})
            print(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text())"""
        ended = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        gone(int(ended.stdout))

    def test_threads_end_with_their_server(self) -> None:
        before = threading.active_count()
        for _ in range(5):
            with Hooks(config=RULES) as hooks:
                hooks.pre_tool_use("bash", {"command": "ls"})
        for thread in threading.enumerate():
            if thread.name == "tower-hooks":
                thread.join(10)
        self.assertEqual(threading.active_count(), before)


if __name__ == "__main__":
    unittest.main()
