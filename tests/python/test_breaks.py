"""What breaks: a daemon that is killed, restarted, or put back to a backup, a network that is late,
silent or cut, and a token that expires. Nothing is lost, nothing is made twice, and it is said."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from typing import Any
from unittest import mock


from support import CTL, Case, Daemon, gizmod
from gizmod import connection, token

RAY = [0.3, 0.1, 5, 0, 0, -1]


def state(session: gizmod.Session) -> dict[int, tuple[object, ...]]:
    """The scene but for who changed it, which a server does not know of before its start."""
    return {id: node[:-1] for id, node in session.scene.items()}


class Breaks(Case):
    async def offline(self, session: gizmod.Session, events: gizmod.Events) -> str:
        async for event in events:
            if event.phase == "offline":
                return str(event.reason)
        self.fail("it ended")

    async def restart(self, how: signal.Signals = signal.SIGKILL) -> None:
        await asyncio.to_thread(self.daemon.end, how)
        self.daemon.start()

    async def test_killed_while_the_answer_is_on_its_way(self) -> None:
        network = await self.network()
        ada, bob = await self.join(url=network.url), await self.join("Bob")
        network.down.clear()
        making = asyncio.create_task(ada.create([{"name": "answered"}]))
        told, edits = ada.events(gizmod.Edited), bob.events(gizmod.Edited)
        await anext(edits)  # it is on the disk, and Ada has not heard
        self.assertEqual(ada.unsaved, 1)
        await self.restart()
        network.cut()
        network.down.set()
        (id,) = await making
        self.assertEqual((await anext(told)).edit["nodes"], [id])  # the first one since she joined
        await bob.reached(ada.scene.seq)
        for session in (ada, bob):
            self.assertEqual([n.id for n in session.scene.named("answered")], [id])
            self.assertEqual(state(session), state(ada))
        self.assertEqual(len([e for e in await ada.history() if e.get("name") == "answered"]), 1)

    async def test_killed_before_the_edit_has_come(self) -> None:
        network = await self.network()
        ada = await self.join(url=network.url)
        network.up.clear()
        making = asyncio.create_task(ada.create([{"name": "unheard"}]))
        asking = asyncio.create_task(ada.history())
        await asyncio.sleep(0)
        await self.restart()
        network.cut()
        network.up.set()
        with self.assertRaises(gizmod.Unreachable) as caught:
            await asking
        self.assertEqual(caught.exception.code, "lost")
        (id,) = await making
        self.assertEqual([n.id for n in ada.scene.named("unheard")], [id])
        self.assertEqual(ada.unsaved, 0)

    async def test_killed_again_and_again_while_three_edit(self) -> None:
        people = [await self.join(f"user {i}") for i in range(3)]
        edits = people[0].events(gizmod.Edited)

        async def work(session: gizmod.Session) -> list[int]:
            return [(await session.create([{"name": "counted"}]))[0] for _ in range(25)]

        working = [asyncio.create_task(work(session)) for session in people]
        for wait in (0.02, 0.01, 0.03):
            await asyncio.sleep(wait)
            await self.restart()
            status = people[0].events(gizmod.StatusChanged)
            while people[0].status.phase != "online":
                await anext(status)
        made = sorted(id for ids in await asyncio.gather(*working) for id in ids)
        self.assertEqual(len(set(made)), 75)
        last = max(session.scene.seq for session in people)
        for session in people:
            await session.reached(last)
            self.assertEqual([n.id for n in session.scene.named("counted")], made)
            self.assertEqual(state(session), state(people[0]))
        told: list[int] = []
        while len(told) < 75:
            told.append((await anext(edits)).edit["seq"])
        self.assertEqual(told, sorted(set(told)))  # each once

    async def test_killed_in_the_middle_of_a_drag_and_a_hold(self) -> None:
        ada = await self.join()
        status = ada.events(gizmod.StatusChanged)
        drag = await ada.grab("ty", [3], ray=RAY)
        hold = await ada.hold([5])
        y = ada.scene[3].t[1]
        for i in range(1, 4):
            await drag.move(ray=[0.3, 0.1 + i, 5, 0, 0, -1])
            await hold.pose([{"id": 5, "x": float(i)}])
        await self.wait_for(ada, lambda: ada.scene[5].t[0] == 3)
        await self.wait_for(ada, lambda: ada.scene.saved >= ada.scene.seq)
        self.daemon.end()
        await self.offline(ada, status)
        self.assertFalse(drag.runs or hold.runs)
        with self.assertRaises(gizmod.Unreachable):
            await drag.move(ray=RAY)
        with self.assertRaises(gizmod.Unreachable):
            await hold.pose([{"id": 5, "x": 9}])
        ends = asyncio.gather(drag.up(), hold.release())
        self.daemon.start()
        self.assertEqual([done.edit for done in await ends], [None, None])
        self.assertEqual(ada.scene[5].t[0], 3)
        self.assertEqual(ada.scene[3].t[1], y + 3)
        self.assertFalse(drag.runs or hold.runs)
        async with ada.grab("ty", [3], ray=RAY):
            pass

    async def test_the_end_of_a_drag_is_one_edit_though_its_answer_was_lost(self) -> None:
        network = await self.network()
        ada, bob = await self.join(url=network.url), await self.join("Bob")
        edits = bob.events(gizmod.Edited)
        drag = await ada.grab("tx", [12], ray=RAY)
        await drag.move(ray=[1.3, 0.1, 5, 0, 0, -1])
        await self.wait_for(ada, lambda: ada.scene[12].by == ada.id)
        network.down.clear()
        ending = asyncio.create_task(drag.up())
        told = (await anext(edits)).edit
        network.cut()
        network.down.set()
        # Another drag waits for the end of this one, which would end it.
        async with ada.grab("ty", [12], ray=RAY) as second:
            await second.move(ray=[0.3, 1.1, 5, 0, 0, -1])
        self.assertEqual((await ending).edit, told["id"])
        self.assertEqual((await anext(edits)).edit["id"], second.done.edit)

    async def test_a_server_that_goes_away_in_order_is_come_back_to(self) -> None:
        ada = await self.join()
        await ada.set_tool(mode="rotate", snap={"on": True, "r": 0.5})
        await ada.set_camera([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -5, 1], PROJ, [0, 0, 9, 9])
        await ada.select([4, 3])
        status = ada.events(gizmod.StatusChanged)
        first, epoch = ada.id, ada.scene.seq
        await self.restart(signal.SIGTERM)
        self.assertRegex(await self.offline(ada, status), "shut|end|going|stop")
        while ada.status.phase != "online":
            await anext(status)
        self.assertTrue(ada.status.resumed)
        self.assertEqual(ada.scene.seq, epoch)
        bob = await self.join("Bob")
        await self.wait_for(bob, lambda: bob.people.get(ada.id, {}).get("selection") == [4, 3])
        self.assertEqual(bob.people[ada.id].get("tool"), "rotate")
        await self.wait_for(ada, lambda: ada.gizmo is not None)
        self.assertEqual(ada.selection, (4, 3))
        self.assertNotEqual((first, 0), (ada.id, epoch))

    async def test_an_edit_made_offline_writes_over_nobody(self) -> None:
        network = await self.network()
        ada, bob = await self.join(url=network.url), await self.join("Bob")
        status = ada.events(gizmod.StatusChanged)
        network.up.clear()
        network.cut()
        await self.offline(ada, status)
        setting = asyncio.gather(
            ada.set([{"id": 6, "x": 1}]), ada.set([{"id": 7, "x": 1}]), return_exceptions=True
        )
        await bob.set([{"id": 6, "x": 2}])
        network.up.set()
        mine, other = await setting
        self.assertIsInstance(mine, gizmod.Conflict)
        self.assertIsInstance(other, gizmod.Done)
        self.assertEqual((ada.scene[6].t[0], ada.scene[7].t[0]), (2, 1))

    async def test_a_caller_that_waits_no_longer_makes_no_edit_later(self) -> None:
        network = await self.network()
        ada = await self.join(url=network.url)
        status = ada.events(gizmod.StatusChanged)
        network.up.clear()
        network.cut()
        await self.offline(ada, status)
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(0.01):
                await ada.create([{"name": "too late"}])
        self.assertEqual(ada.unsaved, 0)
        network.up.set()
        await ada.create([{"name": "in time"}])
        self.assertEqual(ada.scene.named("too late"), [])

    async def test_a_network_that_takes_200_ms(self) -> None:
        network = await self.network(0.1)
        ada, bob = await self.join(url=network.url), await self.join("Bob")
        x = ada.scene[9].t[0]
        async with ada.grab("tx", [9], ray=RAY) as drag:
            for i in range(40):
                await drag.move(ray=[0.3 + i / 40, 0.1, 5, 0, 0, -1])
        async with bob.grab("tx", [9], value=-0.975):
            pass
        self.assertAlmostEqual(bob.scene[9].t[0], x)
        ids = await asyncio.gather(*(ada.create([{"name": "far"}]) for _ in range(5)))
        self.assertEqual(len(ada.scene.named("far")), len({id for (id,) in ids}))

    async def test_a_network_that_stops_makes_who_sends_wait(self) -> None:
        network = await self.network()
        ada = await self.join(url=network.url)
        sent = 0

        async def pour() -> None:
            nonlocal sent
            large: Any = {
                "id": 10,
                "x": 1,
                "unknown": "x" * 100_000,
            }  # it fills the system's buffers
            async with ada.hold([10]) as hold:
                while sent < 20_000:
                    await hold.pose([large])
                    sent += 1

        task = asyncio.create_task(pour())
        while sent < 3:
            await asyncio.sleep(0)
        network.up.clear()
        stuck = -1
        while stuck != sent:
            stuck = sent
            await asyncio.sleep(0.1)
        self.assertLess(sent, 20_000)
        task.cancel()
        network.cut()
        network.up.set()
        with self.assertRaises((asyncio.CancelledError, gizmod.Unreachable)):
            await task

    async def test_a_gap_in_what_is_told_starts_the_scene_over(self) -> None:
        ada, bob = await self.join(), await self.join("Bob")
        status = ada.events(gizmod.StatusChanged)
        del ada.scene._nodes[16]
        ada.scene.seq -= 1
        await bob.set([{"id": 2, "x": bob.scene[2].t[0] + 1}])
        self.assertRegex(await self.offline(ada, status), "told anew")
        await ada.set([{"id": 3, "y": 1}])
        await bob.reached(ada.scene.seq)
        self.assertEqual(state(ada), state(bob))

    async def test_a_part_of_interest_comes_back(self) -> None:
        ada = await self.join()
        await ada.interest(nodes=[9])
        part = dict(ada.scene)
        await self.restart()
        bob = await self.join("Bob")
        done = await bob.set([{"id": 9, "x": 7}, {"id": 5, "x": 7}])
        await ada.reached(done.seq)
        self.assertEqual((set(ada.scene), ada.scene[9].t[0]), (set(part), 7))

    async def test_a_part_that_is_gone_meanwhile_becomes_the_whole(self) -> None:
        network = await self.network()
        ada, bob = await self.join(url=network.url), await self.join("Bob")
        (id,) = await bob.create([{"name": "short-lived"}])
        await ada.interest(nodes=[id])
        self.assertEqual(list(ada.scene), [id])
        status = ada.events(gizmod.StatusChanged)
        network.up.clear()
        network.cut()
        await self.offline(ada, status)
        done = await bob.delete([id])
        network.up.set()
        await ada.reached(done.seq)
        self.assertEqual(state(ada), state(bob))
        network.cut()
        await ada.set([{"id": 3, "name": "pedestal!"}])
        self.assertTrue(ada.status.resumed)

    async def test_a_link_that_dies_without_a_word(self) -> None:
        network = await self.network()
        with mock.patch.multiple(connection, SILENT_S=0.1, DEAD_S=0.2):
            ada = await self.join(url=network.url)
            status = ada.events(gizmod.StatusChanged)
            hold = await ada.hold([5])
            await hold.pose([{"id": 5, "z": 4.0}])
            await self.wait_for(ada, lambda: ada.scene[5].t[2] == 4)
            network.silence()
            making = asyncio.create_task(ada.create([{"name": "waited for"}]))
            await self.offline(ada, status)
            await making
        # The server still believes in the dead link; its session made way, and its locks are free.
        async with ada.hold([5]) as hold:
            await hold.pose([{"id": 5, "z": 5.0}])
        self.assertEqual((ada.scene[5].t[2], len(ada.scene.named("waited for"))), (5, 1))

    async def test_a_scene_that_is_renamed_or_deleted_ends_the_session(self) -> None:
        ada = await self.join(scene="old", create=True)
        events = ada.events(gizmod.Edited)
        self.daemon.ctl("mv", "old", "new")
        with self.assertRaises(gizmod.NotFound) as caught:
            await anext(events)
        self.assertEqual(caught.exception.scene, "new")
        with self.assertRaises(gizmod.NotFound):
            await ada.create([{"name": "n"}])
        with self.assertRaises(gizmod.NotFound):
            await anext(ada.events())

    async def test_a_rate_beyond_the_limit_loses_no_edit(self) -> None:
        daemon = Daemon("--messages-per-s", "20")
        self.addCleanup(daemon.close)
        ada = await self.join(url=daemon.url)
        await asyncio.gather(*(ada.set([{"id": 3, "x": i + 1}]) for i in range(50)))
        self.assertEqual(len(await ada.history(node=3)), 50 + 1)

    async def test_an_earlier_state_takes_no_edit_of_a_later_one(self) -> None:
        daemon = Daemon()
        self.addCleanup(daemon.close)
        backup = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, backup)
        daemon.end(signal.SIGTERM)
        shutil.copytree(daemon.folder.name, backup, dirs_exist_ok=True)
        daemon.start()
        ada = await self.join(url=daemon.url)
        await ada.create([{"name": "later"}])
        status = ada.events(gizmod.StatusChanged)
        daemon.end()
        await self.offline(ada, status)
        shutil.rmtree(daemon.folder.name)
        shutil.copytree(backup, daemon.folder.name)
        making = asyncio.create_task(ada.create([{"name": "waits"}]))
        await asyncio.sleep(0)
        daemon.start()
        with self.assertRaisesRegex(gizmod.Conflict, "earlier state"):
            await making
        await ada.create([{"name": "after"}])
        self.assertEqual([len(ada.scene.named(n)) for n in ("later", "waits", "after")], [0, 0, 1])


PROJ = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0]


class Tokens(Case):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.keys = os.path.join(folder, "keys.json")
        subprocess.run((CTL, "key", cls.keys), check=True, capture_output=True)
        cls.options = ("--keys", cls.keys)
        super().setUpClass()

    def token(self, seconds: float, user: str = "ada") -> str:
        words = ("--user", user, "--role", "editor", "--expires", f"{seconds}s")
        made = subprocess.run(
            (CTL, "token", "--keys", self.keys, *words), check=True, capture_output=True, text=True
        )
        return made.stdout.strip()

    async def test_a_token_that_expires_ends_the_session_and_says_so(self) -> None:
        with self.assertRaises(gizmod.Unauthorised):
            await self.join()
        with self.assertRaises(gizmod.Unauthorised):
            await self.join(token="no token")
        ada = await self.join(token=self.token(2))
        self.assertEqual((ada.user, ada.role), ("ada", "editor"))
        events = ada.events()
        with self.assertRaisesRegex(gizmod.Unauthorised, "expired"):
            while True:
                await anext(events)
        with self.assertRaises(gizmod.Unauthorised):
            await ada.undo()

    async def test_a_function_brings_the_session_back_and_no_edit_is_lost(self) -> None:
        given = [self.token(60), self.token(2)]
        with mock.patch.object(token, "AHEAD_S", -60):  # it is not renewed before its time
            ada = await self.join(token=given.pop)
            status = ada.events(gizmod.StatusChanged)
            while (await anext(status)).phase != "offline":
                pass
            await ada.create([{"name": "waited"}])
        self.assertEqual((len(ada.scene.named("waited")), given), (1, []))
        self.assertTrue(ada.status.resumed)

    async def test_a_session_goes_on_with_newer_tokens(self) -> None:
        async def give() -> str:
            return self.token(3)

        ada = await self.join(token=give)
        first, end = ada.id, time.monotonic() + 3.5
        while time.monotonic() < end:
            await asyncio.sleep(0.25)
            await ada.create([{"name": "n"}])
        self.assertEqual(ada.id, first)

    async def test_another_users_token_changes_nothing(self) -> None:
        ada = await self.join(token=self.token(60))
        with self.assertRaises(gizmod.Unauthorised):
            await ada.set_token(self.token(60, "bob"))
        await ada.set_token(self.token(60))
        await ada.create([{"name": "n"}])

    async def test_a_function_that_fails_says_so(self) -> None:
        def fail() -> str:
            raise OSError("the identity provider is away")

        with self.assertRaisesRegex(gizmod.Unreachable, "provider is away"):
            await self.join(token=fail)


if __name__ == "__main__":
    unittest.main()
