"""Decisions about the tool calls of agents, from the program `hooks`."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import inspect
import os
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

from ._json import as_json, not_json
from ._server import Fields, NoAnswer, Server

__all__ = ["Approve", "Decision", "Hooks", "Informed", "NoAnswer", "Outcome", "ToolCall", "ToolDenied"]

# Answer of the rules. The client goes ahead after `allow` and `no_opinion`.
Decision = Literal["allow", "no_opinion", "ask", "deny"]
_DECISIONS: tuple[Decision, ...] = ("allow", "no_opinion", "ask", "deny")

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool. What is left out of its place is that of the hooks."""

    name: str
    args: Any
    id: str | None = None
    session_id: str | None = None
    agent_name: str | None = None
    cwd: str | None = None


@dataclass(frozen=True)
class Outcome:
    """Outcome of an event that rules decide."""

    decision: Decision
    # Text for the agent, if the decision is `deny` or `ask`.
    message: str | None = None
    # Rules that decided, as in `hooks eval`.
    reasons: list[Fields] = field(default_factory=list)
    # The event after rewrites and scrubbing, if there were any; use it in place of what you sent.
    effective: Fields | None = None
    # Texts for the agent's context.
    additional_context: list[str] = field(default_factory=list)
    # Whole answer of the server; empty without one.
    answer: Fields = field(default_factory=dict)

    @property
    def allowed(self) -> bool:
        """Whether the host may go ahead."""
        return self.decision in ("allow", "no_opinion")


@dataclass(frozen=True)
class Informed:
    """Outcome of an event that only informs."""

    additional_context: list[str] = field(default_factory=list)
    # Reason if there was no valid answer.
    error: str | None = None
    answer: Fields = field(default_factory=dict)


# Decides about a call that the rules ask a person about.
Approve = Callable[[ToolCall, str], bool]


class ToolDenied(Exception):
    """A call that was not made, or whose result may not be seen. The text is for the agent."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message or "denied")
        self.outcome = outcome


class Hooks:
    """Asks `hooks serve`. Methods that begin with `a` are for asyncio; all may be called from any thread.

    `bin` is the program (without it: the variable `HOOKS_BIN`, then the absolute folders of `PATH`); `config` a file of
    rules, or the rules themselves (without it: the file that governs `cwd`); `timeout` the seconds for one answer.
    """

    def __init__(
        self,
        *,
        config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        bin: str | os.PathLike[str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = 10.0,
        args: Sequence[str] = (),
        session_id: str | None = None,
        agent_name: str = "agent",
    ) -> None:
        self._server = Server(bin, config, cwd, timeout, args)
        self._session = session_id or str(uuid.uuid4())
        self._agent = agent_name

    @classmethod
    def start(cls, **options: Any) -> Hooks:
        """Hooks whose server runs. Raises `NoAnswer` if it cannot be started, or refuses its rules."""
        hooks = cls(**options)
        hooks.greeting()
        return hooks

    def greeting(self) -> Fields:
        """What the server said of itself."""
        return self._wait(self._server.start())

    def __enter__(self) -> Hooks:
        self.greeting()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Hooks:
        await asyncio.to_thread(self.greeting)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Ends the server after its last answer. Later calls are denied."""
        self._server.close()

    # Single events. None of these raises: what gets no valid answer is denied.

    def pre_tool_use(self, name: str, args: Any, **place: str | None) -> Outcome:
        """Asks before a tool call. `place` has the further fields of `ToolCall`."""
        return self._before(ToolCall(name, args, **place))

    async def apre_tool_use(self, name: str, args: Any, **place: str | None) -> Outcome:
        return await self._abefore(ToolCall(name, args, **place))

    def post_tool_use(self, call: ToolCall, result: object = None, *, error: str | None = None, ms: int = 0) -> Outcome:
        """Asks about the result of a call. If it is denied, `message` takes the place of the result."""
        fields = _of_end(call, result, error, ms)
        return fields if isinstance(fields, Outcome) else self.decide("post_tool_use", fields, call)

    async def apost_tool_use(
        self, call: ToolCall, result: object = None, *, error: str | None = None, ms: int = 0
    ) -> Outcome:
        fields = _of_end(call, result, error, ms)
        return fields if isinstance(fields, Outcome) else await self.adecide("post_tool_use", fields, call)

    def decide(self, event: str, fields: Fields, place: ToolCall | None = None) -> Outcome:
        """Asks about any event that rules decide, with its fields as in `hooks schema EVENT`."""
        try:
            return _outcome(event, self._wait(self._ask(event, fields, place)))
        except Exception as error:
            return _denied(str(error))

    async def adecide(self, event: str, fields: Fields, place: ToolCall | None = None) -> Outcome:
        try:
            return _outcome(event, await self._await(self._ask(event, fields, place)))
        except Exception as error:
            return _denied(str(error))

    def inform(self, event: str, fields: Fields | None = None, place: ToolCall | None = None) -> Informed:
        """Reports an event that only informs, with its fields as in `hooks schema EVENT`."""
        try:
            return _informed(event, self._wait(self._ask(event, fields or {}, place)))
        except Exception as error:
            return Informed(error=str(error))

    async def ainform(self, event: str, fields: Fields | None = None, place: ToolCall | None = None) -> Informed:
        try:
            return _informed(event, await self._await(self._ask(event, fields or {}, place)))
        except Exception as error:
            return Informed(error=str(error))

    # Whole calls.

    def tool(self, function: F) -> F:
        """Decorates a function, or a coroutine function, whose calls are governed under its own name."""
        signature = inspect.signature(function)

        def call_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCall:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            return ToolCall(function.__name__, dict(bound.arguments))

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def agoverned(*args: Any, **kwargs: Any) -> Any:
                return await self.agovern(call_of(args, kwargs), lambda changed: function(**changed))

            return cast(F, agoverned)

        @functools.wraps(function)
        def governed(*args: Any, **kwargs: Any) -> Any:
            return self.govern(call_of(args, kwargs), lambda changed: function(**changed))

        return cast(F, governed)

    def govern(self, call: ToolCall, run: Callable[[Any], Any], *, approve: Approve | None = None) -> Any:
        """Runs a tool if the rules allow it, and returns its result as the agent may see it.

        `run` gets the arguments after rewrites. Raises `ToolDenied` if the call is denied, or its result withheld; or
        the error of the tool. Without `approve`, a call that needs a person is denied.
        """
        call = self.permitted(call, approve)
        start = time.monotonic()
        try:
            result = run(call.args)
        except Exception as error:
            raise _seen_error(self.post_tool_use(call, error=str(error), ms=_ms(start)), error)
        return _seen(self.post_tool_use(call, result, ms=_ms(start)), result)

    async def agovern(
        self, call: ToolCall, run: Callable[[Any], Awaitable[Any]], *, approve: Approve | None = None
    ) -> Any:
        call = await self.apermitted(call, approve)
        start = time.monotonic()
        try:
            result = await run(call.args)
        except Exception as error:
            raise _seen_error(await self.apost_tool_use(call, error=str(error), ms=_ms(start)), error)
        return _seen(await self.apost_tool_use(call, result, ms=_ms(start)), result)

    def permitted(self, call: ToolCall, approve: Approve | None = None) -> ToolCall:
        """The call as it may be made. Raises `ToolDenied`."""
        return _permitted(call, self._before(call), approve)

    async def apermitted(self, call: ToolCall, approve: Approve | None = None) -> ToolCall:
        return _permitted(call, await self._abefore(call), approve)

    def seen(self, call: ToolCall, result: object, error: str | None = None) -> Any:
        """The result as the agent may see it. Raises `ToolDenied`."""
        return _seen(self.post_tool_use(call, result, error=error), result)

    async def aseen(self, call: ToolCall, result: object, error: str | None = None) -> Any:
        return _seen(await self.apost_tool_use(call, result, error=error), result)

    def seen_error(self, call: ToolCall, error: Exception) -> Exception:
        """The error of a tool as the agent may see it: the same, or one with a scrubbed message."""
        return _seen_error(self.post_tool_use(call, error=str(error)), error)

    async def aseen_error(self, call: ToolCall, error: Exception) -> Exception:
        return _seen_error(await self.apost_tool_use(call, error=str(error)), error)

    def _before(self, call: ToolCall) -> Outcome:
        problem = not_json(call.args)
        return _not_json(problem) if problem else self.decide("pre_tool_use", _of_call(call), call)

    async def _abefore(self, call: ToolCall) -> Outcome:
        problem = not_json(call.args)
        return _not_json(problem) if problem else await self.adecide("pre_tool_use", _of_call(call), call)

    def _ask(self, event: str, fields: Fields, place: ToolCall | None) -> concurrent.futures.Future[Fields]:
        place = place or ToolCall("", None)
        at = {
            "session_id": place.session_id or self._session,
            "agent_name": place.agent_name or self._agent,
            "cwd": place.cwd or str(self._server.cwd),
            "timestamp": time.time_ns() // 1_000_000,
        }
        return self._server.ask({**fields, "event": event, "at": at})

    def _wait(self, answer: concurrent.futures.Future[Fields]) -> Fields:
        try:
            return answer.result(self._server.timeout)
        except concurrent.futures.TimeoutError:
            raise self._server.late() from None

    async def _await(self, answer: concurrent.futures.Future[Fields]) -> Fields:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(answer), self._server.timeout)
        except asyncio.TimeoutError:
            raise self._server.late() from None


def _of_call(call: ToolCall) -> Fields:
    return {"tool_name": call.name, "tool_args": call.args, "tool_use_id": call.id}


def _of_end(call: ToolCall, result: object, error: str | None, ms: int) -> Fields | Outcome:
    """The fields of an end, or the denial of a result that has none."""
    try:
        # The arguments were judged before, and only say here which call ends.
        made = {**_of_call(call), "tool_args": as_json(call.args)}
        return {**made, "tool_result": as_json(result), "error": as_json(error), "duration_ms": max(0, ms)}
    except Exception as problem:
        return _denied(f"the result of the call is not JSON: {problem}")


def _outcome(event: str, answer: Fields) -> Outcome:
    _check(event, answer)
    decision, effective, message = answer.get("decision"), answer.get("effective"), answer.get("message")
    if decision not in _DECISIONS:
        raise NoAnswer(f"`hooks serve` gave no decision about `{event}`")
    if effective is not None and not isinstance(effective, dict):
        raise NoAnswer(f"`hooks serve` changed `{event}` to what is no event")
    if decision in ("allow", "no_opinion"):
        message = None
    elif not isinstance(message, str):
        message = f"denied by the rules ({decision})"
    reasons = [reason for reason in answer.get("reasons") or [] if isinstance(reason, dict)]
    return Outcome(decision, message, reasons, effective, _context(answer), answer)


def _informed(event: str, answer: Fields) -> Informed:
    _check(event, answer)
    return Informed(_context(answer), None, answer)


def _check(event: str, answer: Fields) -> None:
    if "error" in answer:
        error = answer["error"]
        message = error.get("message") if isinstance(error, dict) else None
        raise NoAnswer(message if isinstance(message, str) else f"`hooks serve` could not judge `{event}`")
    if answer.get("event") != event:
        raise NoAnswer(f"`hooks serve` answered another event than `{event}`")


def _context(answer: Fields) -> list[str]:
    notes = answer.get("additional_context")
    texts = (note.get("text") for note in notes if isinstance(note, dict)) if isinstance(notes, list) else ()
    return [text for text in texts if isinstance(text, str)]


def _denied(why: str) -> Outcome:
    return Outcome("deny", f"denied, because the rules could not be asked: {why}")


def _not_json(problem: str) -> Outcome:
    return _denied(f"the arguments of the call are not JSON: {problem}")


def _permitted(call: ToolCall, outcome: Outcome, approve: Approve | None) -> ToolCall:
    is_approved = outcome.decision == "ask" and approve is not None and approve(call, outcome.message or "") is True
    if not outcome.allowed and not is_approved:
        raise ToolDenied(outcome)
    if outcome.effective is None:
        return call
    if "tool_args" not in outcome.effective:
        raise ToolDenied(_denied("the changed call has no arguments"))
    # The rules may change arguments, and nothing else of a call.
    return replace(call, args=outcome.effective["tool_args"])


def _seen(outcome: Outcome, result: object) -> Any:
    if not outcome.allowed:
        raise ToolDenied(outcome)
    if outcome.effective is None or "tool_result" not in outcome.effective:
        return result
    changed = outcome.effective["tool_result"]
    # An unchanged result stays the object that it is.
    return result if changed == as_json(result) else changed


def _seen_error(outcome: Outcome, error: Exception) -> Exception:
    if not outcome.allowed:
        return ToolDenied(outcome)
    told = outcome.effective.get("error") if outcome.effective else None
    return RuntimeError(told) if isinstance(told, str) and told != str(error) else error


def _ms(start: float) -> int:
    return int((time.monotonic() - start) * 1000)
