"""Middleware for agents of LangChain (package `langchain`, version 1)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from . import Approve, Hooks, ToolCall, ToolDenied

Result = ToolMessage | Command[Any]


class HooksMiddleware(AgentMiddleware[Any, Any, Any]):
    """Governs the calls of tools, for `create_agent(middleware=[...])`.

    A denied call becomes a tool message with status `error`. The thread of the agent is the session.
    """

    def __init__(self, hooks: Hooks, *, approve: Approve | None = None, agent_name: str | None = None) -> None:
        super().__init__()
        self._hooks = hooks
        self._approve = approve
        self._agent_name = agent_name

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        try:
            call = self._hooks.permitted(self._call(request), self._approve)
            try:
                result = handler(_with_args(request, call))
            except Exception as error:
                raise self._hooks.seen_error(call, error)
            for message in _messages(result):
                message.content = self._hooks.seen(call, message.content, _error(message))
            return result
        except ToolDenied as denied:
            return _denied(request, denied)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        try:
            call = await self._hooks.apermitted(self._call(request), self._approve)
            try:
                result = await handler(_with_args(request, call))
            except Exception as error:
                raise await self._hooks.aseen_error(call, error)
            for message in _messages(result):
                message.content = await self._hooks.aseen(call, message.content, _error(message))
            return result
        except ToolDenied as denied:
            return _denied(request, denied)

    def _call(self, request: ToolCallRequest) -> ToolCall:
        config = getattr(request.runtime, "config", None) or {}
        thread = config.get("configurable", {}).get("thread_id")
        session = thread if isinstance(thread, str) else None
        made = request.tool_call
        return ToolCall(made["name"], made["args"], made["id"], session, self._agent_name)


def _with_args(request: ToolCallRequest, call: ToolCall) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": call.args})


def _messages(result: Result) -> list[ToolMessage]:
    """The messages that the model may read: the result, or those in a command."""
    if isinstance(result, ToolMessage):
        return [result]
    update = result.update if isinstance(result, Command) else None
    messages = update.get("messages", []) if isinstance(update, dict) else []
    return [message for message in messages if isinstance(message, ToolMessage)]


def _error(message: ToolMessage) -> str | None:
    return message.text if message.status == "error" else None


def _denied(request: ToolCallRequest, denied: ToolDenied) -> ToolMessage:
    made = request.tool_call
    return ToolMessage(content=str(denied), name=made["name"], tool_call_id=made["id"] or "", status="error")
