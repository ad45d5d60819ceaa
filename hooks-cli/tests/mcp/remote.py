"""A small MCP server behind streamable HTTP. It prints its port, and writes each request into the file that is named."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SEEN = sys.argv[1]
LOCK = threading.Lock()
TOKEN = "ghp_" + "q7Lw2ZxV9bNtR4yKc8JdF3mHs6PgA1uTeYoX"


def message(**members):
    return {"jsonrpc": "2.0", **members}


def text(what):
    return {"content": [{"type": "text", "text": what}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def saw(self, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        with LOCK, open(SEEN, "a", encoding="utf-8") as seen:
            seen.write(json.dumps({"method": self.command, "headers": headers, "body": body}) + "\n")

    def answer(self, status, kind=None, body="", **headers):
        body = body.encode()
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def json(self, value, status=200, **headers):
        # A server may write JSON over several lines.
        self.answer(status, "application/json; charset=utf-8", json.dumps(value, indent=2), **headers)

    def events(self, *events):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            lines = "".join(f"{name}: {value}\r\n" for name, value in event)
            self.wfile.write(f"{lines}\r\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def do_DELETE(self):
        self.saw(None)
        self.answer(200)

    def do_GET(self):
        self.saw(None)
        if self.headers.get("Last-Event-ID") == "r1":
            reply = message(id=1, result=text("continued"))
            return self.events([("id", "r2"), ("data", json.dumps(reply))])
        if self.headers.get("Last-Event-ID"):
            return self.answer(405)
        notice = message(method="notifications/message", params={"level": "info", "data": TOKEN})
        self.events([("id", "g1"), ("retry", "1"), ("event", "message"), ("data", json.dumps(notice))])

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.saw(request)
        method, id = request.get("method"), request.get("id")
        if method == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "http"}}
            return self.json(message(id=id, result=result), Mcp_Session_Id="session-1")
        if id is None:
            return self.answer(202)
        if "_meta" not in request.get("params", {}) and self.headers.get("Mcp-Session-Id") != "session-1":
            return self.json(message(id=None, error={"code": -32000, "message": "no session"}), status=400)
        if method == "tools/list":
            return self.json(message(id=id, result={"tools": [{"name": "echo"}, {"name": "closed"}]}))
        self.call(id, request["params"]["name"])

    def call(self, id, name):
        reply = message(id=id, result=text(f"secret {TOKEN}"))
        if name == "echo":
            progress = message(method="notifications/progress", params={"progressToken": 1, "progress": 1})
            first, second = json.dumps(reply).split(", ", 1)
            events = [("id", "e0"), ("data", "")], [("data", json.dumps(progress))], [("data", first + ","), ("data", second)]
            return self.events(*events)
        if name == "other_id":
            return self.json(message(id=999, result=text("for another request")))
        if name == "cut":
            return self.events([("data", json.dumps(message(method="notifications/progress", params={})))])
        if name == "continued":
            return self.events([("id", "r1"), ("retry", "1"), ("data", "")])
        if name == "refused":
            return self.json(message(id=None, error={"code": -32001, "message": f"no {TOKEN}"}), status=400)
        if name == "moved":
            return self.answer(307, Location="/elsewhere")
        if name == "page":
            return self.answer(200, "text/html", json.dumps(reply))
        if name == "accepted":
            return self.answer(202)
        if name == "half":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"{")
            self.close_connection = True
            return None
        if name == "long":
            return self.json(message(id=id, result=text("x" * (2 << 20))))
        if name == "long_event":
            return self.events([("data", json.dumps(message(id=id, result=text("x" * (2 << 20)))))])
        if name == "forgotten":
            return self.answer(404)
        return self.json(reply)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
