"""The scene as the server told it: rebuilt from its deltas alone, never half of a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .errors import error_of
from .events import Changed
from .wire import DeltaMessage, NodeState

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
#: 16 numbers, column by column, acting on column vectors.
Matrix = tuple[float, ...]


class Node(NamedTuple):
    """A node at one moment. A change makes a new one; this one stays as it is."""

    id: int
    name: str
    parent: int | None  # None at the root
    t: Vec3  # metres, under the parent
    r: Quat  # x, y, z, w
    s: Vec3
    bounds: tuple[float, ...] | None  # smallest x, y, z, then the largest, in the node's own space
    asset: int | None  # the number of the glTF node that it came from
    by: int | None  # the session that changed it last


class Gap(Exception):
    """A delta does not continue the scene: the scene has to be told anew."""


_LISTS = frozenset(("t", "r", "s", "bounds"))
_MOVES = frozenset(("t", "r", "s", "parent"))
_PARTS = frozenset(Node._fields)


def _fields(told: NodeState) -> dict[str, Any]:
    return {
        key: tuple(value) if key in _LISTS else value  # type: ignore[arg-type]
        for key, value in told.items()
        if key in _PARTS
    }


def _new_node(told: NodeState) -> Node:
    whole: dict[str, Any] = {"bounds": None, "asset": None, "by": None, **_fields(told)}
    try:
        return Node(**whole)
    except TypeError:
        raise Gap(f"node {told['id']} is new, and was not told whole") from None


class Scene(Mapping[int, Node]):
    """The nodes of a scene by id. It is read, not written; `apply` is for the session.

    `seq` counts its changes, `saved` is the latest of them that no crash takes back, and `time` is
    when the server told the last one.
    """

    def __init__(self) -> None:
        self._nodes: dict[int, Node] = {}
        self._children: dict[int | None, list[int]] | None = None
        self.seq = 0
        self.saved = 0
        self.time = 0.0

    def __getitem__(self, id: int) -> Node:
        return self._nodes[id]

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[int]:
        """The ids, ascending."""
        return iter(sorted(self._nodes))

    def __contains__(self, id: object) -> bool:
        return id in self._nodes

    def named(self, name: str) -> list[Node]:
        """The nodes of this name, by id: names need not be unique."""
        return sorted(node for node in self._nodes.values() if node.name == name)

    def find(self, name: str) -> Node:
        """The one node of this name; NotFound if there is none, or more than one."""
        found = self.named(name)
        if len(found) != 1:
            count = "no node" if not found else f"{len(found)} nodes"
            ids = [node.id for node in found]
            raise error_of("unknown_node", f"{count} with the name {name!r}", {"nodes": ids})
        return found[0]

    def children(self, id: int | None) -> list[Node]:
        """The nodes right below one, or with None at the root, by id."""
        if self._children is None:
            self._children = {}
            for child in self:
                self._children.setdefault(self._nodes[child].parent, []).append(child)
        return [self._nodes[child] for child in self._children.get(id, ())]

    @property
    def roots(self) -> list[Node]:
        return self.children(None)

    def below(self, id: int) -> Iterator[Node]:
        """All nodes below one, each before those below it."""
        waiting = self.children(id)[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += self.children(node.id)[::-1]

    def world(self, id: int) -> Matrix:
        """The node's transform in the world; its place there is `world(id)[12:15]`."""
        node = self._nodes[id]
        matrix = _compose(node)
        while node.parent is not None:
            node = self._nodes[node.parent]
            matrix = _multiply(_compose(node), matrix)
        return matrix

    def apply(self, deltas: Sequence[DeltaMessage]) -> Changed:
        """Applies deltas that follow each other, the last of them without `more`."""
        change = Changed(seq=deltas[-1]["seq"])
        for delta in deltas:
            if delta["from"] == 0:
                self._start_over(change)
            elif delta["from"] != self.seq:
                raise Gap(f"a delta from {delta['from']} came to a scene at {self.seq}")
            for told in delta["nodes"]:
                self._take(told, change)
            for id in delta.get("gone", ()):
                if self._nodes.pop(id, None) is not None:
                    change.remove(id)
            self.seq, self.saved = delta["seq"], max(self.saved, delta["saved"])
            self.time = delta["time"]
        for id in change.added | change.structure:
            if (parent := self._nodes[id].parent) is not None and parent not in self._nodes:
                raise Gap(f"node {id} has no parent")
        if change.added or change.gone or change.structure:
            self._children = None
        return change

    def forget(self) -> None:
        """The next delta will be one from 0, perhaps of another state than was saved here."""
        self.seq = self.saved = 0

    def _start_over(self, change: Changed) -> None:
        change.all = True
        self._nodes.clear()
        self._children = None
        for ids in (change.added, change.gone, change.moved, change.structure):
            ids.clear()

    def _take(self, told: NodeState, change: Changed) -> None:
        id = told["id"]
        if (node := self._nodes.get(id)) is None:
            self._nodes[id] = _new_node(told)
            change.gone.discard(id)
            change.added.add(id)
            return
        self._nodes[id] = node._replace(**_fields(told))
        if not _MOVES.isdisjoint(told):
            change.moved.add(id)
        if "parent" in told or "name" in told:
            change.structure.add(id)


def _compose(node: Node) -> Matrix:
    (x, y, z, w), (a, b, c) = node.r, node.s
    return (
        *((1 - 2 * (y * y + z * z)) * a, 2 * (x * y + z * w) * a, 2 * (x * z - y * w) * a, 0.0),
        *(2 * (x * y - z * w) * b, (1 - 2 * (x * x + z * z)) * b, 2 * (y * z + x * w) * b, 0.0),
        *(2 * (x * z + y * w) * c, 2 * (y * z - x * w) * c, (1 - 2 * (x * x + y * y)) * c, 0.0),
        *(*node.t, 1.0),
    )


def _multiply(a: Matrix, b: Matrix) -> Matrix:
    return tuple(
        sum(a[4 * i + row] * b[4 * column + i] for i in range(4))
        for column in range(4)
        for row in range(4)
    )
