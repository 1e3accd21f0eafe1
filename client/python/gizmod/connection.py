"""Keeps a connection to a scene over any number of WebSockets. After a loss, requests with a key
are sent again until they are answered, because the server remembers keys; others fail as lost.
session.py knows what the messages mean."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import random
import re
import ssl
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import msgpack
from websockets.exceptions import ConnectionClosed, InvalidStatusCode, WebSocketException
from websockets.legacy.client import connect
from websockets.typing import Subprotocol

from .errors import GizmodError, error_of
from .events import StatusChanged
from .token import TokenOption, renewal_s, token_text
from .wire import ByeMessage, ErrorMessage, OkMessage, WelcomeMessage

SUBPROTOCOL = Subprotocol("gizmod.v1")
VERSION = 1
DEFAULT_URL = "ws://127.0.0.1:7432/ws"
#: The largest frame that a server sends.
FRAME_BYTES_MAX = 64 << 20
#: Messages that wait for the socket share a frame up to this size.
SHARED_BYTES_MAX = 16 << 10
#: Who sends more than this waits until the socket has taken it.
WAITING_BYTES_MAX = 64 << 10
RETRY_S = 0.25
RETRY_S_MAX = 8.0
#: The server counts messages anew each second: what it dropped is sent again then.
DROPPED_S = 1.0
#: A connection that is silent for so long is asked for a sign of life, and is dead without one.
SILENT_S = 10.0
DEAD_S = 15.0
#: After an error with one of these codes another attempt would fail as well.
FINAL = frozenset(
    ("version", "forbidden", "unauthorised", "unknown_scene", "bad_value", "bad_message")
)
OF_TOKEN = frozenset(("forbidden", "unauthorised"))
#: What the status of a refused handshake means.
REFUSALS = {
    401: "forbidden",
    403: "forbidden",
    407: "forbidden",
    413: "too_large",
    429: "rate_limited",
    502: "unreachable",
    503: "unreachable",
    504: "unreachable",
}

log = logging.getLogger("gizmod")


@dataclass
class Options:
    urls: Sequence[str]
    token: TokenOption | None
    headers: Mapping[str, str]
    tls: ssl.SSLContext | None
    timeout: float


class Owner(Protocol):
    """What a connection asks and tells its session."""

    def hello(self) -> list[dict[str, Any]]:
        """The first frame of a connection: the fields of `hello`, and messages after it."""

    def welcomed(self, welcome: WelcomeMessage) -> list[dict[str, Any]]:
        """What is to be sent before the requests that wait."""

    def received(self, message: Any) -> None:
        """A message that answers no request, in order with the answers."""

    def settled(self) -> None:
        """All messages of a frame were received."""

    def status_changed(self, status: StatusChanged) -> None:
        ...

    def ended(self, error: GizmodError) -> None:
        """Nothing more will come."""


@dataclass(eq=False)
class Request:
    message: dict[str, Any]
    data: bytes
    answered: asyncio.Future[list[OkMessage]]
    heard: Callable[[], None] | None = None  # called in order with other messages
    parts: list[OkMessage] = field(default_factory=list)

    @property
    def keyed(self) -> bool:
        return "key" in self.message


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy and its like."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be sent")


def encode(message: Mapping[str, Any]) -> bytes:
    return cast(bytes, msgpack.packb(message, default=_plain))


def decode(frame: bytes) -> list[Any]:
    """All messages of a frame."""
    unpacker = msgpack.Unpacker(max_buffer_size=FRAME_BYTES_MAX)
    unpacker.feed(frame)
    return list(unpacker)


def socket_urls(urls: str | Sequence[str] | None) -> list[str]:
    """The WebSockets of the addresses of one service: http:// and https:// are those of the editor,
    and a text may hold several, with commas or blanks between them."""
    given = urls if urls is not None else os.environ.get("GIZMOD_URL", DEFAULT_URL)
    words = re.split(r"[,\s]+", given) if isinstance(given, str) else given
    found = [socket_url(word) for word in words if word]
    if not found:
        raise ValueError("url: has no address")
    return found


def socket_url(url: str) -> str:
    if not url.startswith("http"):
        return url
    return re.sub(r"(/ws)?/*$", "/ws", url.replace("http", "ws", 1), count=1)


def _open(url: str, options: Options) -> Any:
    """A WebSocket, as a context manager."""
    more: dict[str, Any] = {"extra_headers": options.headers}
    if options.tls is not None and url.startswith("wss:"):
        more["ssl"] = options.tls
    return connect(
        url,
        subprotocols=[SUBPROTOCOL],
        compression=None,
        max_size=FRAME_BYTES_MAX,
        open_timeout=options.timeout / len(options.urls),
        close_timeout=1,
        ping_interval=SILENT_S,
        ping_timeout=DEAD_S,
        **more,
    )


def _failure(error: Exception) -> GizmodError:
    """The error of an attempt that failed."""
    if isinstance(error, InvalidStatusCode):
        status = error.status_code
        words = f"the server or a proxy before it answered with HTTP {status}"
        return error_of(REFUSALS.get(status, "internal"), words)
    if isinstance(error, ConnectionClosed):
        return error_of("lost", f"the connection was lost: {error}")
    return error_of("unreachable", f"the server cannot be reached: {str(error) or 'no answer'}")


class Connection:
    def __init__(self, owner: Owner, options: Options) -> None:
        self._owner = owner
        self._options = options
        self._rids = itertools.count(1)
        self._requests: dict[int, Request] = {}  # in the order in which they were made
        self._outbox: deque[bytes] = deque()
        self._outbox_bytes = 0
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self.socket: Any = None  # the present WebSocket
        self._open = False
        self._known = False  # the server has accepted the session once
        self._over: GizmodError | None = None
        self._bytes_max = FRAME_BYTES_MAX
        self._attempts = 0
        self._at = 0  # the present address
        self._named: str | None = None  # an address that the server named: tried once
        self._bye: ByeMessage | None = None
        self._fatal: GizmodError | None = None
        self._token: str | None = None
        self._refused: str | None = None  # the token that the server no longer takes
        self._again: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._run(), name="gizmod")

    # ---- requests ----

    @property
    def open(self) -> bool:
        """Whether messages are sent now."""
        return self._open

    @property
    def unsaved(self) -> int:
        """How many edits wait for their answer."""
        return sum(request.keyed for request in self._requests.values())

    def begin(self, message: Mapping[str, Any], heard: Callable[[], None] | None = None) -> Request:
        """Sends a request. With a `key` it waits for a connection, and is sent again after a loss."""
        if self._over is not None:
            raise self._over
        rid = next(self._rids)
        message = {**message, "rid": rid}
        answered = asyncio.get_running_loop().create_future()
        request = Request(message, encode(message), answered, heard)
        if len(request.data) > self._bytes_max:
            words = f"has {len(request.data)} bytes, and the server takes {self._bytes_max}"
            raise error_of("too_large", f"{message['op']}: {words} in one message")
        if not self._open and not request.keyed:
            raise error_of("lost", "there is no connection to the server")
        if self._open:
            self._queue(request.data)
        self._requests[rid] = request
        answered.add_done_callback(lambda _: self._requests.pop(rid, None))
        return request

    async def ask(
        self, message: Mapping[str, Any], heard: Callable[[], None] | None = None
    ) -> list[OkMessage]:
        """The answers to a request. If the caller is cancelled, it is not sent again."""
        request = self.begin(message, heard)
        return await request.answered

    async def drain(self) -> None:
        """Waits while the socket has too much to send."""
        while self._open and self._outbox_bytes > WAITING_BYTES_MAX:
            self._room.clear()
            await self._room.wait()

    async def drags_ended(self) -> None:
        """Waits for the end of earlier drags: sent again, it could end a later one."""
        ends = [r.answered for r in self._requests.values() if r.message.get("phase") == "up"]
        if ends:
            await asyncio.wait(ends)

    async def set_token(self, option: TokenOption) -> None:
        text = await token_text(option)
        if self._open:
            await self.ask({"op": "token", "token": text})
        self._options.token, self._token = option, text

    async def close(self) -> None:
        self._end(error_of("closed", "the session was closed"))
        if self._task is not asyncio.current_task():
            self._task.cancel()
            await asyncio.wait([self._task])

    # ---- sending ----

    def _queue(self, data: bytes) -> None:
        self._outbox.append(data)
        self._outbox_bytes += len(data)
        self._wake.set()

    async def _write(self) -> None:
        """Sends what is queued, in its order; messages that wait share a frame."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._outbox:
                frame = self._outbox.popleft()
                while self._outbox and len(frame) + len(self._outbox[0]) < SHARED_BYTES_MAX:
                    frame += self._outbox.popleft()
                await self.socket.send(frame)
                self._outbox_bytes -= len(frame)
                self._room.set()

    def _send_waiting(self) -> None:
        """Sends the requests with a key, of which the server does each once."""
        self._again = None
        for request in list(self._requests.values()):
            if self._open and request.keyed and not request.answered.done():
                self._queue(request.data)

    # ---- receiving ----

    def _receive(self, frame: bytes | str) -> None:
        if isinstance(frame, str):
            raise error_of("lost", "the server speaks something else")
        for message in decode(frame):
            op = message["op"]
            if op == "ok":
                self._answered(message)
            elif op == "error":
                self._failed(message)
            elif op == "welcome":
                self._welcome(message)
            elif op == "bye":
                self._leave(message)
            else:
                self._owner.received(message)
        self._owner.settled()

    def _welcome(self, welcome: WelcomeMessage) -> None:
        self._attempts = 0
        self._open = self._known = True
        self._refused = None
        self._bytes_max = welcome["limits"]["message_bytes"]
        for message in self._owner.welcomed(welcome):
            self._queue(encode(message))
        self._send_waiting()

    def _answered(self, ok: OkMessage) -> None:
        request = self._requests.get(ok["rid"])
        if request is None or request.answered.done():
            return
        request.parts.append(ok)
        if ok.get("more"):
            return
        if request.heard is not None:
            request.heard()
        request.answered.set_result(request.parts)

    def _failed(self, message: ErrorMessage) -> None:
        error = error_of(message["code"], message["message"], message)
        request = self._requests.get(message.get("rid", 0))
        if message.get("fatal"):
            self._fatal = error
        elif error.code == "rate_limited" and (request is None or request.keyed):
            if "rid" not in message:  # others were dropped as well: which, the server does not say
                self._reject(error)
            loop = asyncio.get_running_loop()
            self._again = self._again or loop.call_later(DROPPED_S, self._send_waiting)
        elif request is not None and not request.answered.done():
            request.answered.set_exception(error)
        elif "rid" not in message:
            self._owner.received(message)

    def _leave(self, bye: ByeMessage) -> None:
        self._bye = bye
        if bye.get("fatal"):
            self._fatal = error_of(bye.get("code", "unknown_scene"), bye["reason"], bye)
        if "url" in bye:
            url = socket_url(bye["url"])
            if url.startswith("wss:") or not self._address().startswith("wss:"):
                self._named = url

    def _reject(self, error: GizmodError, keyed: bool = False) -> None:
        for request in list(self._requests.values()):
            if not request.answered.done() and (keyed or not request.keyed):
                request.answered.set_exception(error)
                request.answered.exception()  # nobody may be waiting for it

    def reject_all(self, error: GizmodError) -> None:
        """Fails everything that waits, edits as well."""
        self._reject(error, keyed=True)

    # ---- from one WebSocket to the next ----

    def _address(self) -> str:
        return self._named or self._options.urls[self._at]

    async def _run(self) -> None:
        """Connects, and after each loss again, until nothing can come of it."""
        try:
            while True:
                self._fatal = self._bye = None
                lost = await self._visit()
                await self._pause(self._fatal or lost)
        except GizmodError as error:
            self._end(error)
        except Exception as error:
            log.exception("a fault of the package gizmod")
            self._end(error_of("internal", f"a fault of the package gizmod: {error!r}"))

    async def _visit(self) -> GizmodError:
        """One WebSocket from its handshake to its end. Returns why it ended."""
        tasks: list[asyncio.Task[None]] = []
        try:
            await self._take_token()
            async with _open(self._address(), self._options) as socket:
                self.socket = socket
                await self._say_hello()
                tasks = [asyncio.create_task(work) for work in (self._write(), self._renew())]
                async for frame in socket:
                    self._receive(frame)
            return error_of("lost", "the server closed the connection")
        except GizmodError as error:
            return error
        except (OSError, WebSocketException, ValueError, msgpack.UnpackException) as error:
            return _failure(error)
        finally:
            self.socket, self._open = None, False
            self._outbox.clear()
            self._outbox_bytes = 0
            self._room.set()
            for task in tasks:
                task.cancel()

    async def _take_token(self) -> None:
        try:
            self._token = await token_text(self._options.token)
        except Exception as error:
            raise error_of("lost", f"the program has no token: {error!r}") from error

    async def _say_hello(self) -> None:
        if self.socket.subprotocol != SUBPROTOCOL:
            raise error_of("version", f"the server does not speak {SUBPROTOCOL}")
        hello, *more = self._owner.hello()
        first = {"op": "hello", "v": VERSION, **hello}
        if self._token is not None:
            first["token"] = self._token
        await self.socket.send(b"".join(map(encode, (first, *more))))

    async def _renew(self) -> None:
        """Sends newer tokens, if a function gives them, so that the session goes on."""
        while callable(self._options.token) and (wait := renewal_s(self._token)) is not None:
            await asyncio.sleep(wait)
            try:
                if await token_text(self._options.token) != self._token:
                    await self.set_token(self._options.token)
            except Exception as error:
                log.warning("the token was not renewed: %s", error)

    async def _pause(self, error: GizmodError) -> None:
        """Waits until the next attempt is due; raises the error if there is to be none."""
        if not self._may_retry(error):
            raise error
        self._reject(error_of("lost", "the connection was lost before the answer came"))
        if self._again is not None:
            self._again.cancel()
            self._again = None
        reason = self._bye["reason"] if self._bye is not None else error.message
        self._owner.status_changed(StatusChanged("offline", reason))
        named, self._named = self._named, None if self._attempts else self._named
        if named is None:
            self._at = (self._at + 1) % len(self._options.urls)
        self._attempts += 1
        rounds, within = divmod(self._attempts, len(self._options.urls))
        backoff = min(RETRY_S_MAX, RETRY_S * 2 ** (rounds - 1)) * random.uniform(0.75, 1.25)
        least = self._bye.get("retry_s", 0.0) if self._bye is not None else 0.0
        await asyncio.sleep(random.random() * RETRY_S if within else max(backoff, least))
        self._owner.status_changed(StatusChanged("connecting"))

    def _may_retry(self, error: GizmodError) -> bool:
        if self._fatal is not None and self._fatal.code in OF_TOKEN and self._known:
            refused, self._refused = self._refused, self._token
            return callable(self._options.token) and refused != self._token
        if not self._known:  # a program that joins wants to know at once
            return self._fatal is None and (
                self._bye is not None or self._attempts + 1 < len(self._options.urls)
            )
        return self._fatal is None or self._fatal.code not in FINAL

    def _end(self, error: GizmodError) -> None:
        if self._over is not None:
            return
        self._over = error
        self._open = False
        self._room.set()
        self.reject_all(error)
        self._owner.ended(error)
