#!/usr/bin/python3
"""follow.py URL SCENE - a client that follows a scene and says what it was told: the package, as
the tests of following see it (tests/README.md says what such a program reads and writes)."""

from __future__ import annotations

import asyncio
import struct
import sys
from typing import Any

from support import gizmod
from gizmod import connection
from gizmod.connection import Options
from gizmod.scene import Node
from gizmod.session import Session

connection.RETRY_S = 0.002


def bits(numbers: Any) -> str:
    if numbers is None:
        return "-"
    return " ".join(struct.pack(">d", number).hex() for number in numbers)


def line(node: Node) -> str:
    name = node.name.encode().hex() or "-"
    asset = "-" if node.asset is None else node.asset
    where = f"{bits(node.t)} {bits(node.r)} {bits(node.s)} {bits(node.bounds)}"
    return f"node {node.id} {node.parent or 0} {name} {where} {asset}"


class Follower(Session):
    wanted: int | None = None
    joined = False

    def welcomed(self, welcome: Any) -> Any:
        how = "resumed" if welcome["resumed"] else "anew"
        print("joined", welcome["epoch"], welcome["seq"], how)
        self.joined = True
        return super().welcomed(welcome)

    def received(self, message: Any) -> None:
        super().received(message)
        if message["op"] == "delta":
            whole = "more" if message.get("more") else "whole"
            print("delta", message["from"], message["seq"], whole)
        if message["op"] == "edit":
            print("edit", message["seq"])

    def settled(self) -> None:
        super().settled()
        self.say_state()

    def status_changed(self, status: Any) -> None:
        super().status_changed(status)
        if status.phase == "offline" and self.joined:
            print("lost", status.reason, flush=True)
            self.joined = False

    def say_state(self) -> None:
        if self.wanted is not None and not self._expecting and not self._coming:
            if self.scene.seq >= self.wanted:
                print("state", self.scene.seq)
                print("\n".join([*map(line, self.scene.values()), "end"]))
                self.wanted = None
        sys.stdout.flush()


async def follow(url: str, scene: str) -> None:
    session: Follower | None = None
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(orders), sys.stdin
    )
    reading = asyncio.ensure_future(orders.readline())
    while True:
        if session is None or session.status.phase == "closed":
            hello = {"scene": scene, "user": "follower", "role": "viewer"}
            session = Follower(hello, Options([url], None, {}, None, 2.0))
        await asyncio.wait([reading], timeout=0.01)
        if not reading.done():
            continue
        if not (order := reading.result().decode().split()):
            break
        reading = asyncio.ensure_future(orders.readline())
        if order[0] == "cut" and session.connection.socket is not None:
            session.connection.socket.transport.abort()
        if order[0] == "state":
            session.wanted = int(order[1])
            session.say_state()
    if session is not None:
        await session.close()


asyncio.run(follow(*sys.argv[1:]))
