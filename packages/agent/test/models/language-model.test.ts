import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import { expect, test } from 'vitest'
import { rehearsalLanguageModel, rehearse } from '../../src/models/index.ts'

const script: Parameters<typeof rehearse>[0] = {
  turns: [
    { think: 'hm', say: 'Let me look.', call: { tool: 'weather', input: { city: 'Bern' } } },
    { when: { tool: 'weather' }, say: 'It says: {{ result }}' },
  ],
}
const weather = tool({
  description: 'The weather.',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object' }),
  execute: async ({ city }) => `snow in ${city}`,
})

test('other people’s loops can play a script, too: streamed', async () => {
  const model = rehearsalLanguageModel(rehearse(script))
  const result = streamText({ model, prompt: 'hi', tools: { weather }, stopWhen: isStepCount(3) })
  const steps = await result.steps
  expect(steps.map(({ text }) => text)).toEqual(['Let me look.', 'It says: snow in Bern'])
  expect(steps[0]).toMatchObject({ reasoningText: 'hm', finishReason: 'tool-calls' })
  expect((await result.totalUsage).outputTokens).toBeGreaterThan(0)
})

test('and in one piece', async () => {
  const model = rehearsalLanguageModel(rehearse(script))
  const { text, steps } = await generateText({ model, prompt: 'hi', tools: { weather }, stopWhen: isStepCount(3) })
  expect(steps[0]).toMatchObject({ text: 'Let me look.', reasoningText: 'hm' })
  expect(text).toBe('It says: snow in Bern')
})

test('conditions can match the system prompt and the tools', async () => {
  const turns = [{ when: { system: 'pirate', offered: 'weather' }, say: 'Arr.' }]
  const model = rehearsalLanguageModel(rehearse({ turns }))
  expect((await generateText({ model, instructions: 'Be a pirate.', prompt: 'hi', tools: { weather } })).text).toBe(
    'Arr.',
  )
})
