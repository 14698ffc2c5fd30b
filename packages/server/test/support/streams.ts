import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { startHookline } from '../../../hookline/test/support/cli.ts'
import { createClient } from '../../src/client.ts'
import type { TestServer } from './server.ts'

/**
 * In each round somebody follows a session at another server of the same database, while both servers publish; that server is killed,
 * and they go on at this one. Gives back what was acknowledged, and what they heard.
 */
export async function followKilled(server: TestServer, database: string, id: string, rounds: number) {
  const acknowledged: string[] = []
  const heard: { id: string; text: string }[] = []
  let count = 0
  const say = async (url: string, token: string) => {
    const text = `word ${++count}`
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/sessions/${id}/steer`, {
      ...{ method: 'POST', headers, body: JSON.stringify({ text }) },
    }).catch(() => undefined)
    if (response?.status === 202) acknowledged.push(text)
  }

  for (let round = 0; round < rounds; round += 1) {
    const other = await startOther()
    // The token of a run is known to its server alone; and each may only change so much.
    const { secret: token } = await createClient(server).makeToken({ body: { name: 'a program', role: 'operator' } })
    const { secret: second } = await createClient(server).makeToken({ body: { name: 'another', role: 'operator' } })
    let [address, isOver] = [other.url, false]
    const balanced: typeof fetch = (input, init) => fetch(String(input).replace(server.url, address), init)
    const leaving = new AbortController()
    const listening = (async () => {
      const stream = createClient({ url: server.url, token, fetch: balanced }).sessionEvents(
        { params: { id }, query: { after: heard.at(-1)?.id ?? '0', types: 'turn.steered' } },
        { signal: leaving.signal },
      )
      for await (const { id: number, data } of stream) heard.push({ id: number, text: (data as { text: string }).text })
    })()
    const writing = [
      { url: other.url, by: token },
      { url: server.url, by: second },
    ].map(async ({ url, by }) => {
      for (let times = 0; times < 50 && !isOver; times += 1) {
        await say(url, by)
        await delay(20)
      }
    })
    const before = heard.length
    await expect.poll(() => heard.length, { interval: 5 }).toBeGreaterThan(before + 10)
    await other.kill()
    address = server.url
    await expect.poll(() => heard.length, { interval: 5 }).toBeGreaterThan(before + 20)
    isOver = true
    await Promise.all(writing)
    await expect.poll(() => acknowledged.filter((text) => !heard.some((each) => each.text === text))).toEqual([])
    leaving.abort()
    await listening
  }
  return { acknowledged, heard }

  async function startOther() {
    const args = ['serve', '--listen', '127.0.0.1:0', '--json', '--journal', join(server.root, 'other.jsonl')]
    const env = { ...process.env, HOOKLINE_DATABASE: database, NO_COLOR: '1' }
    const { child } = startHookline(args, { cwd: server.root, env })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout!, 'data')) as [Buffer]
    return {
      ...(JSON.parse(String(line)) as { url: string }),
      async kill() {
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
    }
  }
}
