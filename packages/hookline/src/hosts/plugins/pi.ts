import { hostWaits } from '../groups.ts'
import type { Ours } from '../setup.ts'
import { runner } from './runner.ts'

/** Handlers give back what counts; what they change in \`input\` counts too. */
export const piExtension = (ours: Ours): string => `${runner('pi', ours)}
import { spawnSync } from 'node:child_process'

// As \`tell\`, while everything else stands still.
function tellNow(event, payload) {
  const { status, stdout } = spawnSync(entry, ['pi', event], { input: JSON.stringify(payload), encoding: 'utf8', timeout: ${hostWaits * 1000} })
  try {
    if (status === 0) return JSON.parse(stdout)
  } catch {}
  console.error('Hookline did not run at ' + event + '. Run: npx hookline install pi')
  return {}
}

export default function (pi) {
  const session = (context) => {
    try {
      return { session_id: context?.sessionManager?.getSessionId?.(), cwd: context?.cwd ?? process.cwd() }
    } catch {
      return { cwd: process.cwd() }
    }
  }
  let waiting = []
  // What we send ourselves comes back as input: nothing of it needs to be judged.
  let sent
  const send = (text) => {
    sent = text
    pi.sendUserMessage(text, { deliverAs: 'followUp' })
  }
  pi.on('session_start', async (event, context) => {
    const answer = await tell('session_start', { ...session(context), type: 'session_start', source: event.reason })
    if (answer.message) waiting.push(answer.message)
  })
  pi.on('before_agent_start', async () => {
    if (waiting.length === 0) return
    const content = waiting.join('\\n')
    waiting = []
    return { message: { customType: 'hookline', content, display: false } }
  })
  pi.on('session_shutdown', async (event, context) => {
    await tell('session_end', { ...session(context), type: 'session_shutdown', reason: event.reason })
  })
  pi.on('input', async (event, context) => {
    try {
      const { text } = event
      if (text === sent) {
        sent = undefined
        return
      }
      const answer = await ask('user_prompt_submit', { ...session(context), type: 'input', text })
      if (answer.action === 'handled') context?.ui?.notify?.(answer.reason, 'error')
      if (answer.action) return answer
    } catch (error) {
      context?.ui?.notify?.(error.message, 'error')
      return { action: 'handled' }
    }
  })
  pi.on('tool_call', async (event, context) => {
    try {
      const { toolName, toolCallId, input } = event
      const answer = await ask('pre_tool_use', { ...session(context), type: 'tool_call', toolName, toolCallId, input })
      if (answer.block) return { block: true, reason: answer.reason }
      if (!answer.input) return
      for (const key of Object.keys(input)) if (!(key in answer.input)) delete input[key]
      Object.assign(input, answer.input)
    } catch (error) {
      return { block: true, reason: error.message }
    }
  })
  pi.on('tool_result', async (event, context) => {
    const { toolName, toolCallId, input, content, isError } = event
    const answer = await tell('post_tool_use', {
      ...session(context),
      ...{ type: 'tool_result', toolName, toolCallId, input, content, isError },
    })
    if (answer.content) return { content: answer.content, ...(answer.isError ? { isError: true } : {}) }
  })
  pi.on('turn_end', async (event, context) => {
    const { message } = event
    if (message?.stopReason === 'toolUse' || (event.toolResults ?? []).length > 0) return
    const said = (message?.content ?? []).filter(({ type }) => type === 'text').map(({ text }) => text)
    const payload = { ...session(context), type: 'turn_end', last_assistant_message: said.join('\\n') }
    // Without a screen, pi ends as soon as this handler waits for anything; with one, it must not stand still.
    const answer = context?.hasUI ? await tell('stop', payload) : tellNow('stop', payload)
    if (answer.followUp) send(answer.followUp)
  })
}
`
