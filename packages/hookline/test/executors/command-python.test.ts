import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHooks } from '../../src/hooks/index.ts'
import { scratch } from '../support/scratch.ts'

const sender = fileURLToPath(new URL('../../shims/proxied.mjs', import.meta.url))

function send(url: string, allow: string) {
  const request = { method: 'POST', url, headers: { 'SC-CALLER-ID': 'chat:hook' }, body: '{"a":1}', timeout: 10 }
  const env = { ...process.env, HOOKLINE_HTTP_ALLOW: allow }
  return spawnSync(process.execPath, [sender], { input: JSON.stringify(request), env, encoding: 'utf8' })
}

/** The server of the test answers in this process, so that nothing may block it. */
function sendAsync(url: string, allow: string): Promise<string> {
  const child = spawn(process.execPath, [sender], { env: { ...process.env, HOOKLINE_HTTP_ALLOW: allow } })
  child.stdin.end(JSON.stringify({ method: 'POST', url, headers: {}, body: '{"a":1}', timeout: 30 }))
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  return new Promise((resolve) => child.on('close', () => resolve(printed)))
}

describe('what is lent to scripts of Starchild', () => {
  it('their PYTHONPATH has core.http_client, behind what they name themselves', async () => {
    const block = `sh -c 'printf "{\\"decision\\":\\"block\\",\\"reason\\":\\"%s\\"}" "$PYTHONPATH"'`
    const text = JSON.stringify({ hooks: [{ event: 'pre_tool_call', command: block }] })
    const hooks = await createHooks({
      files: [{ file: 'shell_hooks.yaml', layer: 'code', dialect: 'starchild', text }],
      journal: false,
    })
    onTestFinished(() => hooks.close())
    const { decision } = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: { command: 'ls' } })
    const lent = decision?.reason.split(':').at(-1) ?? ''
    expect(existsSync(join(lent, 'core', 'http_client.py'))).toBe(true)
  })

  it('requests leave only to hosts of the list, and to this machine only where its origin is named', async () => {
    const server = createServer((_request, response) => response.end('{"ok":true}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(send('https://example.com/', '')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not a host'),
    })
    expect(send(`${origin}/chat`, '127.0.0.1').status).toBe(1)
    const answer = await sendAsync(`${origin}/chat`, origin)
    expect(JSON.parse(answer)).toMatchObject({ status: 200, body: '{"ok":true}' })
  })

  it.runIf(spawnSync('python3', ['--version']).status === 0)(
    'a script that imports it sends through the guard, and what comes back decides',
    async () => {
      const received: string[] = []
      const server = createServer((request, response) => {
        request.on('data', (chunk) => received.push(String(chunk)))
        request.on('end', () => response.end('{"verdict":"This spends money."}'))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const cwd = scratch({
        'ask.py': [
          'import json, sys',
          'from core.http_client import proxied_post',
          'event = json.load(sys.stdin)',
          'try:',
          `    answer = proxied_post("${origin}/chat", json={"tool": event["tool_name"]}, headers={"SC-CALLER-ID": "chat:hook"})`,
          '    print(json.dumps({"decision": "block", "reason": answer.json()["verdict"]}))',
          'except ConnectionError as problem:',
          '    print(json.dumps({"decision": "block", "reason": str(problem)}))',
        ].join('\n'),
      })
      const command = `python3 ${join(cwd, 'ask.py')}`
      const reason = async () => {
        const text = JSON.stringify({ hooks: [{ event: 'pre_tool_call', command, timeout: 60 }] })
        const hooks = await createHooks({
          files: [{ file: 'shell_hooks.yaml', layer: 'code', dialect: 'starchild', text }],
          journal: false,
        })
        onTestFinished(() => hooks.close())
        const { decision } = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: { command: 'ls' } })
        return decision?.reason
      }
      expect(await reason()).toContain('is not a host that hooks may reach')
      expect(received).toEqual([])
      // The person who runs the agent names it, never the file.
      vi.stubEnv('HOOKLINE_HTTP_ALLOW', origin)
      onTestFinished(() => void vi.unstubAllEnvs())
      // One reading of the environment serves for a second.
      await expect.poll(reason).toContain('This spends money.')
      expect(received).toEqual(['{"tool": "bash"}'])
    },
  )
})

describe('where Starchild has its files', () => {
  it('config/shell_hooks.yaml is found, and the switch in config/agent.yaml turns it off', async () => {
    const hooks = 'hooks:\n  - { event: pre_tool_call, command: /bin/true }\n'
    const at = async (files: Record<string, string>) => {
      const { discover } = await import('../../src/config/index.ts')
      const { loadHooks } = await import('../../src/hooks/index.ts')
      const cwd = scratch(files)
      const found = discover({ cwd, home: scratch(), untrustedWriter: () => undefined })
      const loaded = await loadHooks({ files: found })
      return loaded.hooks.map(({ dialect, enabled }) => `${dialect} ${enabled}`)
    }
    expect(await at({ 'config/shell_hooks.yaml': hooks })).toEqual(['starchild true'])
    const off = { 'config/shell_hooks.yaml': hooks, 'config/agent.yaml': 'shell_hooks: { enabled: false }\n' }
    expect(await at(off)).toEqual(['starchild false'])
  })
})
