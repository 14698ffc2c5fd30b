import { quoteAlways } from '../../shell/index.ts'
import type { Ours } from '../setup.ts'
import { runner } from './runner.ts'

/** Cline cuts a handler off after three seconds (`hookTimeoutMs` of its @cline/core) and ends the run; we answer before that. */
const waits = 2.5

/** Where the plugin leaves, for each conversation in which Cline calls it, the process of that Cline. */
const atWork = ({ mark }: Ours): string => mark.replace(/\.json$/, '')

/** Of a snapshot, which is the whole conversation, the entry gets what names the session and the last prompt. */
export const clinePlugin = (ours: Ours): string => `${runner('cline', ours, waits)}
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

// By this, our programs in Cline's hooks directory know that this plugin judges the calls of a conversation.
const atWork = ${JSON.stringify(atWork(ours))}
const idOf = ({ snapshot = {} } = {}) => String(snapshot.conversationId ?? snapshot.runId ?? snapshot.agentId).replace(/[^\\w-]/g, '')
const week = 7 * 24 * 3600 * 1000
function begin(c) {
  try {
    mkdirSync(atWork, { recursive: true, mode: 0o700 })
    writeFileSync(join(atWork, idOf(c)), String(process.ppid))
    for (const name of readdirSync(atWork))
      if (Date.now() - statSync(join(atWork, name)).mtimeMs > week) rmSync(join(atWork, name), { force: true })
  } catch {}
}
function end(c) {
  try {
    rmSync(join(atWork, idOf(c)), { force: true })
  } catch {}
}

const place = ({ snapshot } = {}) => ({
  snapshot: { conversationId: snapshot?.conversationId },
  workspaceRoots: [process.cwd()],
})
const call = (c) => ({
  ...place(c),
  toolCall: { toolCallId: c.toolCall?.toolCallId, toolName: c.toolCall?.toolName },
  input: c.input,
})

const plugin = {
  name: 'hookline',
  manifest: { capabilities: ['hooks'] },
  setup() {},
  hooks: {
    beforeRun: async (c) => {
      begin(c)
      try {
        const messages = (c.snapshot?.messages ?? []).filter(({ role }) => role === 'user').slice(-1)
        const { snapshot, ...rest } = place(c)
        const answer = await ask('user_prompt_submit', { ...rest, snapshot: { ...snapshot, messages } })
        if (answer.stop) return answer
      } catch (error) {
        return { stop: true, reason: error.message }
      }
    },
    beforeTool: async (c) => {
      try {
        const answer = await ask('pre_tool_use', call(c))
        if (answer.skip || answer.input || answer.appendContext) return answer
      } catch (error) {
        return { skip: true, reason: error.message }
      }
    },
    afterTool: async (c) => {
      const answer = await tell('post_tool_use', { ...call(c), result: { output: c.result?.output } })
      const result = answer.result && { result: { ...c.result, ...answer.result } }
      if (result || answer.appendContext) return { ...result, ...(answer.appendContext && { appendContext: answer.appendContext }) }
    },
    afterRun: async (c) => {
      end(c)
      await tell('stop', { ...place(c), result: { outputText: c.result?.outputText } })
    },
  },
}
export { plugin }
export default plugin
`

/**
 * Cline goes on without a plugin that takes longer than four seconds to load, as on a busy machine, and says so only in its log. It runs what is in
 * its hooks directory all the same, before any plugin: where our plugin is not at work in this conversation of this Cline, this program judges. Cline takes
 * nothing from it but one JSON object; a refusal ends the run.
 *
 * The event has Cline's own name, for which the client has no deadline of its own: Cline waits two minutes here.
 */
export const clineHook = (ours: Ours, event: 'PreToolUse' | 'PostToolUse'): string => `#!/bin/sh
# Written by \`hookline install cline\`; \`hookline uninstall cline\` removes it. Changes here are lost.
given=$(cat)
id=\${given#*'"taskId":"'}
id=\${id%%'"'*}
case $id in
  '' | *[!A-Za-z0-9_-]*) ;;
  *) [ "$(cat ${quoteAlways(atWork(ours))}/"$id" 2>/dev/null)" = "$PPID" ] && exit 0 ;;
esac
said=$(printf '%s' "$given" | ${quoteAlways(ours.entry)} cline ${event})
case $?$said in
  '0{'*'}') printf '%s' "$said" ;;
  *) printf '%s' ${quoteAlways(JSON.stringify(unjudged[event]))} ;;
esac
`

/** After a call there is nothing left to refuse: that our part is broken is a warning there. */
const unjudged = {
  PreToolUse: {
    cancel: true,
    errorMessage: 'Hookline could not judge this, so the run ends. Run: npx hookline install cline',
  },
  PostToolUse: { context: 'Hookline did not run at post_tool_use. Run: npx hookline install cline' },
}
