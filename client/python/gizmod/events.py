"""What a session tells: events, and streams of them that a slow reader does not fill up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, cast

from .errors import GizmodError
from .wire import EditMessage, GizmoMessage

#: Edits that wait for a slow reader, at most; the oldest are then counted in `Events.missed`.
EDITS_MAX = 10_000


@dataclass
class Event:
    """Something has happened in a session. Events of one kind that a reader has not read yet
    become one, except edits and refusals."""

    def merge(self, later: Event) -> Event:
        """This event and a later one of its kind as one."""
        return later


@dataclass
class Changed(Event):
    """Nodes have changed: ids. After `all` the scene was told anew, and `added` is all of it."""

    seq: int = 0
    all: bool = False
    added: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)  # have another t, r, s or parent
    structure: set[int] = field(default_factory=set)  # have another name or parent

    def remove(self, id: int) -> None:
        for ids in (self.added, self.moved, self.structure):
            ids.discard(id)
        self.gone.add(id)

    def merge(self, later: Event) -> Event:
        assert isinstance(later, Changed)
        if later.all:
            return later
        merged = Changed(
            seq=later.seq,
            all=self.all,
            added=self.added | later.added,
            gone=self.gone - later.added,
            moved=self.moved | later.moved,
            structure=self.structure | later.structure,
        )
        for id in later.gone:
            merged.remove(id)
        return merged


@dataclass
class Edited(Event):
    """Somebody's edit is on stable storage."""

    edit: EditMessage


@dataclass
class PeopleChanged(Event):
    """`session.people` or `session.here` has changed."""


@dataclass
class NotesChanged(Event):
    """`session.notes` has changed."""


@dataclass
class CheckpointsChanged(Event):
    """`session.named` has changed."""


@dataclass
class GizmoChanged(Event):
    """What is to be drawn of the gizmo; None for nothing."""

    gizmo: GizmoMessage | None


@dataclass
class ViewChanged(Event):
    """The session's own view, after an orbit."""

    view: tuple[float, ...]


Phase = Literal["connecting", "online", "offline", "closed"]


@dataclass
class StatusChanged(Event):
    """The state of the connection. `resumed`: only what was missed was told after a loss."""

    phase: Phase
    reason: str = ""
    resumed: bool = False


@dataclass
class Refused(Event):
    """An error of the server about something that nobody waits for."""

    error: GizmodError


E = TypeVar("E", bound=Event)


class Events(AsyncIterator[E], Generic[E]):
    """The events of a session from now on: `async for event in session.events(): ...`.

    It ends when the session is closed, and raises the error if the session ended by one. `missed`
    counts edits that were dropped because nobody read; `session.history` has them.
    """

    def __init__(self, kinds: tuple[type[E], ...], leave: Callable[[Events[E]], None]) -> None:
        self._kinds = kinds
        self._leave = leave
        self._waiting: dict[object, Event] = {}
        self._count = 0
        self._listed = 0
        self._wake = asyncio.Event()
        self._over = False
        self._error: GizmodError | None = None
        self.missed = 0

    def put(self, event: Event) -> None:
        if not isinstance(event, self._kinds):
            return
        self._wake.set()
        kind = type(event)
        if kind not in (Edited, Refused):
            before = self._waiting.get(kind)
            self._waiting[kind] = event if before is None else before.merge(event)
            return
        self._count += 1
        self._listed += 1
        self._waiting[self._count] = event
        if self._listed > EDITS_MAX:
            self._pop(next(key for key in self._waiting if isinstance(key, int)))
            self.missed += 1

    def end(self, error: GizmodError | None) -> None:
        self._over, self._error = True, error
        self._wake.set()

    def close(self) -> None:
        """Ends the stream; the session goes on."""
        self._leave(self)
        self.end(None)

    def _pop(self, key: object) -> E:
        self._listed -= isinstance(key, int)
        return cast(E, self._waiting.pop(key))

    def __aiter__(self) -> Events[E]:
        return self

    async def __anext__(self) -> E:
        while not self._waiting:
            if self._over and self._error is not None:
                raise self._error
            if self._over:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        return self._pop(next(iter(self._waiting)))
