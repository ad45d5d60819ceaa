"""Servers that break the protocol. Nothing of what they write may allow a call."""

from __future__ import annotations

import asyncio

from tower_hooks import Hooks, ToolCall

from .support import Case

# Each body answers, and the call has to be denied with a message like this.
BROKEN = {
    "ends at once": ("sys.exit(3)", "exit code 3"),
    "writes no JSON first": ('say("hello")\nfor line in lines: pass', "not JSON"),
    "has no greeting": ("say({})\nfor line in lines: pass", "greeting"),
    "speaks another protocol": ('say({"hooks": {"protocol": 2}})\nfor line in lines: say(allow(line))', "speaks protocol 2"),
    "speaks protocol true": ('say({"hooks": {"protocol": True}})\nfor line in lines: say(allow(line))', "speaks protocol true"),
    "writes garbage": ('say(GREETING)\nfor line in lines: say("{")', "not JSON"),
    "nests deeply": ('say(GREETING)\nfor line in lines: say("[" * 200000)', "not JSON"),
    "writes no UTF-8": ('say(GREETING)\nfor line in lines: os.write(1, b"\\xff\\n")', "not JSON"),
    "answers a list": ("say(GREETING)\nfor line in lines: say([allow(line)])", "not an answer"),
    "answers another id": ("say(GREETING)\nfor line in lines: say(allow(line, id=77))", "not asked"),
    "answers without an id": ("say(GREETING)\nfor line in lines: say(allow(line, id=None))", "not asked"),
    "answers true as id": ("say(GREETING)\nfor line in lines: say(allow(line, id=True))", "not asked"),
    "answers another event": ('say(GREETING)\nfor line in lines: say(allow(line, event="stop"))', "another event"),
    "has an error": ('say(GREETING)\nfor line in lines: say(allow(line, error={"message": "no rules"}))', "no rules"),
    "has an unknown decision": ('say(GREETING)\nfor line in lines: say(allow(line, decision="Allow"))', "no decision"),
    "has a list as decision": ("say(GREETING)\nfor line in lines: say(allow(line, decision=[]))", "no decision"),
    "changes the event to a text": ('say(GREETING)\nfor line in lines: say(allow(line, effective="x"))', "no event"),
    "ends in the middle": ("say(GREETING)\nfor line in lines:\n  sys.stdout.write(json.dumps(allow(line))); sys.exit(0)", "ended"),
    "closes its output": ("say(GREETING)\nfor line in lines:\n  os.close(1); time.sleep(60)", "could not be asked"),
    "answers late": ("say(GREETING)\nfor line in lines:\n  time.sleep(3); say(allow(line))", "within 1 s"),
    "never greets": ("for line in lines: pass", "within 1 s"),
}


class Protocol(Case):
    def test_a_server_that_breaks_it_allows_nothing(self) -> None:
        for name, (body, message) in BROKEN.items():
            with self.subTest(name):
                hooks = Hooks(bin=self.impostor(body), timeout=1)
                outcome = hooks.pre_tool_use("bash", {"command": "ls"})
                self.assertEqual(outcome.decision, "deny")
                self.assertIn(message, outcome.message or "")
                ended = asyncio.run(hooks.apost_tool_use(ToolCall("bash", {}), "secret"))
                self.assertEqual(ended.decision, "deny")
                hooks.close()

    def test_a_late_answer_is_not_taken_for_the_next_one(self) -> None:
        # The first answer comes with the second, and allows; the second denies.
        body = """say(GREETING)
first = next(lines)
second = next(lines)
say(allow(first))
say(allow(second, decision="deny", message="second"))
"""
        hooks = Hooks(bin=self.impostor(body), timeout=1)
        self.addCleanup(hooks.close)
        self.assertIn("within", hooks.pre_tool_use("bash", {}).message or "")
        self.assertEqual(hooks.pre_tool_use("bash", {}).message, "second")

    def test_a_server_that_reads_nothing_blocks_no_event_loop(self) -> None:
        hooks = Hooks(bin=self.impostor("say(GREETING)\ntime.sleep(60)"), timeout=1)
        self.addCleanup(hooks.close)

        async def ask() -> int:
            ticks = 0
            asked = asyncio.ensure_future(hooks.apre_tool_use("bash", {"command": "x" * (8 << 20)}))
            while not asked.done():
                await asyncio.sleep(0.01)
                ticks += 1
            self.assertFalse((await asked).allowed)
            return ticks

        self.assertGreater(asyncio.run(ask()), 5)
