"""Serve as a resident hook: answer(payload) gets what a command hook would read on stdin, and returns what it would
print as JSON; None is no opinion. Log to stderr: stdout belongs to the protocol."""

import json
import sys


def serve(answer):
    for line in sys.stdin.buffer:
        request = json.loads(line)
        reply = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            if request["method"] == "hooks/intercept":
                reply["result"] = answer(request["params"])
            elif request["method"] == "hooks/ping":
                reply["result"] = None
            else:
                reply["error"] = {"code": -32601, "message": f"no method {request['method']}"}
        except Exception as error:
            reply["error"] = {"code": -32000, "message": f"{type(error).__name__}: {error}"}
        sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
        sys.stdout.buffer.flush()
