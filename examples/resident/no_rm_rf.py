#!/usr/bin/env python3
# Denies `rm` with both -r and -f, however they are spelled. As a resident hook it answers in well under a millisecond,
# where starting Python for every call takes a hundred times as long:
#
#   - event: pre_tool_use
#     matcher: { tool: shell }
#     run: { type: resident, command: ./examples/resident/no_rm_rf.py }
import re

from hookline_resident import serve

REMOVAL = re.compile(r"(?:^|[;&|(]|\bsudo\s)\s*rm(?P<words>\s[^;&|]*)")


def answer(payload):
    removal = REMOVAL.search(str((payload.get("tool_input") or {}).get("command", "")))
    words = removal["words"] if removal else ""
    if re.search(r"\s(-\w*[rR]|--recursive)", words) and re.search(r"\s(-\w*f|--force)", words):
        return {"decision": "deny", "reason": "rm -rf is not allowed here: remove files by name"}
    return None


serve(answer)
