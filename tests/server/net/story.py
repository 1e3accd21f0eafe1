"""A program with Python's own library alone: it edits a scene over HTTP, is told of it as events, and
joins it by a WebSocket made by hand that speaks JSON.

    story.py PORT
"""
import base64
import http.client
import json
import os
import socket
import struct
import sys

port = int(sys.argv[1])


def request(method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, None if body is None else json.dumps(body), headers or {})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, json.loads(text) if text else None, response.headers


class Events:
    def __init__(self, path):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.connection.request("GET", path)
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.status

    def hear(self, kind):
        event = {}
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if line == "" and event.get("event") == kind:
                return json.loads(event["data"])
            if line == "":
                event = {}
            key, _, value = line.partition(": ")
            event[key] = value


class Client:
    """One text frame is one list of messages."""

    def __init__(self, scene, user):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: gizmod.v1.json\r\n\r\n".encode()
        )
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline() != b"\r\n":
            pass
        self.messages = []
        self.say({"op": "hello", "v": 1, "scene": scene, "user": user})

    def say(self, *messages):
        text = json.dumps(messages).encode()
        assert len(text) < 65536
        size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + struct.pack(">H", len(text))
        self.socket.sendall(b"\x81" + size + bytes(4) + text)

    def hear(self, op):
        while True:
            while not self.messages:
                first, size = self.file.read(2)
                if size > 125:
                    size = struct.unpack(">H" if size == 126 else ">Q", self.file.read(2 if size == 126 else 8))[0]
                text = self.file.read(size)
                if first == 0x81:
                    self.messages = json.loads(text)
            message = self.messages.pop(0)
            if message["op"] == op:
                return message


client = Client("story", "anna")
client.hear("welcome")
status, answers, _ = request("POST", "/scenes/story/edits?user=robot",
                             [{"op": "create", "nodes": [{"name": "a", "t": [0.1, -0.0, 1 / 3]}], "key": "one"}])
assert status == 200, answers
node = answers[0]["ids"][0]
edit = client.hear("edit")
assert (edit["user"], edit["seq"]) == ("robot", answers[0]["seq"]), edit

events = Events("/scenes/story/events")
client.say({"op": "set", "rid": 1, "nodes": [{"id": node, "t": [1e-7, 2, 3], "name": "Zoë"}]})
seq = client.hear("ok")["seq"]
assert events.hear("edit")["seq"] == seq

status, page, headers = request("GET", "/scenes/story/nodes?limit=10")
assert page["seq"] == seq and page["nodes"][0]["t"] == [1e-7, 2.0, 3.0] and page["nodes"][0]["name"] == "Zoë", page
assert request("GET", "/scenes/story/nodes?limit=10", headers={"If-None-Match": headers["ETag"]})[0] == 304
past = request("GET", f"/scenes/story/at?seq={answers[0]['seq']}")[1]
assert past["nodes"][0]["t"] == [0.1, 0.0, 1 / 3] and str(past["nodes"][0]["t"][1]) == "-0.0", past
history = request("GET", "/scenes/story/history?user=robot&changes=false")[1]
assert [edit["kind"] for edit in history["edits"]] == ["create"], history
assert len(request("GET", f"/scenes/story/path?node={node}")[1]["path"]) == 2
status, answers, _ = request("POST", "/scenes/story/edits", [{"op": "set", "nodes": [{"id": 99, "t": [0, 0, 0]}]}])
assert status == 404 and answers[0]["code"] == "unknown_node", answers
print("told")
