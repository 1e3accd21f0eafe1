"""The package against a real daemon: what is dragged, posed, edited, asked and told."""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
import unittest

from support import SCENE, Case, Daemon, gizmod

RAY = [0.3, 0.1, 5, 0, 0, -1]


class Session(Case):
    async def test_a_drag_by_a_ray_is_one_edit_that_everybody_sees(self) -> None:
        ada, bob = await self.join(), await self.join("Bob")
        edits = bob.events(gizmod.Edited)
        before = ada.scene[3].t
        async with ada.grab("ty", [3], ray=RAY) as drag:
            self.assertEqual(drag.handle, "ty")
            for i in range(5):
                await drag.move(ray=[0.3, 0.1 + i / 10, 5, 0, 0, -1])
        self.assertEqual(ada.scene[3].t, (before[0], before[1] + 0.4, before[2]))
        told = (await anext(edits)).edit
        self.assertEqual((told["id"], told["handle"], told["user"]), (drag.done.edit, "ty", "Ada"))
        self.assertEqual(bob.scene[3], ada.scene[3])
        await ada.undo()
        self.assertEqual(ada.scene[3].t, before)
        await ada.redo()
        self.assertNotEqual(ada.scene[3].t, before)

    async def test_a_drag_has_the_bits_of_one_with_the_c_client(self) -> None:
        ada = await self.join()
        view = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.2, -0.4, -5, 1]
        proj = [0.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -2, 0]
        viewport = [0, 0, 1280, 640]
        camera = f"{self.daemon.folder.name}/camera.json"
        with open(camera, "w") as file:
            json.dump({"view": view, "proj": proj, "viewport": viewport}, file)
        await ada.set_camera(view, proj, viewport)
        for handle, node in (("tx", 7), ("tzx", 9), ("ry", 6), ("rb", 12), ("su", 10), ("sx", 4)):
            await ada.set_tool(space="world")
            before = ada.scene[node]
            async with ada.grab(handle, [node], at=[640, 300]) as drag:
                for i in range(1, 5):
                    await drag.move(at=[640 + 13 * i, 300 - 7.5 * i])
            mine = ada.scene[node]
            self.assertNotEqual(mine[3:6], before[3:6], handle)
            await ada.undo()
            self.assertEqual(ada.scene[node][3:6], before[3:6])
            way = ("--from", "640,300", "--to", "692,270", "--steps", "4", "--hz", "0")
            where = ("--node", str(node), "--handle", handle, "--camera", camera)
            self.daemon.ctl("drag", SCENE, *where, *way, "--user", "Cleo")
            await ada.reached((await ada.history(limit=1))[0]["seq"])
            self.assertEqual(ada.scene[node][3:6], mine[3:6], handle)
            await ada.set([{"id": node, "t": before.t, "r": before.r, "s": before.s}])

    async def test_a_press_takes_what_is_under_it_and_a_typed_amount_is_exact(self) -> None:
        ada = await self.join(scene="box", create=True)
        (box,) = await ada.create([{"name": "box", "bounds": [-1, -1, -1, 1, 1, 1]}])
        await ada.set_camera(
            [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.3, -3, 1],
            [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0],
            [0, 0, 400, 400],
        )
        async with ada.down(at=[200, 200]) as press:
            pass
        self.assertIsNone(press.handle)
        self.assertEqual(press.hit, box)
        self.assertEqual((await ada.pick(at=[200, 200]))[0]["id"], box)
        await self.wait_for(ada, lambda: ada.selection == (box,))
        await ada.hover(at=[200, 200])
        await self.wait_for(ada, lambda: ada.gizmo is not None)
        async with ada.grab("tx", value=0.25) as drag:
            await drag.value(0.5)
        self.assertEqual((drag.nodes, ada.scene[box].t), ((box,), (0.5, 0, 0)))

    async def test_a_cancelled_task_ends_its_drag_in_words(self) -> None:
        ada, bob = await self.join(), await self.join("Bob")
        moved, before = asyncio.Event(), ada.scene[5]
        edits = len(await ada.history())

        async def work() -> None:
            async with ada.grab("tx", [5], ray=RAY) as drag:
                await drag.move(ray=[1, 0, 5, 0, 0, -1])
                moved.set()
                await asyncio.sleep(60)

        task = asyncio.create_task(work())
        await moved.wait()
        await self.wait_for(bob, lambda: bob.scene[5].t != before.t)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        await bob.set([{"id": 5, "name": "free"}])  # nobody holds it
        self.assertEqual(bob.scene[5].t, before.t)
        self.assertEqual(len(await ada.history()), edits + 1)

    async def test_a_drag_that_is_cancelled_while_it_begins_does_not_stay(self) -> None:
        network = await self.network()
        ada, bob = await self.join(url=network.url), await self.join("Bob")
        network.down.clear()
        task = asyncio.create_task(ada.grab("tx", [6], ray=RAY).__aenter__())
        await self.wait_for(bob, lambda: bob.holder(6) is not None)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        network.down.set()
        await self.wait_for(bob, lambda: bob.holder(6) is None)

    async def test_an_exception_takes_a_drag_back(self) -> None:
        ada = await self.join()
        before = ada.scene[8].t
        with self.assertRaises(ZeroDivisionError):
            async with ada.grab("tx", [8], ray=RAY) as drag:
                await drag.move(ray=[1, 0, 5, 0, 0, -1])
                1 / 0
        self.assertFalse(drag.runs)
        await ada.set([{"id": 8, "name": "elbow"}])
        self.assertEqual(ada.scene[8].t, before)
        with self.assertRaises(gizmod.InTheWay):
            await drag.up()

    async def test_two_who_drag_one_node(self) -> None:
        ada, bob = await self.join(), await self.join("Bob")
        async with ada.grab("tx", [7], ray=RAY) as drag:
            with self.assertRaisesRegex(gizmod.Locked, "held by Ada") as caught:
                async with bob.grab("ty", [7], ray=RAY):
                    self.fail("Bob holds it as well")
            self.assertEqual((caught.exception.holder, caught.exception.nodes), (ada.id, (7,)))
            with self.assertRaises(gizmod.Locked):
                await bob.hold([7])
            with self.assertRaises(gizmod.Locked):
                await bob.delete([3])
            holder = bob.holder(7)
            self.assertTrue(holder is None or holder["user"] == "Ada")
            await drag.move(ray=[0.5, 0, 5, 0, 0, -1])
        async with bob.grab("ty", [7], ray=RAY) as drag:
            pass
        self.assertIsNone(drag.done.edit)

    async def test_a_hundred_nodes_posed_fifty_times_a_second(self) -> None:
        ada = await self.join("tracker", scene="many", create=True)
        bob = await self.join("Bob", scene="many")
        ids = await ada.create([{"name": f"n{i}"} for i in range(100)])
        async with ada.hold(ids) as hold:
            for step in range(1, 26):
                await hold.pose([{"id": id, "t": [id, step / 50, 0]} for id in ids])
                await asyncio.sleep(0.02)
        await bob.reached(hold.done.seq)
        for scene in (ada.scene, bob.scene):
            self.assertEqual({scene[id].t for id in ids}, {(id, 0.5, 0) for id in ids})
        edit = (await bob.history(limit=1))[0]
        self.assertEqual((edit["kind"], set(edit["nodes"])), ("pose", set(ids)))
        self.assertGreater(len(await bob.path(ids[0])), 2)
        await ada.undo()
        self.assertEqual({ada.scene[id].t for id in ids}, {(0, 0, 0)})

    async def test_a_pose_that_is_refused_is_told_by_the_next_call(self) -> None:
        ada = await self.join()
        with self.assertRaisesRegex(gizmod.BadRequest, "4"):
            async with ada.hold([3]) as hold:
                await hold.pose([{"id": 4, "x": 1}])
                await self.wait_for_answers(ada)
                await hold.pose([{"id": 3, "x": 1}])
        await ada.set([{"id": 3, "name": "pedestal"}])
        with self.assertRaises(gizmod.InTheWay):
            await hold.pose([{"id": 3, "x": 1}])

    async def wait_for_answers(self, session: gizmod.Session) -> None:
        await session.ask({"op": "ping"})

    async def test_edits_names_and_the_tree(self) -> None:
        ada = await self.join(scene="tree", create=True)
        a, b, c = await ada.create(
            [
                {"name": "a", "t": (0, 1, 0), "ref": "a"},
                {"name": "b", "parent": "a", "r": (0, 0, 1, 1), "s": (2, 2, 2), "ref": "b"},
                {"name": "c", "parent": "b", "t": (1, 0, 0)},
            ]
        )
        scene = ada.scene
        self.assertEqual([node.id for node in scene.below(a)], [b, c])
        self.assertEqual(
            ([n.id for n in scene.roots], list(scene), len(scene)), ([a], [a, b, c], 3)
        )
        for got, wanted in zip(scene.world(c)[12:15], (0, 3, 0), strict=True):
            self.assertAlmostEqual(got, wanted)
        before = scene.world(c)
        done = await ada.set([{"id": c, "parent": None, "keep": True}])
        self.assertEqual(scene[c].parent, None)
        for got, wanted in zip(scene.world(c), before, strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(scene.find("c").id, c)
        await ada.set([{"id": c, "name": "b"}])
        with self.assertRaisesRegex(gizmod.NotFound, "2 nodes"):
            scene.find("b")
        with self.assertRaises(gizmod.NotFound):
            scene.find("none")
        await ada.checkpoint("then")
        await ada.delete([a])
        self.assertEqual(list(scene), [c])
        self.assertIn("then", ada.named)
        past = await ada.at(checkpoint="then")
        self.assertEqual([node.name for node in past.values()], ["a", "b", "b"])
        self.assertEqual(len(await ada.at(seq=done.seq)), 3)
        await ada.restore(checkpoint="then")
        self.assertEqual(list(scene), [a, b, c])
        self.assertEqual(len(await ada.path(c)), 3)
        await ada.checkpoint("then", gone=True)
        self.assertEqual(ada.named, {})
        await ada.revert((await ada.history(node=c, limit=3))[-1]["id"], force=True)

    async def test_numbers_of_numpy_are_numbers(self) -> None:
        class Array:
            def __init__(self, value: object) -> None:
                self.value = value

            def tolist(self) -> object:
                return self.value

        ada = await self.join()
        await ada.set([{"id": Array(4), "t": Array([0.25, 0.5, 0.75])}])
        self.assertEqual(ada.scene[4].t, (0.25, 0.5, 0.75))
        with self.assertRaisesRegex(TypeError, "object cannot be sent"):
            await ada.set([{"id": 4, "t": object()}])
        with self.assertRaisesRegex(gizmod.BadRequest, r"set.nodes\[0\].t"):
            await ada.set([{"id": 4, "t": [float("nan"), 0, 0]}])

    async def test_people_notes_and_the_part_of_interest(self) -> None:
        ada, bob = await self.join(), await self.join("Bob", role="viewer")
        await self.wait_for(ada, lambda: {p["user"] for p in ada.people.values()} >= {"Ada", "Bob"})
        self.assertGreaterEqual(ada.here, 2)
        self.assertIn("Bob", [person["user"] for person in await ada.who()])
        with self.assertRaises(gizmod.NotAllowed):
            await bob.set([{"id": 1, "x": 1}])
        note = await ada.note("look", node=2)
        await self.wait_for(bob, lambda: note in bob.notes)
        await ada.note(id=note, done=True)
        await self.wait_for(bob, lambda: bob.notes[note].get("done"))
        await ada.note(id=note, gone=True)
        await self.wait_for(bob, lambda: note not in bob.notes)
        await bob.interest(nodes=[9])
        self.assertNotIn(5, bob.scene)
        self.assertIn(9, bob.scene)
        await bob.interest()
        self.assertEqual(dict(bob.scene), dict(ada.scene))

    async def test_what_cannot_be_is_an_error_of_its_kind_at_once(self) -> None:
        cases = (
            (gizmod.NotFound, "unknown_scene", {"scene": "nowhere"}),
            (gizmod.BadRequest, "bad_value", {"scene": "No Name"}),
            (gizmod.BadRequest, "bad_value", {"user": ""}),
            (gizmod.NotAllowed, "forbidden", {"role": "admin"}),
            (gizmod.Unreachable, "unreachable", {"url": "ws://127.0.0.1:9/ws"}),
            (gizmod.GizmodError, "internal", {"url": self.daemon.url.replace("/ws", "/other")}),
        )
        for kind, code, more in cases:
            with self.subTest(code), self.assertRaises(kind) as caught:
                await self.join(**more)
            self.assertEqual(caught.exception.code, code)
        with self.assertRaises(ValueError):
            await self.join(url=" , ")
        ada = await self.join(url=["ws://127.0.0.1:9/ws", self.daemon.url.replace("ws", "http", 1)])
        with self.assertRaisesRegex(gizmod.BadRequest, "has .* bytes"):
            await ada.note("x" * (2 << 20))
        with self.assertRaises(gizmod.BadRequest):
            await ada.grab("up", [1], ray=RAY)
        with self.assertRaises(gizmod.InTheWay):
            await ada.grab("tx", [1], at=[1, 1])  # there is no camera
        await ada.close()
        with self.assertRaises(gizmod.Closed):
            await ada.undo()

    async def test_tls_with_an_authority_of_ones_own(self) -> None:
        folder = self.daemon.folder.name
        key, cert = f"{folder}/key.pem", f"{folder}/cert.pem"
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        name = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
        subprocess.run(
            ("openssl", "req", "-x509", *curve, *name, "-keyout", key, "-out", cert),
            check=True,
            capture_output=True,
        )
        daemon = Daemon("--cert", cert, "--key", key)
        self.addCleanup(daemon.close)
        tls = ssl.create_default_context(cafile=cert)
        for url in (daemon.url, daemon.url.replace("wss", "https").replace("/ws", "/")):
            ada = await self.join(url=url, tls=tls)
            self.assertIn(3, ada.scene)
        with self.assertRaisesRegex(gizmod.Unreachable, "certificate"):
            await self.join(url=daemon.url)

    async def test_a_server_that_says_nothing_is_given_up(self) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while await reader.read(1024):
                pass
            writer.close()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        self.addCleanup(server.close)
        port = server.sockets[0].getsockname()[1]
        with self.assertRaises(gizmod.Unreachable):
            await self.join(url=f"ws://127.0.0.1:{port}/ws", timeout=0.2)

    async def test_a_slow_reader_gets_fewer_events_and_each_edit(self) -> None:
        ada, bob = await self.join(), await self.join("Bob")
        slow, all_of_it = bob.events(), bob.events(gizmod.Changed, gizmod.Edited)
        done = gizmod.Done(0, 0, ())
        for i in range(50):
            done = await ada.set([{"id": 3, "x": i + 1}])
        await bob.reached(done.seq)
        await bob.note("the end")
        events = []
        while len(edits := [e for e in events if isinstance(e, gizmod.Edited)]) < 50:
            events.append(await anext(slow))
        self.assertEqual([e.edit["seq"] for e in edits], sorted(e.edit["seq"] for e in edits))
        changes = [e for e in events if isinstance(e, gizmod.Changed)]
        self.assertEqual(len(changes), 1)
        self.assertEqual((changes[0].moved, changes[0].seq), ({3}, done.seq))
        all_of_it.close()
        self.assertGreaterEqual(len([event async for event in all_of_it]), 51)

    async def test_edits_that_nobody_reads_are_counted(self) -> None:
        events: gizmod.Events[gizmod.Event] = gizmod.Events((gizmod.Event,), lambda _: None)
        for seq in range(10_005):
            events.put(gizmod.Edited({"seq": seq}))
            events.put(gizmod.PeopleChanged())
        events.close()
        self.assertEqual((events.missed, len([event async for event in events])), (5, 10_001))


class Events(unittest.TestCase):
    def test_changes_that_were_not_read_become_one(self) -> None:
        change = gizmod.Changed(seq=3, added={1, 2}, moved={4, 5}, gone={6})
        later = gizmod.Changed(seq=5, added={6, 7}, moved={2}, gone={5, 1}, structure={4})
        merged = change.merge(later)
        wanted = gizmod.Changed(seq=5, added={2, 6, 7}, moved={2, 4}, gone={1, 5}, structure={4})
        self.assertEqual(merged, wanted)
        whole = gizmod.Changed(seq=9, all=True, added={1})
        self.assertEqual(merged.merge(whole), whole)
        more = gizmod.Changed(seq=10, moved={1})
        self.assertEqual(whole.merge(more), gizmod.Changed(10, True, {1}, set(), {1}))


if __name__ == "__main__":
    unittest.main()
