"""Lent to scripts of Starchild: `from core.http_client import proxied_post`.

Requests leave through Hookline's guarded HTTP: only to hosts of its list, never to this machine or a private network, so that a
hook cannot call back into the agent that runs it.
"""

import json as _json
import os as _os
import subprocess as _subprocess

_sender = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "..", "..", "proxied.mjs")


class Response:
    def __init__(self, status_code, headers, text):
        self.status_code = status_code
        self.headers = headers
        self.text = text

    @property
    def ok(self):
        return self.status_code < 400

    @property
    def content(self):
        return self.text.encode()

    def json(self):
        return _json.loads(self.text)

    def raise_for_status(self):
        if not self.ok:
            raise RuntimeError(f"HTTP {self.status_code}: {self.text[:200]}")


def proxied_request(method, url, json=None, data=None, headers=None, timeout=40, **_others):
    body = _json.dumps(json) if json is not None else data
    if isinstance(body, bytes):
        body = body.decode()
    sent = dict(headers or {})
    if json is not None:
        sent.setdefault("Content-Type", "application/json")
    request = {"method": method, "url": url, "headers": sent, "body": body, "timeout": timeout}
    done = _subprocess.run(
        [_os.environ.get("HOOKLINE_NODE", "node"), _sender],
        input=_json.dumps(request),
        capture_output=True,
        text=True,
        timeout=timeout + 5,
    )
    if done.returncode != 0:
        raise ConnectionError(done.stderr.strip() or "The request was not sent.")
    answer = _json.loads(done.stdout)
    return Response(answer["status"], answer["headers"], answer["body"])


def proxied_post(url, json=None, data=None, headers=None, timeout=40, **others):
    return proxied_request("POST", url, json, data, headers, timeout, **others)


def proxied_get(url, headers=None, timeout=40, **others):
    return proxied_request("GET", url, None, None, headers, timeout, **others)
