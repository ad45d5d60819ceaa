"""Guardrails for tools of the OpenAI Agents SDK (package `openai-agents`)."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    RunContextWrapper,
    RunHooks,
    Tool,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
    ToolOutputGuardrail,
    ToolOutputGuardrailData,
)

from . import Approve, Hooks, ToolCall, ToolDenied

_NAME = "tower-hooks"


def input_guardrail(hooks: Hooks, *, approve: Approve | None = None) -> ToolInputGuardrail[Any]:
    """Asks before a call. A denied call is not made, and the model reads why."""

    async def before(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        try:
            call = _call(data)
        except ValueError as error:
            return ToolGuardrailFunctionOutput.reject_content(f"denied: the arguments are not JSON: {error}")
        try:
            made = await hooks.apermitted(call, approve)
        except ToolDenied as denied:
            return ToolGuardrailFunctionOutput.reject_content(str(denied), denied.outcome.answer)
        if made.args != call.args:
            return ToolGuardrailFunctionOutput.reject_content(
                f"denied: the rules change the arguments, which a guardrail cannot; call again with {json.dumps(made.args)}"
            )
        return ToolGuardrailFunctionOutput.allow()

    return ToolInputGuardrail(before, name=_NAME)


def output_guardrail(hooks: Hooks) -> ToolOutputGuardrail[Any]:
    """Asks about a result. The model reads the scrubbed one, or why there is none."""

    async def after(data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        try:
            seen = await hooks.aseen(_call(data), data.output)
        except (ToolDenied, ValueError) as denied:
            return ToolGuardrailFunctionOutput.reject_content(str(denied))
        if seen is data.output:
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(seen if isinstance(seen, str) else json.dumps(seen))

    return ToolOutputGuardrail(after, name=_NAME)


def govern(hooks: Hooks, tool: FunctionTool, *, approve: Approve | None = None) -> FunctionTool:
    """A copy of a tool whose calls are governed. Guardrails that it has run first."""
    return dataclasses.replace(
        tool,
        tool_input_guardrails=[*(tool.tool_input_guardrails or []), input_guardrail(hooks, approve=approve)],
        tool_output_guardrails=[*(tool.tool_output_guardrails or []), output_guardrail(hooks)],
    )


class GovernedRun(RunHooks[Any]):
    """Ends a run that is about to use a local tool that is not governed, such as one of an MCP server; for
    `Runner.run(hooks=...)`. Reports when one agent hands over to another."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks

    async def on_tool_start(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool) -> None:
        guardrails = tool.tool_input_guardrails if isinstance(tool, FunctionTool) else None
        if not any(guardrail.name == _NAME for guardrail in guardrails or []):
            raise PermissionError(f"the tool `{tool.name}` is not governed; use `govern` for it")

    async def on_handoff(self, context: RunContextWrapper[Any], from_agent: Agent[Any], to_agent: Agent[Any]) -> None:
        await self._hooks.ainform("agent_switched", {"from": from_agent.name, "to": to_agent.name})


def _call(data: ToolInputGuardrailData) -> ToolCall:
    context = data.context
    args = json.loads(context.tool_arguments or "{}", object_pairs_hook=_without_duplicates)
    return ToolCall(context.tool_name, args, context.tool_call_id, agent_name=data.agent.name)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name occurs twice")
    return fields
