"""An agent of the OpenAI Agents SDK with a scripted model."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from tower_hooks.openai_agents import GovernedRun, govern

from .support import Case

ran: list[str] = []


@function_tool
def bash(command: str) -> str:
    """Runs a command."""
    ran.append(command)
    return f"output of {command} for ada@example.com"


@function_tool
def send_mail() -> str:
    """Sends a mail."""
    return "sent"


class Scripted(Model):
    """Calls one tool, and then ends. Keeps what it was sent."""

    def __init__(self, name: str, arguments: str) -> None:
        self._call = ResponseFunctionToolCall(type="function_call", call_id="c1", name=name, arguments=arguments)
        self.sent: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        self.sent.append(input)
        text = ResponseOutputText(type="output_text", text="done", annotations=[])
        end = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[self._call if len(self.sent) == 1 else end], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class Guardrails(Case):
    def told(self, name: str, arguments: str, **options: Any) -> str:
        """The output that the model reads after its call."""
        ran.clear()
        hooks = self.started()
        model = Scripted(name, arguments)
        agent = Agent("tester", model=model, tools=[govern(hooks, tool, **options) for tool in (bash, send_mail)])
        settings = RunConfig(tracing_disabled=True)
        asyncio.run(Runner.run(agent, "go", hooks=GovernedRun(hooks), run_config=settings))
        (output,) = (item["output"] for item in model.sent[1] if item.get("type") == "function_call_output")
        return str(output)

    def test_calls(self) -> None:
        self.assertEqual(self.told("bash", '{"command": "ls"}'), "output of ls for [EMAIL_REDACTED]")
        self.assertEqual(ran, ["ls"])
        self.assertIn("`git push --force` is blocked", self.told("bash", json.dumps({"command": "git push --force"})))
        self.assertEqual(ran, [])
        self.assertIn("leaves the machine", self.told("send_mail", "{}"))
        self.assertEqual(self.told("send_mail", "{}", approve=lambda *_: True), "sent")

    def test_arguments_that_can_be_read_in_two_ways_are_denied(self) -> None:
        told = self.told("bash", '{"command": "ls", "command": "git push --force"}')
        self.assertIn("occurs twice", told)
        self.assertEqual(ran, [])

    def test_a_tool_that_is_not_governed_ends_the_run(self) -> None:
        hooks = self.started()
        agent = Agent("tester", model=Scripted("send_mail", "{}"), tools=[send_mail])
        settings = RunConfig(tracing_disabled=True)
        with self.assertRaisesRegex(Exception, "not governed"):
            asyncio.run(Runner.run(agent, "go", hooks=GovernedRun(hooks), run_config=settings))
