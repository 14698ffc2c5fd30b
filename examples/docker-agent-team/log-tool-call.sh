#!/bin/sh
# As in docker-agent's document: the payload is on standard input, and an audit log is beside the agent.
sed -n 's/.*"tool_name":"\([^"]*\)".*/\1/p' >> audit.log
echo '{"continue": true}'
