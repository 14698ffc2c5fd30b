import { expect, it } from 'vitest'
import { outletKinds } from '../src/outlets/kinds.ts'

it('a chat gets hundreds of alerts in one message that it takes, and reads how many there are', async () => {
  const time = '2026-01-01T00:00:00.000Z'
  const alerts = Array.from({ length: 500 }, (_, at) => ({
    ...{ id: String(at), kind: 'quiet' as const, title: 'A machine has gone quiet', severity: 6, about: `m_${at}` },
    ...{ detail: 'x'.repeat(200), raised: time, last: time, count: 1, ended: null },
  }))
  const bodies: string[] = []
  await outletKinds.slack.send(
    { alerts, decisions: [] },
    { url: 'https://chat.example/hook' },
    async (_url, { body }) => {
      bodies.push(body)
      return { ok: true, status: 200 }
    },
  )
  expect(bodies).toHaveLength(1)
  const { text } = JSON.parse(bodies[0]!) as { text: string }
  // Slack refuses more: https://api.slack.com/changelog/2018-04-truncating-really-long-messages
  expect(text.length).toBeLessThan(40_000)
  expect(text).toContain('(m_0)')
  expect(text).toMatch(/and 460 more/)
})
