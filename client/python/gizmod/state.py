"""What the server told a session: the scene, who is there, notes, and what is new of all that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar, overload

from . import wire
from .connection import log
from .errors import GizmodError, error_of
from .events import (
    CheckpointsChanged,
    Edited,
    Event,
    Events,
    GizmoChanged,
    NotesChanged,
    PeopleChanged,
    Refused,
    StatusChanged,
    ViewChanged,
)
from .gestures import Gesture
from .scene import Gap, Scene

E = TypeVar("E", bound=Event)


class State:
    """What a session knows; session.py is what it does."""

    def __init__(self, user: str) -> None:
        self._name = user
        self.scene = Scene()
        self.status = StatusChanged("connecting")
        self.id = 0  # of this session: another one after each loss
        self.people: dict[int, wire.PresenceUser] = {}  # by session: who came first, and who acts
        self.notes: dict[int, wire.NoteState] = {}
        self.named: dict[str, wire.CheckpointState] = {}  # the checkpoints
        self.selection: tuple[int, ...] = ()
        self.gizmo: wire.GizmoMessage | None = None
        self.camera: dict[str, Any] | None = None
        self.gestures: set[Gesture] = set()
        self._here = 0
        self._last_edit = 0
        self._part: dict[str, Any] | None = None  # of interest; None for the whole scene
        self._whole = False  # the scene is one to resume from
        self._expecting = True  # the scene is complete after the next whole delta only
        self._selects_again = False
        self._coming: list[wire.DeltaMessage] = []
        self._news: dict[type[Event], Event] = {}
        self._waiters: set[tuple[Callable[[], bool], asyncio.Future[None]]] = set()
        self._listeners: set[Events[Any]] = set()
        self._over: GizmodError | None = None

    # ---- what there is ----

    @property
    def user(self) -> str:
        """Who this is for the server: that of the token, or else the name that was given."""
        me = self.people.get(self.id)
        return me["user"] if me is not None else self._name

    @property
    def here(self) -> int:
        """How many are here, with those who only watch. It may be slightly late."""
        return max(self._here, len(self.people))

    def holder(self, node: int) -> wire.PresenceUser | None:
        """Who else holds a node."""
        for session, person in self.people.items():
            if session != self.id and node in person.get("locks", ()):
                return person
        return None

    @overload
    def events(self) -> Events[Event]:
        ...

    @overload
    def events(self, *kinds: type[E]) -> Events[E]:
        ...

    def events(self, *kinds: type[Event]) -> Events[Any]:
        """What happens from now on: `async for event in session.events(Changed, Edited): ...`."""
        events: Events[Any] = Events(kinds or (Event,), self._listeners.discard)
        if self._over is not None:
            events.end(None if self._over.code == "closed" else self._over)
        else:
            self._listeners.add(events)
        return events

    async def ready(self) -> None:
        """Waits until the scene is complete."""
        await self._until(lambda: not self._expecting)

    async def reached(self, seq: int) -> None:
        """Waits until the scene is complete and at `seq` or later."""
        await self._until(lambda: not self._expecting and self.scene.seq >= seq)

    async def _until(self, holds: Callable[[], bool]) -> None:
        if holds():
            return
        if self._over is not None:
            raise self._over
        waiter = (holds, asyncio.get_running_loop().create_future())
        self._waiters.add(waiter)
        try:
            await waiter[1]
        finally:
            self._waiters.discard(waiter)

    def refuse(self, error: GizmodError) -> None:
        """The server refused something, and nobody waits for the answer."""
        log.warning("refused: %s", error)
        self._tell(Refused(error))

    def _tell(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            listener.put(event)

    # ---- what the connection tells ----

    def _begin_anew(self, resumed: bool) -> None:
        """A connection was accepted: what follows is told again, or only what was missed."""
        self._whole = self._whole and resumed
        if not self._whole:
            self.scene.forget()
        self._expecting, self._coming = True, []
        self._selects_again = bool(self.selection)
        self._here = 0
        self.people.clear()
        self.notes.clear()
        self.named.clear()
        self._news.update(
            {kind: kind() for kind in (PeopleChanged, NotesChanged, CheckpointsChanged)}
        )
        self.status = StatusChanged("connecting", resumed=resumed)

    def _came_back(self) -> None:
        """The scene is complete after a loss."""

    def received(self, message: Any) -> None:
        if hear := self._HEARS.get(message["op"]):
            hear(self, message)

    def settled(self) -> None:
        news, self._news = self._news, {}
        for event in news.values():
            self._tell(event)
        for holds, future in tuple(self._waiters):
            if not future.done() and holds():
                future.set_result(None)

    def status_changed(self, status: StatusChanged) -> None:
        self.status = status
        if status.phase == "offline":
            self._expecting, self._coming = True, []
            self._lose_gestures(
                error_of("lost", "the connection was lost; the server completed it")
            )
            self._hear_gizmo(None)
        self._tell(status)

    def ended(self, error: GizmodError) -> None:
        self._over = error
        self.status = StatusChanged("closed", error.message)
        self._lose_gestures(error)
        self._tell(self.status)
        for _, future in self._waiters:
            if not future.done():
                future.set_exception(error)
        for listener in self._listeners:
            listener.end(None if error.code == "closed" else error)
        self._listeners.clear()

    def _lose_gestures(self, error: GizmodError, nodes: Collection[int] | None = None) -> None:
        for gesture in tuple(self.gestures):
            if nodes is None or not set(gesture.nodes).isdisjoint(nodes):
                self.gestures.discard(gesture)
                gesture.lose(error)

    def _hear_delta(self, delta: wire.DeltaMessage) -> None:
        self._coming.append(delta)
        # What was saved before the first delta is past; every later edit is to be told.
        self._last_edit = self._last_edit or delta["saved"]
        if delta.get("more"):
            return
        deltas, self._coming = self._coming, []
        try:
            change = self.scene.apply(deltas)
        except Gap as gap:
            self._whole = False
            raise error_of("lost", f"the scene has to be told anew: {gap}") from gap
        self._whole, self._expecting = self._part is None, False
        self._news_of(change)
        if self.status.phase == "connecting":
            self.status = StatusChanged("online", resumed=self.status.resumed)
            self._tell(self.status)
            self._came_back()

    def _news_of(self, event: Event) -> None:
        before = self._news.get(type(event))
        self._news[type(event)] = event if before is None else before.merge(event)

    def _hear_saved(self, message: Any) -> None:
        self.scene.saved = max(self.scene.saved, message["seq"])

    def _hear_gizmo(self, gizmo: wire.GizmoMessage | None) -> None:
        self.gizmo = gizmo if gizmo is not None and gizmo["handles"] else None
        self._news_of(GizmoChanged(self.gizmo))

    def _hear_camera(self, message: Any) -> None:
        if self.camera is not None:
            self.camera = {**self.camera, "view": message["view"]}
        self._news_of(ViewChanged(tuple(message["view"])))

    def _hear_presence(self, message: Any) -> None:
        if message.get("all"):
            me = self.people.get(self.id)
            self.people.clear()
            if me is not None:
                self.people[self.id] = me
        for session in message.get("left", ()):
            self.people.pop(session, None)
        for person in message["users"]:
            self.people[person["session"]] = person
            if person["session"] == self.id and not self._selects_again:
                self.selection = tuple(person.get("selection", ()))
        self._news_of(PeopleChanged())

    def _hear_crowd(self, message: Any) -> None:
        self._here = message["here"]
        self._news_of(PeopleChanged())

    def _hear_notes(self, message: Any) -> None:
        if message.get("all"):
            self.notes.clear()
        for id in message.get("gone", ()):
            self.notes.pop(id, None)
        self.notes.update({note["id"]: note for note in message["notes"]})
        self._news_of(NotesChanged())

    def _hear_checkpoints(self, message: Any) -> None:
        if message.get("all"):
            self.named.clear()
        for told in message["checkpoints"]:
            if told.get("gone"):
                self.named.pop(told["name"], None)
            else:
                self.named[told["name"]] = told
        self._news_of(CheckpointsChanged())

    def _hear_edit(self, message: Any) -> None:
        self._last_edit = message["seq"]
        self._tell(Edited(message))

    def _hear_error(self, message: Any) -> None:
        error = error_of(message["code"], message["message"], message)
        if error.code == "storage":
            self._lose_gestures(error, error.nodes)
        if error.message.startswith("interest"):
            self._part = None  # its nodes are gone since the loss: what follows is the whole scene
        self.refuse(error)

    _HEARS: Mapping[str, Callable[[State, Any], None]] = {
        "delta": _hear_delta,
        "saved": _hear_saved,
        "gizmo": _hear_gizmo,
        "camera": _hear_camera,
        "presence": _hear_presence,
        "crowd": _hear_crowd,
        "notes": _hear_notes,
        "checkpoints": _hear_checkpoints,
        "edit": _hear_edit,
        "error": _hear_error,
    }
