"""The package and the golden vectors: it writes what the server reads, and reads what it writes."""

from __future__ import annotations

import asyncio
import json
import logging
import unittest
from typing import Any, get_args, get_type_hints

from support import TOP, gizmod
from gizmod import connection, wire
from gizmod.errors import KINDS, error_of
from gizmod.state import State

VECTORS = json.loads((TOP / "proto/vectors/vectors.json").read_text())["vectors"]
PLAIN = [v for v in VECTORS if all(isinstance(m, dict) and "error" not in m for m in v["expect"])]
ROW = [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -5, 1]


def ops(union: Any) -> dict[str, Any]:
    """The types of the messages of one side, by their op."""
    return {get_args(get_type_hints(kind)["op"])[0]: kind for kind in get_args(union)}


class Said(connection.Connection):
    """A connection that keeps what is said, and answers each request."""

    def __init__(self) -> None:
        self.said: list[dict[str, Any]] = []

    open = True

    def begin(self, message: Any, heard: Any = None) -> Any:
        said = connection.decode(connection.encode({**message, "rid": 1}))[0]
        del said["rid"]
        if said.pop("key", None) is not None:
            said["key"] = "k"
        self.said.append(said)
        answered = asyncio.get_running_loop().create_future()
        parts = {"hits": [], "edits": [], "nodes": [], "path": [], "people": [], "accesses": []}
        answered.set_result([{"op": "ok", "rid": 1, "seq": 0, "note": 1, "token": "t", **parts}])
        return connection.Request(said, b"", answered)

    async def drain(self) -> None:
        pass

    async def drags_ended(self) -> None:
        pass


class Vectors(unittest.TestCase):
    def test_each_frame_is_read_as_what_it_says_and_written_as_that(self) -> None:
        self.assertGreater(len(PLAIN), 150)
        for vector in PLAIN:
            with self.subTest(vector["name"]):
                frame = bytes.fromhex(vector["bytes"])
                told, expected = connection.decode(frame), vector["expect"]
                self.assertEqual(len(told), len(expected))
                written = b"".join(map(connection.encode, expected))
                self.assertEqual(connection.decode(written), expected)
                if vector.get("canonical"):
                    self.assertEqual(told, expected)
                    self.assertEqual(b"".join(map(connection.encode, told)), frame)

    def test_each_message_of_a_vector_has_the_fields_of_its_type(self) -> None:
        sides = {"client": ops(wire.ClientMessage), "server": ops(wire.ServerMessage)}
        seen: dict[str, set[str]] = {"client": set(), "server": set()}
        for vector in PLAIN:
            for message in vector["expect"]:
                kind = sides[vector["side"]][message["op"]]
                with self.subTest(vector["name"]):
                    self.assertLessEqual(set(message), set(kind.__annotations__))
                    self.assertLessEqual(kind.__required_keys__, set(message))
                seen[vector["side"]].add(message["op"])
        for side, kinds in sides.items():
            self.assertEqual(set(kinds) - seen[side], set(), side)

    def test_what_the_server_says_is_understood(self) -> None:
        for vector in PLAIN:
            if vector["side"] != "server":
                continue
            state = State("Ada")
            for message in vector["expect"]:
                if message["op"] == "delta":
                    state.scene.seq = message["from"]
                try:
                    state.received(message)
                except gizmod.Unreachable as error:  # a delta of nodes that nobody was told of
                    self.assertIn("told anew", str(error), vector["name"])
            state.settled()

    def setUp(self) -> None:
        logging.disable()
        self.addCleanup(logging.disable, logging.NOTSET)

    def test_codes_have_kinds(self) -> None:
        self.assertEqual(set(get_args(wire.Code)) - set(KINDS), {"internal"})
        self.assertIs(type(error_of("a_later_code", "words")), gizmod.GizmodError)
        self.assertEqual(str(error_of("storage", "the disk is full")), "the disk is full (storage)")


class Calls(unittest.IsolatedAsyncioTestCase):
    async def test_each_call_says_its_message(self) -> None:
        options = connection.Options(["ws://127.0.0.1:9/ws"], None, {}, None, 1)
        session = gizmod.Session({"scene": "arm", "user": "Ada"}, options)
        await session.close()
        session._over, session._expecting, session.status.phase = None, False, "online"
        session.connection = said = Said()
        ray = [0, 0, 5, 0, 0, -1]
        drag = await session.grab("tx", [3], ray=ray, mods=["fine"])
        await drag.move(ray=ray)
        await drag.value(0.5)
        await drag.up(at=[1, 2])
        await (await session.down(at=[1, 2])).cancel()
        hold = await session.hold([3], path=False)
        await hold.pose([{"id": 3, "x": 1.0}])
        await hold.release()
        await session.set_camera(ROW, ROW, [0, 0, 2, 2], target=[0, 0, 0])
        await session.set_tool(mode="rotate", snap={"on": True})
        await session.select([1, 2], "add")
        await session.hover(at=[1, 2])
        await session.wheel(1.5)
        await session.set([{"id": 1, "parent": None, "keep": True}], base=4)
        await session.create([{"name": "n"}])
        await session.delete([1])
        await session.undo(force=True)
        await session.redo()
        await session.revert(7)
        await session.restore(seq=4)
        await session.note("words", node=1)
        await session.checkpoint("name", gone=True)
        await session.pick(rect=[0, 0, 1, 1], inside=True)
        await session.history(node=1, alone=True, changes=False)
        await session.at(time=1.5)
        await session.path(1, since=0.5)
        await session.who(after=2)
        await session.accesses()
        await session.access("*", "viewer")
        await session.access("*", None)
        await session.link("viewer", 60)
        pointer = {"op": "pointer", "ray": ray}
        hover = {"op": "pointer", "phase": "hover", "at": [1, 2]}
        expected: list[dict[str, Any]] = [
            {"op": "grab", "handle": "tx", "nodes": [3], "ray": ray, "mods": ["fine"]},
            {**pointer, "phase": "move"},
            {"op": "grab", "handle": "tx", "value": [0.5]},
            {"op": "pointer", "phase": "up", "at": [1, 2], "key": "k"},
            {"op": "pointer", "phase": "down", "at": [1, 2]},
            {"op": "pointer", "phase": "cancel"},
            {"op": "hold", "hold": 1, "nodes": [3], "path": False},
            {"op": "pose", "hold": 1, "nodes": [{"id": 3, "x": 1.0}]},
            {"op": "release", "hold": 1, "key": "k"},
            {
                "op": "camera",
                "view": ROW,
                "proj": ROW,
                "viewport": [0, 0, 2, 2],
                "target": [0, 0, 0],
            },
            {"op": "tool", "mode": "rotate", "snap": {"on": True}},
            {"op": "select", "nodes": [1, 2], "how": "add"},
            hover,
            {"op": "wheel", "dy": 1.5},
            {
                "op": "set",
                "nodes": [{"id": 1, "parent": None, "keep": True}],
                "base": 4,
                "key": "k",
            },
            {"op": "create", "nodes": [{"name": "n"}], "key": "k"},
            {"op": "delete", "nodes": [1], "key": "k"},
            {"op": "undo", "force": True, "key": "k"},
            {"op": "redo", "key": "k"},
            {"op": "revert", "edit": 7, "key": "k"},
            {"op": "restore", "seq": 4, "key": "k"},
            {"op": "note", "text": "words", "node": 1, "key": "k"},
            {"op": "checkpoint", "name": "name", "gone": True},
            {"op": "pick", "rect": [0, 0, 1, 1], "inside": True},
            {"op": "history", "node": 1, "alone": True, "changes": False},
            {"op": "at", "time": 1.5},
            {"op": "path", "node": 1, "since": 0.5},
            {"op": "who", "after": 2},
            {"op": "accesses"},
            {"op": "access", "user": "*", "role": "viewer"},
            {"op": "access", "user": "*", "gone": True},
            {"op": "link", "role": "viewer", "expires_s": 60},
        ]
        self.assertEqual(said.said, expected)
        kinds = ops(wire.ClientMessage)
        for message in expected:
            self.assertLessEqual(set(message), set(kinds[message["op"]].__annotations__))
        unsaid = set(kinds) - {message["op"] for message in expected}
        self.assertEqual(unsaid, {"hello", "cancel", "interest", "token", "ping", "checkpoints"})


if __name__ == "__main__":
    unittest.main()
