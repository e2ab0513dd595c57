"""A small server on this machine that speaks the part of Ollama's API that we use: list, and chat with a format."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Say = Callable[[dict[str, Any]], Any]


class Fake:
    """What the server was asked, and what it says: `say(request)` gives a text, a value, or (status, text)."""

    def __init__(self, say: Say | None = None, models: tuple[str, ...] = ("small:latest",)) -> None:
        self.say: Say = say or (lambda asked: {"records": []})
        self.models = models
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: dict[str, str] = {}
        self.redirect = ""
        self.tags: Any = None
        self.slow = 0.0
        self.done = "stop"
        self.url = ""

    def tag_list(self) -> Any:
        return self.tags if self.tags is not None else {"models": [{"name": m, "model": m} for m in self.models]}

    def chat(self, asked: dict[str, Any]) -> tuple[int, Any]:
        said = self.say(asked)
        if isinstance(said, tuple):
            return said[0], {"error": said[1]}
        text = said if isinstance(said, str) else json.dumps(said)
        message = {"role": "assistant", "content": text}
        return 200, {"model": asked["model"], "message": message, "done": True, "done_reason": self.done}


@contextmanager
def serving(fake: Fake) -> Iterator[Fake]:
    """The fake, listening at `fake.url` until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fake.paths.append(self.path)
            self.answer(200, fake.tag_list())

        def do_POST(self) -> None:
            fake.paths.append(self.path)
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            fake.asked.append(asked)
            time.sleep(fake.slow)
            self.answer(*fake.chat(asked))

        def answer(self, status: int, value: Any) -> None:
            body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
            self.send_response(302 if fake.redirect else status)
            if fake.redirect:
                self.send_header("location", fake.redirect + self.path)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            with suppress(OSError):  # whoever asked may have gone
                self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    fake.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
