"""What a user or a program does to nodes over a while: a drag by a handle, and a hold with poses.
Both end as one edit, or put every bit back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Generator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TypeVar

from .errors import GizmodError, error_of
from .wire import Handle, Modifier, OkMessage, PosedNode

if TYPE_CHECKING:
    from .session import Session

Maybe = Sequence[float] | None
Mods = Collection[Modifier]

#: A `cancel` whose answer nobody needs waits so long for it.
CANCEL_S = 5.0


class Done(NamedTuple):
    """An edit that is on stable storage. `edit` is None if nothing was to be changed."""

    seq: int | None
    edit: int | None
    ids: tuple[int, ...]  # of the nodes that `create` made

    @classmethod
    def of(cls, ok: OkMessage) -> Done:
        return cls(ok.get("seq"), ok.get("edit"), tuple(ok.get("ids", ())))


class Entered(Protocol):
    async def __aenter__(self) -> Self:
        ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        ...


T = TypeVar("T", bound=Entered)


class Starting(Generic[T]):
    """Something that begins with `await`, or with `async with`, which also ends it."""

    def __init__(self, start: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._start = start
        self._begun: T | None = None

    def __await__(self) -> Generator[Any, None, T]:
        return self._start().__await__()

    async def __aenter__(self) -> T:
        self._begun = await self._start()
        return await self._begun.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._begun is not None
        await self._begun.__aexit__(kind, error, trace)


class Gesture:
    """A drag or a hold. At the end of its `async with` it becomes an edit (`done`); if the block is
    left by an exception, or its task is cancelled, every bit is put back."""

    _word = "the gesture"

    def __init__(self, session: Session, nodes: Sequence[int]) -> None:
        self._session = session
        self._over: GizmodError | None = None  # why the server does not go on with it
        self._ended = False  # this program has ended it
        self._refused: GizmodError | None = None
        self.nodes = tuple(nodes)
        self._done: Done | None = None

    @property
    def done(self) -> Done:
        """What became of it; before its end there is none."""
        if self._done is None:
            raise error_of("bad_state", f"{self._word} has not ended as an edit")
        return self._done

    @property
    def runs(self) -> bool:
        """Whether the server goes on with it. A lost connection completes it as it stands."""
        return self._over is None

    async def cancel(self) -> None:
        """Puts every bit back, for everybody."""
        if self._ended or self._over is not None:
            return
        self._end("was cancelled")
        await self._session.ask(self._words("cancel"))

    def lose(self, error: GizmodError) -> None:
        """The server has ended it, or the connection is lost."""
        self._over = self._over or error

    async def _tell(self, message: Mapping[str, Any]) -> None:
        """Sends what needs no answer. What the server had against it the next call says."""
        if self._over is not None:
            raise self._over
        if self._refused is not None:
            error, self._refused = self._refused, None
            raise error
        self._session.send(message).add_done_callback(self._heard)
        await self._session.connection.drain()

    async def _finish(self, message: Mapping[str, Any]) -> Done:
        """Ends it as one edit. If the connection was lost, the server has done that."""
        if not self._ended:
            self._end("has ended")
            self._done = await self._session.edit(message)
        return self.done

    def _end(self, how: str) -> None:
        self._ended = True
        self._over = self._over or error_of("bad_state", f"{self._word} {how}")
        self._session.gestures.discard(self)

    def _heard(self, answered: asyncio.Future[list[OkMessage]]) -> None:
        error = None if answered.cancelled() else answered.exception()
        if not isinstance(error, GizmodError) or error.code in ("lost", "closed"):
            return
        if self._over is None:
            self._refused = error
        else:
            self._session.refuse(error)

    def _words(self, how: str) -> dict[str, Any]:
        raise NotImplementedError

    async def _complete(self) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and not self._ended:
            await self._complete()
        if kind is None:
            return
        with suppress(GizmodError, asyncio.TimeoutError):
            await asyncio.wait_for(self.cancel(), CANCEL_S)


class Drag(Gesture):
    """A press of the pointer: of a handle, which then follows, or of something else.

    `handle` is what was grabbed, `hit` the node under the pointer that was selected; None for none.
    """

    _word = "the drag"

    def __init__(
        self,
        session: Session,
        nodes: Sequence[int],
        place: dict[str, Any],
        handle: Handle | None,
        hit: int | None,
    ) -> None:
        super().__init__(session, nodes)
        self._place = place  # where the pointer was last
        self.handle = handle
        self.hit = hit

    async def move(self, *, at: Maybe = None, ray: Maybe = None, mods: Mods = ()) -> None:
        """The pointer is at a pixel (`at`) or a ray (`ray`: origin, direction) now."""
        self._place = place_of(at, ray, mods)
        await self._tell({**self._words("move"), **self._place})

    async def value(self, *amount: float) -> None:
        """Takes a typed amount in place of the pointer's: metres, radians or a factor."""
        if self._over is not None:
            raise self._over
        await self._session.ask({"op": "grab", "handle": self.handle, "value": list(amount)})

    async def up(self, *, at: Maybe = None, ray: Maybe = None, mods: Mods = ()) -> Done:
        """Ends the drag as one edit, at this place or at the last one."""
        if at is not None or ray is not None:
            self._place = place_of(at, ray, mods)
        return await self._finish({**self._words("up"), **self._place})

    async def _complete(self) -> None:
        await self.up()

    def _words(self, how: str) -> dict[str, Any]:
        return {"op": "pointer", "phase": how}


class Hold(Gesture):
    """Nodes that a program holds and poses: a tracker, a robot, physics, another modeller."""

    _word = "the hold"

    def __init__(self, session: Session, nodes: Sequence[int], number: int) -> None:
        super().__init__(session, nodes)
        self._number = number

    async def pose(self, nodes: Sequence[PosedNode]) -> None:
        """Says where some of the nodes are, complete or in part, as often as wished."""
        await self._tell({"op": "pose", "hold": self._number, "nodes": nodes})

    async def release(self) -> Done:
        """Makes all of it one edit."""
        return await self._finish(self._words("release"))

    async def _complete(self) -> None:
        await self.release()

    def _words(self, how: str) -> dict[str, Any]:
        return {"op": how, "hold": self._number}


def place_of(at: Maybe, ray: Maybe, mods: Mods) -> dict[str, Any]:
    return fields(at=at, ray=ray, mods=list(mods) or None)


def fields(**given: Any) -> dict[str, Any]:
    """A message of the fields that are given."""
    return {key: value for key, value in given.items() if value is not None}
