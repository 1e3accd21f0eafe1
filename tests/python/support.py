"""A real daemon, a network that fails as told, and a test case with both."""

from __future__ import annotations

import asyncio
import ctypes
import faulthandler
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "client/python"
sys.path.insert(0, str(PACKAGE))

import gizmod

DAEMON = os.environ.get("GIZMOD_DAEMON", str(TOP / "build/release/bin/gizmod"))
CTL = os.environ.get("GIZMOD_CTL", str(TOP / "build/release/bin/gizmoctl"))
SCENE = "robot-arm"
PATIENCE_S = 60.0


def end_with_parent() -> None:
    """PR_SET_PDEATHSIG: a test that is killed leaves no daemon."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Daemon:
    """A daemon with the sample scene. It keeps its address and its files over restarts."""

    def __init__(self, *options: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.options = options
        self.at = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        files = ("--data", self.folder.name, "--sample", "--web", "none", "--log-level", "error")
        command = (DAEMON, "--listen", self.at, *files, *self.options)
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"wss?://(127\.0\.0\.1:(\d+))/ws", line)
        assert found, f"the daemon says {line!r}"
        self.url, self.at, self.port = found[0], found[1], int(found[2])

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        self.process.send_signal(how)
        self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def close(self) -> None:
        if self.process.returncode is None:
            self.end()
        self.folder.cleanup()

    def ctl(self, *words: str) -> str:
        done = subprocess.run((CTL, *words, "--server", self.url), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout


class Network:
    """A network between clients and a daemon: late, silent one way or the other, or cut."""

    def __init__(self, port: int, delay: float = 0.0) -> None:
        self.to = port
        self.delay = delay
        self.up, self.down = asyncio.Event(), asyncio.Event()
        self.up.set()
        self.down.set()
        self.links: set[asyncio.StreamWriter] = set()
        self.count = 0  # of connections so far

    async def start(self) -> Network:
        self.server = await asyncio.start_server(self._link, "127.0.0.1", 0)
        self.url = "ws://127.0.0.1:{}/ws".format(self.server.sockets[0].getsockname()[1])
        return self

    async def _link(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.count += 1
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            return writer.close()
        self.links |= {writer, back}
        ways = self._carry(reader, back, self.up), self._carry(there, writer, self.down)
        await asyncio.wait([asyncio.create_task(way) for way in ways])

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, goes: asyncio.Event
    ) -> None:
        loop = asyncio.get_running_loop()
        late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def read() -> None:
            data = b"-"
            while data:
                await goes.wait()
                try:
                    data = await reader.read(65536)
                except OSError:
                    data = b""
                late.put_nowait((loop.time() + self.delay, data))

        reading = asyncio.create_task(read())
        while True:
            due, data = await late.get()
            await asyncio.sleep(due - loop.time())
            await goes.wait()
            if not data or writer.is_closing():
                break
            writer.write(data)
        writer.close()
        reading.cancel()

    def silence(self) -> None:
        """The links that there are go dead, and nobody is told. New ones are as they should be."""
        for goes in (self.up, self.down):
            goes.clear()
        self.up, self.down = asyncio.Event(), asyncio.Event()
        self.up.set()
        self.down.set()

    def cut(self) -> None:
        for writer in self.links:
            writer.transport.abort()
        self.links.clear()

    def close(self) -> None:
        self.cut()
        self.server.close()


class Case(unittest.IsolatedAsyncioTestCase):
    """Tests with one daemon; each has at most a minute."""

    daemon: Daemon
    options: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.daemon = Daemon(*cls.options)
        cls.addClassCleanup(lambda: cls.daemon.close())

    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = PATIENCE_S
        faulthandler.dump_traceback_later(PATIENCE_S, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)

    async def join(self, user: str = "Ada", **more: Any) -> gizmod.Session:
        options = {"url": self.daemon.url, "scene": SCENE, "user": user, **more}
        session = await gizmod.connect(options.pop("url"), **options)
        self.addAsyncCleanup(session.close)
        return session

    async def network(self, delay: float = 0.0) -> Network:
        network = await Network(self.daemon.port, delay).start()
        self.addCleanup(network.close)
        return network

    async def wait_for(self, session: gizmod.Session, holds: Any) -> None:
        """Waits until something holds, which is looked at after each event of a session."""
        events = session.events()
        while not holds():
            await anext(events)
        events.close()
