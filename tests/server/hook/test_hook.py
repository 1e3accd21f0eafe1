"""gizmod --hook: what a receiver is told, with a daemon of its own for each test.

    test_hook.py GIZMOD GIZMODCTL OPERATING.md [--long] [NAME ...]
"""
import base64
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GIZMOD, CTL, MANUAL = sys.argv[1:4]
LONG = "--long" in sys.argv
PATIENCE_S = 60
FIRST, SECOND = bytes(range(32)), bytes(range(100, 132))


def line_of(secret):
    return "whsec_" + base64.b64encode(secret).decode() + "\n"


def is_signed(secret, headers, body):
    said = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(secret, said, hashlib.sha256).digest()).decode()
    return right in headers["webhook-signature"].split(" ")


class Receiver:
    """`answer` is called with the number of a request, and says its status, and further headers."""

    def __init__(self, answer=lambda n: (204, {}), secret=FIRST, tls=None):
        self.requests, self.taken, self.paths, self.unsigned = [], [], [], 0
        self.answer, self.lock = answer, threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver.lock:
                    receiver.paths.append(self.path)
                    if not is_signed(secret, self.headers, body):
                        receiver.unsigned += 1
                    when = int(self.headers["webhook-timestamp"])
                    assert abs(time.time() - when) < 60, when
                    assert self.headers["content-type"] == "application/json"
                    said = json.loads(body)
                    receiver.requests.append((self.headers["webhook-id"], said, len(body)))
                    status, headers = receiver.answer(len(receiver.requests))
                    if 200 <= status < 300:
                        receiver.taken += [(said["scene"], event) for event in said["events"]]
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("content-length", "0")
                    self.end_headers()
                except OSError:
                    pass  # the daemon was killed

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def of(self, scene):
        with self.lock:
            return [event for name, event in self.taken if name == scene]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def is_open(port):
    with socket.socket() as to:
        return to.connect_ex(("127.0.0.1", port)) == 0


def same_once(events):
    """The events without those that came again."""
    known = {}
    for event in events:
        known.setdefault(event["event"], event)
    return list(known.values())


class HookTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gizmod-hook-")
        self.secret = os.path.join(self.folder, "secret")
        self.log = os.path.join(self.folder, "log")
        self.daemon = None
        open(self.log, "w").close()
        self.put_secret(line_of(FIRST))

    def tearDown(self):
        code = self.stop() if self.daemon else 0
        shutil.rmtree(self.folder)
        self.assertEqual(code, 0)

    def put_secret(self, text):
        with open(os.open(self.secret, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)

    def start(self, port, *options, scheme="http://127.0.0.1"):
        with open(self.log, "a") as log:
            self.daemon = subprocess.Popen(
                [GIZMOD, "--data", os.path.join(self.folder, "scenes"), "--listen", "127.0.0.1:0", "--web", "none",
                 "--hook", f"{scheme}:{port}/told?by=gizmod", "--hook-secret", self.secret, *options],
                stdout=subprocess.PIPE, stderr=log, text=True)
        said = self.daemon.stdout.readline()
        self.assertRegex(said, "^listening ws://", self.said())
        self.address = re.search(r"//([^/]+)/", said).group(1)

    def stop(self):
        self.daemon.send_signal(signal.SIGTERM)
        code = self.daemon.wait(PATIENCE_S)
        self.daemon.stdout.close()
        self.daemon = None
        return code

    def kill(self):
        self.daemon.kill()
        self.daemon.wait()
        self.daemon.stdout.close()
        self.daemon = None

    def said(self):
        with open(self.log) as file:
            return file.read()

    def until(self, is_so, what):
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            self.assertLess(time.monotonic(), end, f"{what}; the log: {self.said()[-3000:]}")
            time.sleep(0.02)

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE_S)
        connection.request(method, path, body)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.assertLess(answer.status, 300, f"{path}: {text}")
        return text

    def edit(self, scene, *edits):
        return json.loads(self.ask("POST", f"/scenes/{scene}/edits?user=anna", json.dumps(edits)))

    def ctl(self, *words):
        done = subprocess.run([CTL, *words, "--server", f"ws://{self.address}/ws", "--user", "anna"],
                              capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def make(self, scene, user="anna"):
        """A scene with a node."""
        gltf = {"asset": {"version": "2.0"}, "nodes": [{"name": "box"}], "scenes": [{"nodes": [0]}]}
        self.ask("PUT", f"/scenes/{scene}?user={user}", json.dumps(gltf))

    def move(self, scene, x):
        self.edit(scene, {"op": "set", "nodes": [{"id": 1, "t": [x, 0, 0]}]})

    def number(self, name):
        return float(re.search(rf"^gizmod_hook_{name} (\S+)$", self.ask("GET", "/metrics"), re.M).group(1))

    def told(self, scene):
        file = sqlite3.connect(f"file:{self.folder}/scenes/{scene}.db?mode=ro", uri=True)
        row = file.execute("SELECT told_seq, told_news, seq FROM scene").fetchone()
        file.close()
        return row

    # ---- what is told ----

    def test_each_edit_note_and_checkpoint_comes_in_order_as_watch_says_it(self):
        receiver = Receiver()
        self.start(receiver.port)
        self.make("desk")
        watch = subprocess.Popen([CTL, "watch", "desk", "--json", "--events", "--server", f"ws://{self.address}/ws"],
                                 stdout=subprocess.PIPE, text=True)
        self.assertIn("welcome", watch.stdout.readline())
        self.move("desk", 1)
        self.ctl("note", "desk", "too tight", "--node", "box")
        self.until(lambda: len(receiver.of("desk")) == 3, "the note")
        self.ctl("note", "desk", "--done", "1")
        self.until(lambda: len(receiver.of("desk")) == 4, "the note that is done")
        self.ctl("checkpoint", "desk", "lunch")
        self.move("desk", 2)
        self.ctl("checkpoint", "desk", "lunch", "--gone")
        self.ctl("note", "desk", "--gone", "1")
        self.ctl("undo", "desk")
        self.until(lambda: len(receiver.of("desk")) == 9, "nine events")
        events = receiver.of("desk")
        self.assertEqual([event["op"] for event in events],
                         ["edit", "edit", "notes", "notes", "checkpoints", "edit", "checkpoints", "notes", "edit"])
        self.assertEqual([event.get("kind") for event in events if event["op"] == "edit"],
                         ["import", "set", "set", "undo"])
        self.assertEqual([event["notes"][0].get("done", False) for event in events[2:4]], [False, True])
        self.assertEqual([event["checkpoints"][0].get("gone", False) for event in events if event["op"] == "checkpoints"],
                         [False, True])
        self.assertEqual(events[7]["gone"], [1])
        self.assertEqual(len({event["event"] for event in events}), 9)
        self.assertEqual(receiver.unsigned, 0)
        self.assertEqual(set(receiver.paths), {"/told?by=gizmod"})
        self.assertEqual(self.number("events_total"), 9)
        self.assertEqual(self.number("failing"), 0)
        # each is what watch --json prints
        watched = []
        while sum(1 for said in watched if said["op"] == "edit") < 3:
            watched.append(json.loads(watch.stdout.readline()))
        watch.kill()
        watch.wait()
        watch.stdout.close()
        for event in events[1:]:
            as_watched = {name: value for name, value in event.items() if name != "event"}
            self.assertIn(as_watched, watched)

    def test_receiver_of_the_manual_verifies_what_it_is_sent(self):
        with open(MANUAL) as manual:
            example = re.search(r"```python\n(import base64.*?)```", manual.read(), re.S).group(1)
        self.assertLess(example.count("\n"), 25)
        port = free_port()
        other = os.path.join(self.folder, "other")
        with open(other, "w") as file:
            file.write(line_of(SECOND))
        for secret, is_right in [(other, False), (self.secret, True)]:
            running = subprocess.Popen([sys.executable, "-c", example, secret, str(port)],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.until(lambda: is_open(port), "the receiver")
            if self.daemon is None:
                self.start(port)
                self.make("desk")
            if is_right:
                said = running.stdout.readline()
                self.assertIn("'scene': 'desk'", said)
            else:
                self.until(lambda: "it answers 401" in self.said(), "a wrong secret is noticed")
            running.kill()
            running.wait()
            running.stdout.close()

    def test_secrets_are_changed_without_a_gap(self):
        old, new = Receiver(secret=FIRST), Receiver(secret=SECOND)
        self.put_secret(line_of(SECOND) + line_of(FIRST))
        for receiver in (old, new):
            self.start(receiver.port)
            self.make("desk" if receiver is old else "chair")
            self.until(lambda: receiver.taken, "an event")
            self.assertEqual(receiver.unsigned, 0)
            if receiver is old:
                self.assertEqual(self.stop(), 0)
        self.put_secret(line_of(SECOND))
        self.daemon.send_signal(signal.SIGHUP)
        self.until(lambda: "secrets of the hook: read again" in self.said(), "SIGHUP")
        self.put_secret("none\n")
        self.daemon.send_signal(signal.SIGHUP)
        self.until(lambda: "the earlier secrets of the hook stay in force" in self.said(), "SIGHUP")
        self.move("desk", 1)
        self.until(lambda: new.of("desk"), "the edit")
        self.assertEqual(new.unsigned, 0)

    def test_scene_of_before_begins_with_what_happens_next(self):
        receiver = Receiver()
        self.start(receiver.port)
        self.make("old")
        self.until(lambda: receiver.of("old"), "the import")
        self.assertEqual(self.stop(), 0)
        file = sqlite3.connect(f"{self.folder}/scenes/old.db")
        file.execute("UPDATE scene SET told_seq = NULL, told_news = NULL")
        file.commit()
        file.close()
        receiver.taken.clear()
        self.start(receiver.port)
        self.move("old", 1)
        self.until(lambda: receiver.of("old"), "the edit")
        self.assertEqual([event["kind"] for event in receiver.of("old")], ["set"])

    # ---- receivers that fail ----

    def test_what_a_receiver_refuses_comes_again_with_the_same_id(self):
        answers = [(500, {}), (302, {"location": "/elsewhere"}), (204, {})]
        receiver = Receiver(lambda n: answers[n - 1] if n <= 3 else (204, {}))
        self.start(receiver.port)
        self.make("desk")
        self.until(lambda: receiver.taken, "the third try")
        self.assertEqual([said["events"] for _, said, _ in receiver.requests[:3]],
                         3 * [receiver.requests[0][1]["events"]])
        self.assertEqual(len({message for message, _, _ in receiver.requests[:3]}), 1)
        self.assertNotIn("/elsewhere", receiver.paths)
        self.move("desk", 1)
        self.until(lambda: len(receiver.taken) == 2, "the edit")
        self.assertEqual(self.said().count("does not take events"), 2) # once for each reason
        self.assertEqual(self.said().count("takes events again"), 1)
        self.assertNotIn("told?by", self.said())
        self.assertEqual(self.number("failures_total"), 2)

    def test_receiver_that_is_down_gets_all_after_it_came_up(self):
        port = free_port()
        self.start(port)
        self.make("desk")
        for x in range(250):
            self.move("desk", x + 1)
        self.assertEqual(self.number("failing"), 1)
        self.assertGreater(self.number("lag_seconds"), 0)
        # a restart with nobody in the scene
        self.assertEqual(self.stop(), 0)
        receiver = Receiver()
        self.start(receiver.port)
        self.until(lambda: len(receiver.taken) >= 251, "all edits")
        events = receiver.of("desk")
        self.assertEqual([event["seq"] for event in events], sorted({event["seq"] for event in events}))
        self.assertEqual(len(events), 251)
        self.assertTrue(all(len(said["events"]) <= 100 for _, said, _ in receiver.requests))
        self.until(lambda: self.told("desk")[0] == self.told("desk")[2], "the place in the file")

    def test_receiver_that_wants_no_more_is_left_alone(self):
        receiver = Receiver(lambda n: (410, {}) if n == 1 else (204, {}))
        self.start(receiver.port)
        self.make("desk")
        self.until(lambda: "wants no more events" in self.said(), "the line in the log")
        self.move("desk", 1)
        time.sleep(1.5)
        self.assertEqual(len(receiver.requests), 1)
        self.daemon.send_signal(signal.SIGHUP)
        self.until(lambda: len(receiver.taken) == 2, "the edits after SIGHUP")

    def test_other_scenes_do_not_wait_for_one_that_is_refused(self):
        receiver = Receiver()
        receiver.answer = lambda n: (500, {}) if receiver.requests[-1][1]["scene"] == "bad" else (204, {})
        self.start(receiver.port)
        self.make("bad")
        for x in range(5):
            self.make(f"good-{x}")
        self.until(lambda: len(receiver.taken) == 5, "the other scenes")
        self.assertEqual(receiver.of("bad"), [])

    @unittest.skipUnless(shutil.which("openssl"), "makes a certificate with openssl")
    def test_certificate_of_a_receiver_is_verified(self):
        cert, key = (os.path.join(self.folder, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2", "-keyout", key,
                        "-out", cert], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        receiver = Receiver(tls=context)
        self.start(receiver.port, scheme="https://localhost")
        self.make("desk")
        self.until(lambda: "certificate" in self.said(), "an unknown authority is refused")
        self.assertEqual(receiver.requests, [])
        self.assertEqual(self.stop(), 0)
        os.environ["SSL_CERT_FILE"] = cert
        try:
            self.start(receiver.port, scheme="https://127.0.0.1") # another name than the certificate's
            self.until(lambda: self.said().count("does not take events") == 2, "a wrong name is refused")
            self.assertEqual(receiver.requests, [])
            self.assertEqual(self.stop(), 0)
            self.start(receiver.port, scheme="https://localhost")
            self.until(lambda: receiver.of("desk"), "the edit")
        finally:
            del os.environ["SSL_CERT_FILE"]

    # ---- scenes that come and go ----

    def test_renamed_scene_goes_on_and_a_deleted_one_ends(self):
        is_up = threading.Event()
        receiver = Receiver(lambda n: (204, {}) if is_up.is_set() else (503, {}))
        self.start(receiver.port)
        self.make("first")
        self.make("gone")
        self.until(lambda: len(receiver.requests) >= 2, "a try")
        self.ctl("mv", "first", "second")
        self.ctl("rm", "gone")
        is_up.set()
        self.move("second", 1)
        self.until(lambda: len(same_once(receiver.of("second"))) == 2, "both edits")
        self.assertEqual([event["kind"] for event in same_once(receiver.of("second"))], ["import", "set"])
        self.make("gone", "ben") # another scene of that name
        self.until(lambda: receiver.of("gone"), "the new scene")
        self.assertEqual([event["user"] for event in receiver.of("gone")], ["ben"])

    def test_backup_that_is_put_back_goes_on_where_it_was(self):
        receiver = Receiver()
        self.start(receiver.port)
        self.make("desk")
        self.until(lambda: len(receiver.taken) == 1, "the first edit")
        self.until(lambda: self.told("desk")[0] == self.told("desk")[2], "the place in the file")
        kept = os.path.join(self.folder, "kept.db")
        self.ctl("backup", "desk", kept)
        self.move("desk", 1)
        self.until(lambda: len(receiver.taken) == 2, "the second edit")
        self.assertEqual(self.stop(), 0)
        shutil.copy(kept, f"{self.folder}/scenes/desk.db")
        self.start(receiver.port)
        self.move("desk", 2)
        self.until(lambda: len(receiver.taken) >= 3, "the edit after it")
        events = receiver.of("desk")
        self.assertEqual(len(events), 3)
        self.assertEqual(len({event["event"] for event in events}), 3)

    def test_what_is_no_longer_kept_is_said(self):
        self.start(free_port())
        self.make("desk")
        self.assertEqual(self.stop(), 0)
        # as retention leaves a file whose first edits were passed
        file = sqlite3.connect(f"{self.folder}/scenes/desk.db")
        file.execute("UPDATE kept SET since = (SELECT seq FROM scene), swept = 0")
        file.commit()
        file.close()
        receiver = Receiver()
        self.start(receiver.port)
        self.move("desk", 1)
        self.until(lambda: len(receiver.of("desk")) == 2, "what is missing, and the edit")
        missing, edit = receiver.of("desk")
        self.assertEqual(missing["op"], "missing")
        self.assertIn("removed from the history", missing["message"])
        self.assertEqual(missing["seq"] + 1, edit["seq"])

    # ---- crashes ----

    def test_kill_in_the_middle_loses_nothing(self):
        dice = random.Random(7)
        receiver = Receiver(lambda n: (500, {}) if dice.random() < 0.2 else (204, {}))
        done = []
        for life in range(40 if LONG else 4):
            self.start(receiver.port)
            if life == 0:
                self.make("desk")
                self.make("other")
            for _ in range(dice.randrange(1, 30)):
                scene = dice.choice(["desk", "other"])
                x = len(done) + 1
                self.move(scene, x)
                done.append((scene, x))
            time.sleep(dice.random() * 0.05)
            self.kill()
        receiver.answer = lambda n: (204, {})
        self.start(receiver.port)
        for scene in ("desk", "other"):
            expected = 1 + sum(1 for name, _ in done if name == scene)
            self.until(lambda: len(same_once(receiver.of(scene))) >= expected, f"{expected} edits of {scene}")
            seqs = [event["seq"] for event in same_once(receiver.of(scene))]
            self.assertEqual(seqs, sorted(seqs))
            self.assertEqual(len(seqs), expected)
            for event in receiver.of(scene): # what came twice is the same
                self.assertEqual(event["event"].split("-")[1], str(event["seq"]))

    # ---- a wrong start ----

    def test_wrong_options_are_refused_in_words(self):
        rows = [("ftp://a.example/x", None, "is not an address"), ("file:///etc/passwd", None, "is not an address"),
                ("https://", None, "is not an address"), ("receiver.example", None, "is not an address"),
                ("https://u:p@a.example/", None, "no password"), ("https://a.example:0/", None, "is not an address"),
                ("https://a.example:port/", None, "is not an address"), ("https://a b/", None, "is not an address"),
                ("https://a.example/#x", None, "is not an address"), ("https://[::1/", None, "is not an address"),
                ("http://a.example/", None, "not loopback"), ("http://localhost.a.example/", None, "not loopback"),
                ("http://127.0.0.1:9/", "", "must have 16"), ("http://127.0.0.1:9/", 9 * "secret" + "\n", "line 1 is no secret"),
                ("http://127.0.0.1:9/", line_of(bytes(23)), "line 1 is no secret"),
                ("http://127.0.0.1:9/", line_of(FIRST) + line_of(bytes(65)), "line 2 is no secret"),
                ("http://127.0.0.1:9/", 5 * line_of(FIRST), "more than 4 secrets")]
        for url, secret, words in rows:
            with self.subTest(url=url, secret=secret):
                self.put_secret(line_of(FIRST) if secret is None else secret)
                done = subprocess.run([GIZMOD, "--data", self.folder + "/scenes", "--listen", "127.0.0.1:0", "--hook", url,
                                       "--hook-secret", self.secret], capture_output=True, text=True, timeout=PATIENCE_S)
                self.assertIn(done.returncode, (1, 2))
                self.assertRegex(done.stderr, r"gizmod: --hook(-secret)?: ")
                self.assertIn(words, done.stderr)
                if secret:
                    self.assertNotIn(secret.strip(), done.stderr)
        os.chmod(self.secret, 0o644)
        for options, words in [(["--hook", "https://a.example/"], "--hook: needs --hook-secret"),
                               (["--hook-secret", self.secret], "--hook-secret: needs --hook"),
                               (["--hook", "https://a.example/", "--hook-secret", self.secret], "run chmod 600"),
                               (["--hook", "https://a.example/", "--hook-secret", "/none"], "No such file")]:
            done = subprocess.run([GIZMOD, "--data", self.folder + "/scenes", "--listen", "127.0.0.1:0", *options],
                                  capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(words, done.stderr)

    # ---- long ----

    @unittest.skipUnless(LONG, "waits for a request's time to pass")
    def test_receiver_that_hangs_neither_slows_the_scene_nor_takes_memory(self):
        hangs = threading.Event()
        receiver = Receiver(lambda n: (hangs.wait(30) and 204 or 204, {}))
        self.start(receiver.port)
        self.make("desk")
        before = float(re.search(r"^gizmod_heap_bytes (\S+)$", self.ask("GET", "/metrics"), re.M).group(1))
        for x in range(3000):
            self.move("desk", x + 1)
        after = float(re.search(r"^gizmod_heap_bytes (\S+)$", self.ask("GET", "/metrics"), re.M).group(1))
        # undo keeps the edits, a kilobyte each; the hook keeps none
        self.assertLess(after - before, 3000 * 4096)
        self.until(lambda: "does not take events" in self.said(), "the end of a request")
        hangs.set()
        self.until(lambda: len(same_once(receiver.of("desk"))) == 3001, "all edits")

    @unittest.skipUnless(LONG, "imports a large scene")
    def test_event_of_many_nodes_comes_alone_and_whole(self):
        receiver = Receiver()
        self.start(receiver.port)
        self.make("large")
        gltf = {"asset": {"version": "2.0"}, "nodes": [{} for _ in range(60000)],
                "scenes": [{"nodes": list(range(60000))}]}
        self.ask("POST", "/scenes/large/import", json.dumps(gltf))
        self.move("large", 1)
        self.until(lambda: len(receiver.of("large")) == 3, "the import")
        self.assertEqual(len(receiver.of("large")[1]["nodes"]), 60000)


if __name__ == "__main__":
    names = [word for word in sys.argv[4:] if word != "--long"]
    unittest.main(argv=[sys.argv[0], *names])
