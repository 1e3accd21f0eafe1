"""One user in one scene: the state that the server told, what the user does, and what is asked."""

from __future__ import annotations

import asyncio
import os
import secrets
import ssl
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from . import wire
from .connection import Connection, Options, socket_urls
from .errors import error_of
from .gestures import Done, Drag, Gesture, Hold, Maybe, Mods, Starting, fields, place_of
from .scene import Scene
from .state import State
from .token import TokenOption

Numbers = Sequence[float]
G = TypeVar("G", bound=Gesture)


def connect(
    url: str | Sequence[str] | None = None,
    *,
    scene: str,
    user: str | None = None,
    role: wire.Role | None = None,
    token: TokenOption | None = None,
    create: bool = False,
    draw: bool = False,
    headers: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    timeout: float = 10.0,
) -> Starting[Session]:
    """Joins a scene: `async with connect(...) as session`, or `session = await connect(...)`.

    `url` is the daemon's address (ws:// or wss:// with /ws, or the editor's http:// or https://;
    USER:PASSWORD@ for a proxy), or several of one cluster; by default GIZMOD_URL, or else
    ws://127.0.0.1:7432/ws. `user` is the name that others see, by default USER. `token` is a text,
    or a function that returns the text (or an awaitable of it) before each connection. `create`
    makes the scene if it does not exist, `draw` asks for the lines of the gizmo, `headers` are for
    a proxy. Raises a GizmodError if the scene is not there within `timeout` seconds; once it is,
    the session comes back by itself after each loss.
    """
    name = user if user is not None else os.environ.get("USER", "python")
    hello = fields(scene=scene, user=name, role=role, create=create or None, draw=draw or None)
    options = Options(socket_urls(url), token, headers or {}, tls, timeout)

    async def start() -> Session:
        session = Session(hello, options)
        try:
            await asyncio.wait_for(session.ready(), timeout)
        except asyncio.TimeoutError:
            await session.close()
            raise error_of("unreachable", f"the scene did not come within {timeout:g} s") from None
        except BaseException:
            await session.close()
            raise
        return session

    return Starting(start)


class Session(State):
    """A user in a scene; `connect` makes one.

    Everything in it is read, not written, and belongs to one event loop. Edits return once they are
    on the server's disk and in `scene`. Without a connection they wait, and each is made once.
    """

    def __init__(self, hello: Mapping[str, Any], options: Options) -> None:
        super().__init__(str(hello["user"]))
        self.role: wire.Role = "viewer"
        self.read_only = ""  # why nobody can edit the scene now
        self.limits: wire.WelcomeLimits = {"message_bytes": 0, "messages_per_s": 0, "nodes": 0}
        self.server = ""  # its name and version
        self.tool: dict[str, Any] = {}
        self._hello = dict(hello)
        self._epoch = 0
        self._secret: str | None = None
        self._last_hold = 0
        self.connection = Connection(self, options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the session. A running drag is completed as it stands."""
        await self.connection.close()

    @property
    def unsaved(self) -> int:
        """How many edits the server has not answered yet."""
        return self.connection.unsaved

    # ---- the session's own settings ----

    async def set_camera(
        self,
        view: Numbers,
        proj: Numbers,
        viewport: Numbers,
        *,
        ndc_y: Literal["up", "down"] | None = None,
        left_handed: bool | None = None,
        target: Maybe = None,
    ) -> None:
        """Where the user looks from: world to eye, eye to clip (16 numbers, column by column), and
        x, y, width, height in pixels. A pointer `at` a pixel needs it."""
        more = fields(ndc_y=ndc_y, left_handed=left_handed, target=target)
        camera = {"op": "camera", "view": view, "proj": proj, "viewport": viewport, **more}
        await self.ask(camera)
        self.camera = camera

    async def set_tool(
        self,
        *,
        mode: wire.Mode | None = None,
        space: wire.Space | None = None,
        pivot: Literal["median", "active", "each", "bounds"] | Maybe = None,
        snap: wire.ToolSnap | None = None,
        size: float | None = None,
        tolerance: float | None = None,
        surface: bool | None = None,
        edge: float | None = None,
        mirror: bool | None = None,
        axis_method: Literal["screen", "closest", "plane"] | None = None,
        ball: Literal["exact", "shoemake", "bell", "chen"] | None = None,
        ball_fit: Literal["object", "circle", "ellipse"] | None = None,
        orbit: Literal["ball", "turntable"] | None = None,
    ) -> None:
        """The settings of the next drag; only those that are given change."""
        drags = fields(mode=mode, space=space, pivot=pivot, size=size, tolerance=tolerance)
        laws = fields(surface=surface, edge=edge, mirror=mirror, axis_method=axis_method)
        balls = fields(ball=ball, ball_fit=ball_fit, orbit=orbit, snap=snap)
        change = {**drags, **laws, **balls}
        await self.ask({"op": "tool", **change})
        if snap is not None:
            change["snap"] = {**self.tool.get("snap", {}), **snap}
        self.tool.update(change)

    async def select(self, nodes: Sequence[int], how: wire.How = "set") -> None:
        await self.ask({"op": "select", "nodes": nodes, "how": how})
        if how == "set":
            self.selection = tuple(nodes)

    async def interest(
        self, *, nodes: Sequence[int] | None = None, box: Maybe = None, view: bool | None = None
    ) -> None:
        """The part of the scene that `scene` has: these nodes and all below them, those that reach
        into a box, or those that the camera may see; with none of these the whole scene."""
        part = fields(nodes=nodes, box=box, view=view or None)

        def heard() -> None:
            self._part, self._whole, self._expecting = part or None, False, True

        await self.ask({"op": "interest", **part}, heard)
        await self.ready()

    # ---- the pointer ----

    def grab(
        self,
        handle: wire.Handle,
        nodes: Sequence[int] | None = None,
        *,
        at: Maybe = None,
        ray: Maybe = None,
        value: float | Maybe = None,
        mods: Mods = (),
    ) -> Starting[Drag]:
        """Drags nodes, or the selection, by a named handle: `async with session.grab("tx", [3],
        ray=...) as drag`. It needs a place, or a typed amount: metres, radians or a factor."""
        place = place_of(at, ray, mods)
        grab = fields(op="grab", handle=handle, nodes=nodes, value=value, **place)
        return Starting(lambda: self._press(grab, nodes, place))

    def down(self, *, at: Maybe = None, ray: Maybe = None, mods: Mods = ()) -> Starting[Drag]:
        """Presses the pointer: grabs the handle there, or else selects the node there."""
        place = place_of(at, ray, mods)
        return Starting(lambda: self._press({"op": "pointer", "phase": "down", **place}, (), place))

    async def hover(self, *, at: Maybe = None, ray: Maybe = None) -> None:
        """The pointer is there, unpressed; `gizmo` then says which handle is under it."""
        await self.ask({"op": "pointer", "phase": "hover", **place_of(at, ray, ())})

    async def wheel(self, notches: float, at: Maybe = None) -> Done:
        """Scales the selection by 1.1 for each notch. Turns within 0.5 s are one edit."""
        return await self._done(fields(op="wheel", dy=notches, at=at))

    def hold(self, nodes: Sequence[int], *, path: bool = True) -> Starting[Hold]:
        """Holds nodes, so that this program can pose them: `async with session.hold([3]) as hold`.
        Without `path` the history keeps only where they began and ended."""

        async def start() -> Hold:
            self._last_hold += 1
            hold = Hold(self, nodes, self._last_hold)
            message = {"op": "hold", "hold": self._last_hold, "nodes": nodes}
            return await self._begin(
                message if path else {**message, "path": False}, lambda _: hold
            )

        return Starting(start)

    # ---- edits: each returns once it is on stable storage and in `scene` ----

    async def set(self, nodes: Sequence[wire.SetNode], *, base: int | None = None) -> Done:
        """Sets some of `t`, `x`, `y`, `z`, `r`, `euler`, `s`, `name` and `parent` of nodes; with
        `keep` a node stays where it is in the world under its new parent. A node that somebody else
        changed after `base` is a Conflict; an edit made without a connection has one by itself."""
        if base is None and self.status.phase != "online" and self._epoch:
            base = self.scene.saved
        return await self.edit(fields(op="set", nodes=nodes, base=base))

    async def create(self, nodes: Sequence[wire.CreateNode]) -> tuple[int, ...]:
        """Makes nodes, or with `copy` copies of others; returns their ids."""
        return (await self.edit({"op": "create", "nodes": nodes})).ids

    async def delete(self, nodes: Sequence[int]) -> Done:
        """Deletes nodes with all below them."""
        return await self.edit({"op": "delete", "nodes": nodes})

    async def undo(self, *, force: bool = False) -> Done:
        """Takes back this user's latest edit."""
        return await self.edit(fields(op="undo", force=force or None))

    async def redo(self, *, force: bool = False) -> Done:
        return await self.edit(fields(op="redo", force=force or None))

    async def revert(self, edit: int, *, force: bool = False) -> Done:
        """Takes back one edit, however old."""
        return await self.edit(fields(op="revert", edit=edit, force=force or None))

    async def restore(self, *, seq: int | None = None, checkpoint: str | None = None) -> Done:
        """Makes an earlier state the present one, as a new edit."""
        return await self.edit(fields(op="restore", seq=seq, checkpoint=checkpoint))

    async def note(
        self,
        text: str | None = None,
        *,
        id: int | None = None,
        node: int | None = None,
        point: Maybe = None,
        reply: int | None = None,
        done: bool | None = None,
        gone: bool = False,
    ) -> int:
        """Writes a note, or changes the one with this `id`; returns its id."""
        place = fields(node=node, point=point, reply=reply)
        note = fields(op="note", id=id, text=text, done=done, gone=gone or None, **place)
        return (await self.ask({**note, "key": _new_key()}))[0]["note"]

    async def checkpoint(self, name: str, *, seq: int | None = None, gone: bool = False) -> int:
        """Names the state after `seq`, by default the present one, or takes the name away."""
        told = fields(op="checkpoint", name=name, seq=seq, gone=gone or None)
        return (await self.ask(told))[0]["seq"]

    # ---- questions ----

    async def pick(
        self,
        *,
        at: Maybe = None,
        ray: Maybe = None,
        rect: Maybe = None,
        inside: bool | None = None,
        surface: bool | None = None,
    ) -> list[wire.Hit]:
        """The nodes there, front first: by bounds, or with `surface` by what is visible."""
        pick = fields(op="pick", at=at, ray=ray, rect=rect, inside=inside, surface=surface)
        return [hit for ok in await self.ask(pick) for hit in ok["hits"]]

    async def history(
        self,
        *,
        node: int | None = None,
        user: str | None = None,
        since: float | None = None,
        before: float | None = None,
        limit: int | None = None,
        changes: bool | None = None,
        alone: bool | None = None,
    ) -> list[wire.Edit]:
        """Edits, newest first, at most `limit` (1000); the next page is `before` the last `ended`."""
        when = fields(since=since, before=before, limit=limit)
        ask = fields(op="history", node=node, user=user, changes=changes, alone=alone, **when)
        edits: list[wire.Edit] = []
        for part in (edit for ok in await self.ask(ask) for edit in ok["edits"]):
            if not edits or edits[-1]["id"] != part["id"]:
                edits.append(part)
                continue
            # An edit of very many nodes goes on in the next answer.
            edits[-1]["nodes"] = [*edits[-1]["nodes"], *part["nodes"]]
            if "changes" in part:
                edits[-1]["changes"] = [*edits[-1].get("changes", ()), *part["changes"]]
        return edits

    async def at(
        self, *, seq: int | None = None, time: float | None = None, checkpoint: str | None = None
    ) -> Scene:
        """The whole scene at a moment of the past."""
        parts = await self.ask(fields(op="at", seq=seq, time=time, checkpoint=checkpoint))
        scene = Scene()
        where = parts[0]["seq"]
        nodes = [node for ok in parts for node in ok["nodes"]]
        scene.apply(
            [{"op": "delta", "from": 0, "seq": where, "time": 0.0, "saved": where, "nodes": nodes}]
        )
        return scene

    async def path(
        self,
        node: int,
        *,
        since: float | None = None,
        before: float | None = None,
        limit: int | None = None,
    ) -> list[wire.PathPoint]:
        """Where a node was, point by point, under its parent of the time."""
        ask = fields(op="path", node=node, since=since, before=before, limit=limit)
        return [point for ok in await self.ask(ask) for point in ok["path"]]

    async def who(
        self, *, after: int | None = None, limit: int | None = None
    ) -> list[wire.PresenceUser]:
        """All people, with those who only watch, by session; a page of at most 1000."""
        people = (await self.ask(fields(op="who", after=after, limit=limit)))[0]["people"]
        return list(people)

    async def accesses(self) -> list[wire.AccessState]:
        """The roles that the scene itself gives to users. For admins, as the next two."""
        return [access for ok in await self.ask({"op": "accesses"}) for access in ok["accesses"]]

    async def access(self, user: str, role: wire.Role | None) -> None:
        """Gives the users whom a pattern matches a role; with None takes the pattern's away."""
        await self.ask(
            fields(op="access", user=user, role=role, gone=True if role is None else None)
        )

    async def link(self, role: wire.Role, seconds: float) -> str:
        """A token by which guests may come to the scene."""
        return (await self.ask({"op": "link", "role": role, "expires_s": seconds}))[0]["token"]

    async def set_token(self, token: TokenOption) -> None:
        """Another token of the same user, from now on and for later connections."""
        await self.connection.set_token(token)

    async def ask(
        self, message: Mapping[str, Any], heard: Callable[[], None] | None = None
    ) -> list[wire.OkMessage]:
        """Any message of the protocol, and the parts of its answer."""
        return await self.connection.ask(message, heard)

    def send(
        self, message: Mapping[str, Any], heard: Callable[[], None] | None = None
    ) -> asyncio.Future[list[wire.OkMessage]]:
        """As `ask`, for who does not wait: what becomes of it is in the future."""
        answered = self.connection.begin(message, heard).answered
        answered.add_done_callback(lambda done: done.cancelled() or done.exception())
        return answered

    async def edit(self, message: Mapping[str, Any]) -> Done:
        """An edit, as a message of the protocol: made once, however often the connection breaks."""
        return await self._done({"key": _new_key(), **message})

    # ---- inside ----

    async def _done(self, message: Mapping[str, Any]) -> Done:
        done = Done.of((await self.ask(message))[-1])
        if done.seq is not None:
            await self.reached(done.seq)
        return done

    async def _press(
        self, message: Mapping[str, Any], nodes: Sequence[int] | None, place: dict[str, Any]
    ) -> Drag:
        await self.connection.drags_ended()
        chosen = self.selection if nodes is None else nodes

        def begun(ok: wire.OkMessage) -> Drag:
            handle = message.get("handle", ok.get("handle"))
            return Drag(self, chosen, place, handle, ok.get("hit"))

        return await self._begin(message, begun)

    async def _begin(self, message: Mapping[str, Any], begun: Callable[[wire.OkMessage], G]) -> G:
        """Begins a gesture. If the caller is cancelled meanwhile, it is not left running."""
        request = self.connection.begin(message)
        try:
            gesture = begun((await asyncio.shield(request.answered))[0])
        except asyncio.CancelledError:
            request.answered.add_done_callback(lambda answered: self._abandon(answered, begun))
            raise
        self.gestures.add(gesture)
        return gesture

    def _abandon(
        self,
        answered: asyncio.Future[list[wire.OkMessage]],
        begun: Callable[[wire.OkMessage], Gesture],
    ) -> None:
        if answered.cancelled() or answered.exception() is not None:
            return
        if self.connection.open:
            self.send(begun(answered.result()[0])._words("cancel"))

    # ---- what the connection tells and asks ----

    def hello(self) -> list[dict[str, Any]]:
        hello = dict(self._hello)
        if self._epoch:
            seq = self.scene.seq if self._whole else 0
            edit, secret = self._last_edit, self._secret
            hello["resume"] = fields(epoch=self._epoch, seq=seq, edit=edit, secret=secret)
        if self._part is None:
            return [hello]
        camera = [self.camera] if self.camera is not None else []
        return [hello, *camera, {"op": "interest", **self._part}]

    def welcomed(self, welcome: wire.WelcomeMessage) -> list[dict[str, Any]]:
        if self._epoch and not welcome["resumed"] and welcome["seq"] < self.scene.saved:
            # The server has another file in place of the one before, such as a backup.
            self.connection.reject_all(
                error_of("conflict", "the server came back with an earlier state of the scene")
            )
        self.id, self.role = welcome["session"], welcome["role"]
        self.read_only = welcome.get("read_only", "")
        self.limits, self.server = welcome["limits"], welcome["server"]
        self._epoch, self._secret = welcome["epoch"], welcome.get("secret")
        self._last_edit = min(self._last_edit, welcome["seq"])
        self._begin_anew(welcome["resumed"])
        camera = [self.camera] if self.camera is not None else []
        return [*camera, {"op": "tool", **self.tool}] if self.tool else camera

    def _came_back(self) -> None:
        """After a loss, what still exists of the selection. Until then presence has an empty one."""
        if not self._selects_again:
            return
        kept = [id for id in self.selection if self._part is not None or id in self.scene]

        def heard() -> None:
            self.selection = tuple(kept)

        def answered(_: object) -> None:
            self._selects_again = False

        select = {"op": "select", "nodes": kept, "how": "set"}
        self.send(select, heard).add_done_callback(answered)


def _new_key() -> str:
    return secrets.token_hex(16)
