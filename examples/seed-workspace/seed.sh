#!/bin/sh
# Plain words on standard output would be context only in some systems; JSON says it everywhere.
[ -n "$HOOKLINE_SYNTHETIC" ] || printf '# Conventions\n\nSmall commits, each with its reason.\n' > CONVENTIONS.md
echo '{"context": "CONVENTIONS.md is there: read it before you change anything."}'
