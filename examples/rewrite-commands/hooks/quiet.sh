#!/usr/bin/env bash
# Commands with long output run in their quiet form: the model reads a few lines instead of hundreds. Crush merges
# `updated_input` into the call, so its other arguments stay. Without a decision, the usual approval follows.

command=${CRUSH_TOOL_INPUT_COMMAND:-}
case $command in
  *[\;\&\|\<\>\`\$]*) exit 0 ;; # More than one command, or words that only the shell knows: leave it alone.
  './run-tests') quiet='./run-tests --quiet' ;;
  'git log') quiet='git log --oneline -n 20' ;;
  *) exit 0 ;;
esac
printf '{"context": "Ran as: %s", "updated_input": {"command": "%s"}}\n' "$quiet" "$quiet"
