"""An agent of LangChain with a scripted model."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command

from tower_hooks.langchain import HooksMiddleware

from .support import Case

ran: list[str] = []


@tool
def bash(command: str) -> str:
    """Runs a command."""
    ran.append(command)
    if command == "false":
        raise ValueError("failed for ada@example.com")
    return f"output of {command} for ada@example.com"


@tool
def send_mail() -> str:
    """Sends a mail."""
    return "sent"


@tool
def command(tool_call_id: str = "c1") -> Command[Any]:
    """Changes the state of the agent."""
    return Command(update={"messages": [ToolMessage("ada@example.com", tool_call_id="c1")]})


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


class Middleware(Case):
    def told(self, name: str, args: dict[str, Any], is_async: bool, **options: Any) -> ToolMessage:
        """The message that the model reads after its call."""
        ran.clear()
        call = AIMessage("", tool_calls=[{"name": name, "args": args, "id": "c1"}])
        model = Scripted(messages=iter([call, AIMessage("done")]))
        middleware = [HooksMiddleware(self.started(), **options)]
        agent = create_agent(model, [bash, send_mail, command], middleware=middleware)
        asked: Any = {"messages": [{"role": "user", "content": "go"}]}
        state = asyncio.run(agent.ainvoke(asked)) if is_async else agent.invoke(asked)
        (message,) = (message for message in state["messages"] if isinstance(message, ToolMessage))
        self.assertEqual(message.tool_call_id, "c1")
        return message

    def test_calls(self) -> None:
        for is_async in (False, True):
            with self.subTest(is_async=is_async):
                self.assertEqual(self.told("bash", {"command": "ls"}, is_async).text, "output of ls for [EMAIL_REDACTED]")
                self.assertEqual(ran, ["ls"])
                denied = self.told("bash", {"command": "git push --force"}, is_async)
                self.assertEqual((denied.status, ran), ("error", []))
                self.assertIn("`git push --force` is blocked", denied.text)
                with self.assertRaisesRegex(RuntimeError, r"failed for \[EMAIL_REDACTED\]"):
                    self.told("bash", {"command": "false"}, is_async)
                self.assertIn("leaves the machine", self.told("send_mail", {}, is_async).text)
                self.assertEqual(self.told("send_mail", {}, is_async, approve=lambda *_: True).text, "sent")
                self.assertEqual(self.told("command", {}, is_async).text, "[EMAIL_REDACTED]")


if __name__ == "__main__":
    unittest.main()
