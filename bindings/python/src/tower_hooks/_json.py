"""What may be sent to the server, and why not."""

from __future__ import annotations

import json
import math
from typing import Any

# Deepest nesting of arguments that the server reads, with room for the event around them.
DEEPEST = 100

# Longest line that the server reads, in bytes.
LONGEST_LINE = 32 << 20


def not_json(value: object, depth: int = 0) -> str | None:
    """Why a value is not JSON as it stands, or None. A tool would see more than the rules if it were converted."""
    if depth > DEEPEST:
        return f"nested deeper than {DEEPEST} levels"
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return None if is_encodable(value) else "a text with half of a surrogate pair"
    if isinstance(value, int):
        return None if -(1 << 63) <= value < (1 << 64) else "an integer of more than 64 bits"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"the number {value}"
    if isinstance(value, dict):
        wrong = next((name for name in value if not isinstance(name, str) or not is_encodable(name)), None)
        if wrong is not None:
            return f"the name {wrong!r}"
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next((problem for item in value if (problem := not_json(item, depth + 1))), None)
    return f"an object of class {type(value).__name__}"


def is_encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def as_json(value: object, depth: int = 0) -> Any:
    """A result as JSON. What JSON does not have becomes text. Raises ValueError if it nests too deeply."""
    if depth > DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if is_encodable(value) else value.encode("utf-8", "replace").decode()
    if isinstance(value, (int, float)) and not_json(value) is None:
        return value
    if isinstance(value, dict):
        return {as_json(str(name)): as_json(item, depth + 1) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(item, depth + 1) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    return as_json(str(value))


def line(request: dict[str, Any]) -> bytes:
    """The line of a request; raises ValueError if the server would not read it."""
    text = json.dumps(request, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    if len(text) > LONGEST_LINE:
        raise ValueError(f"the event is longer than {LONGEST_LINE >> 20} MiB")
    return text
