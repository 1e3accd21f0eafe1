"""A session's token: where it comes from, and when the next one is needed."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Awaitable, Callable

#: A text, or a function that returns one, or that returns an awaitable of one.
TokenOption = str | Callable[[], str | Awaitable[str]]

#: A newer token is asked for so long before one expires, or at half of its time if that is sooner.
AHEAD_S = 60.0


async def token_text(option: TokenOption | None) -> str | None:
    if option is None or isinstance(option, str):
        return option
    given = option()
    return given if isinstance(given, str) else await given


def renewal_s(text: str | None) -> float | None:
    """The seconds until a newer token is to be asked for; None if this one says no end."""
    try:
        claims = (text or "").split(".")[1]
        padded = claims + "=" * (-len(claims) % 4)
        left = float(json.loads(base64.urlsafe_b64decode(padded))["exp"]) - time.time()
    except (IndexError, KeyError, TypeError, ValueError):
        return None
    return max(left - AHEAD_S, left / 2, 1.0)
