"""A client of gizmod for asyncio: the shared scene, drags and poses, its people and history.

    async with gizmod.connect(scene="robot-arm", user="Ada") as session: ...
"""

from .errors import BadRequest, Closed, Conflict, GizmodError, InTheWay, Locked, NotAllowed
from .errors import NotFound, NotNow, Unauthorised, Unreachable
from .events import Changed, CheckpointsChanged, Edited, Event, Events, GizmoChanged
from .events import NotesChanged, PeopleChanged, Refused, StatusChanged, ViewChanged
from .gestures import Done, Drag, Hold
from .scene import Node, Scene
from .session import Session, connect

__version__ = "0.2.0"
__all__ = ["BadRequest", "Changed", "CheckpointsChanged", "Closed", "Conflict", "Done", "Drag"]
__all__ += ["Edited", "Event", "Events", "GizmoChanged", "GizmodError", "Hold", "InTheWay"]
__all__ += ["Locked", "Node", "NotAllowed", "NotFound", "NotNow", "NotesChanged", "PeopleChanged"]
__all__ += ["Refused", "Scene", "Session", "StatusChanged", "Unauthorised", "Unreachable"]
__all__ += ["ViewChanged", "connect"]
