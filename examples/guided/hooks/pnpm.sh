#!/bin/sh
# Reads the payload, rewrites the command, and tells the model why.
command=$(sed -n 's/.*"command":"npm \([^"]*\)".*/\1/p')
printf '{"updated_input":{"command":"pnpm %s"},"context":"This project uses pnpm; npm commands are rewritten."}\n' "$command"
