#!/usr/bin/env node
// Denies `rm` with both -r and -f, however they are spelled. As a resident hook it answers in well under a millisecond:
//
//   - event: pre_tool_use
//     matcher: { tool: shell }
//     run: { type: resident, command: ./examples/resident/no-rm-rf.mjs }
import { serve } from './hookline-resident.mjs'

serve(({ tool_input }) => {
  const removal = /(?:^|[;&|(]|\bsudo\s)\s*rm(?<words>\s[^;&|]*)/.exec(String(tool_input?.command ?? ''))
  const has = (flag) => removal !== null && flag.test(removal.groups.words)
  if (has(/\s(-\w*[rR]|--recursive)/) && has(/\s(-\w*f|--force)/))
    return { decision: 'deny', reason: 'rm -rf is not allowed here: remove files by name' }
})
