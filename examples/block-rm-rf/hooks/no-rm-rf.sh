#!/usr/bin/env bash
# A PreToolUse hook for Crush, as its users write them: the command is in the environment, exit 2 blocks, stderr says why.
if echo "$CRUSH_TOOL_INPUT_COMMAND" | grep -qE 'rm[[:space:]]+-[a-z]*r'; then
  echo "Deleting whole trees is not allowed here. Remove single files by name." >&2
  exit 2
fi
