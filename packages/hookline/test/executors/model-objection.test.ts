import { expect, it } from 'vitest'
import { createModelExecutor } from '../../src/executors/model/index.ts'
import { makeCall } from '../support/call.ts'
import { chatServer, say } from '../support/chat-server.ts'

it.each([
  ['allow', undefined],
  ['ask', { decision: { ruling: 'ask', reason: 'because' } }],
  ['deny', { decision: { ruling: 'deny', reason: 'because' } }],
])('a judge that may only object and says %s', async (decision, opinion) => {
  const server = await chatServer((_request, response) =>
    say(response, JSON.stringify({ decision, reason: 'because' })),
  )
  const executor = createModelExecutor({ env: { OPENAI_API_KEY: 'k' } })
  const spec = { model: 'openai/judge', prompt: 'ok?', schema: 'objection', base_url: server.url } as const
  try {
    const reply = await executor.run(spec, makeCall({ type: 'model', ...spec }))
    const result = reply.kind === 'opinion' ? reply.opinion : reply
    if (opinion === undefined) expect(result).toBeUndefined()
    else expect(result).toMatchObject(opinion)
  } finally {
    await executor.close?.()
    await server.close()
  }
})
