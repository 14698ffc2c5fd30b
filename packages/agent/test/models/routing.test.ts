import { expect, test } from 'vitest'
import { stage } from '../../../hookline/test/support/agent.ts'
import { routed } from '../../src/models/chain.ts'
import { rehearse } from '../../src/models/rehearsal/play.ts'
import { collect, never, textOf, userRequest } from './collect.ts'

const model = (name: string) => rehearse({ name, default: { say: name } })

test('a question goes to the model whose examples are nearest, and else to the first', async () => {
  const router = routed(model('usual'), [
    { model: model('coder'), examples: ['write a function that sorts', 'fix the failing test'] },
    { model: model('writer'), examples: ['write a poem about the sea', 'translate this letter'] },
  ])
  const answer = async (question: string) => textOf(await collect(router.stream(userRequest(question), never)))
  expect(await answer('Please fix my failing test')).toBe('coder')
  expect(await answer('Could you translate the letter?')).toBe('writer')
  expect(await answer('a poem, please: write it')).toBe('writer')
  expect(await answer('What is the weather like?')).toBe('usual')
  expect(await answer('the and of to you')).toBe('usual')
})

test('after a rate limit the fallback model goes first, until the cooldown ends', async () => {
  const callsWith = async (cooldownMs: number) => {
    const one = await stage({
      script: { turns: [{ fail: 'rate-limit' }], default: { say: 'first' } },
      models: { second: { default: { say: 'second' } } },
      spec: { models: ['main', 'second'], cooldownMs },
    })
    await one.agent.prompt('one')
    await one.agent.prompt('two')
    await one.agent.end('other')
    return [one.of('before_llm_call').map(({ model_id }) => model_id), one.of('model_fallback').length]
  }
  expect(await callsWith(60_000)).toEqual([['rehearsal/main', 'rehearsal/second'], 1])
  expect(await callsWith(0)).toEqual([['rehearsal/main', 'rehearsal/main'], 1])
})
