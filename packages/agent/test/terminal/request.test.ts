import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Invocation } from 'hookline/internal'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import { readRequest } from '../../src/terminal/request.ts'

const yaml = 'agents:\n  root: { model: rehearsal, instruction: Help. }\n'
const digest = `sha256:${createHash('sha256').update(yaml).digest('hex')}`
const registry = createServer(({ url = '' }, response) => {
  if (url === '/v2/catalog/coder/manifests/latest') response.end(JSON.stringify({ layers: [{ digest }] }))
  else if (url === `/v2/catalog/coder/blobs/${digest}`) response.end(yaml)
  else response.writeHead(404).end()
})
let coder = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  coder = `127.0.0.1:${(registry.address() as AddressInfo).port}/catalog/coder`
})
afterAll(() => {
  vi.unstubAllEnvs()
  registry.close()
})

const read = (...positionals: string[]) => {
  const tty = { isTTY: true }
  vi.stubEnv('XDG_DATA_HOME', scratch())
  return readRequest({ values: {}, positionals, input: tty, output: tty } as unknown as Invocation)
}

it('a reference to a registry is the agent file, however long the prompt behind it is', async () => {
  for (const prompt of [[], ['hello'], ['fix', 'the', 'bug', 'in', 'the', 'parser']]) {
    const request = await read(coder, ...prompt)
    expect(readFileSync(request.file!, 'utf8')).toBe(yaml)
    expect(request.prompt).toBe(prompt.length === 0 ? undefined : prompt.join(' '))
  }
})

it('a file is the agent file by its ending or because it is one; what is not there is an error', async () => {
  const work = scratch({ 'team.yaml': yaml, notes: yaml })
  const [team, notes] = [join(work, 'team.yaml'), join(work, 'notes')]
  expect(await read(team, 'go', 'on')).toMatchObject({ file: team, prompt: 'go on' })
  expect(await read(notes, 'go')).toMatchObject({ file: notes, prompt: 'go' })
  await expect(read('gone.yaml', 'go')).rejects.toThrow('There is no agent file gone.yaml.')
})

it('words are a prompt: also those that begin with a directory of the workspace, or stand in quotes', async () => {
  // Tests run in the root of this repository.
  for (const words of [['hello'], ['packages/agent', 'is', 'slow'], ['and/or is what I mean'], ['why?', 'a/b']])
    expect(await read(...words)).toMatchObject({ file: undefined, prompt: words.join(' ') })
})

it('a reference that cannot be fetched is an error that says what to do, not a prompt', async () => {
  const gone = coder.replace('coder', 'nobody')
  await expect(read(gone, 'fix', 'the', 'bug')).rejects.toMatchObject({
    message: expect.stringContaining('404'),
    notes: [{ remedy: expect.stringContaining('in quotes') }],
  })
})
