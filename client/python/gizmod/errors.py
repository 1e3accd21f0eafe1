"""What can go wrong, by kind. Each error has the server's `code` and its words for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class GizmodError(Exception):
    """An error of the server or of the connection; the classes below are its kinds.

    `code` is one of proto/README.md, or `lost`, `unreachable` or `closed`. `nodes` are those in
    question, `holder` is the session that holds one, and `scene` is the new name of a scene that
    was renamed. Later servers may have further codes: they are a GizmodError of no kind.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        nodes: Sequence[int] = (),
        holder: int | None = None,
        scene: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.nodes = tuple(nodes)
        self.holder = holder
        self.scene = scene

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class Unreachable(GizmodError):
    """The server cannot be reached, or the connection was lost before an answer came."""


class Closed(GizmodError):
    """The session was closed by this program."""


class NotAllowed(GizmodError):
    """The role does not allow it."""


class Unauthorised(NotAllowed):
    """The token does not allow it."""


class NotFound(GizmodError):
    """There is no such node or scene."""


class InTheWay(GizmodError):
    """Right, but not now."""


class Locked(InTheWay):
    """Somebody else holds the node: `holder`."""


class Conflict(InTheWay):
    """Somebody else changed it since."""


class BadRequest(GizmodError):
    """What was asked is wrong, or beyond a limit."""


class NotNow(GizmodError):
    """The server cannot do it now: too much was asked for, or the disk did not take it."""


KINDS: Mapping[str, type[GizmodError]] = {
    "unreachable": Unreachable,
    "lost": Unreachable,
    "closed": Closed,
    "forbidden": NotAllowed,
    "unauthorised": Unauthorised,
    "unknown_node": NotFound,
    "unknown_scene": NotFound,
    "bad_state": InTheWay,
    "locked": Locked,
    "conflict": Conflict,
    "bad_message": BadRequest,
    "bad_value": BadRequest,
    "unknown_op": BadRequest,
    "unknown_handle": BadRequest,
    "too_large": BadRequest,
    "too_many": BadRequest,
    "version": BadRequest,
    "rate_limited": NotNow,
    "storage": NotNow,
}


def error_of(code: str, message: str, more: Mapping[str, Any] | None = None) -> GizmodError:
    """The error of a code; `more` is the message of the server that told it."""
    told = more or {}
    return KINDS.get(code, GizmodError)(
        code,
        message,
        nodes=told.get("nodes", ()),
        holder=told.get("holder"),
        scene=told.get("scene"),
    )
