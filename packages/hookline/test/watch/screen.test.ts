import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline, startHookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'
import { screen } from '../support/screen.ts'

const config = `version: 1
rules:
  - id: no-force
    deny: { run: git push --force }
  - id: sure
    ask: { run: npm publish }
`

/** A person with a home of their own, a project, and agents that work in it. */
function world() {
  const root = scratch({ 'shop/hookline.yaml': config })
  const cwd = join(root, 'shop')
  const env = {
    HOME: join(root, 'home'),
    XDG_CONFIG_HOME: join(root, 'home/.config'),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_DATA_HOME: join(root, 'data'),
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
    LC_ALL: '',
  }
  return {
    watch: (options: Parameters<typeof screen>[1] = {}) =>
      screen(['watch'], { cwd, ...options, env: { ...env, ...options.env } }),
    stream: () => startHookline(['watch', '--json'], { cwd, env }),
    run: (...args: string[]) => hookline(args, '', { cwd, env }),
    async call(command: string, host = 'codex') {
      const payload = {
        ...{ session_id: 's1', cwd, hook_event_name: 'PreToolUse', permission_mode: 'default' },
        ...{ tool_name: 'Bash', tool_input: { command } },
      }
      return (await hookline(['dispatch', '--host', host], JSON.stringify(payload), { cwd, env })).stdout
    },
  }
}

describe('watch without a daemon', () => {
  it('shows what was decided before and what is decided now, and gives the terminal back', async () => {
    const { watch, call } = world()
    await call('git push --force origin main')
    const shown = watch({ columns: 120 })
    await shown.shows(/1 agent · 1 decision · 1 blocked · 0 waiting · 0 failed open +q quit {2}\/ filter {2}\? keys/)
    await shown.shows(/\d\d:\d\d:\d\d {2}codex {2}shop {2}✗ git push --force origin main +no-force +\d+(\.\d)? ms/)
    expect(shown.isFull()).toBe(true)
    await call('npm test', 'claude')
    await shown.shows(/claude +shop {2}· npm test/)
    expect(shown.text().indexOf('npm test')).toBeLessThan(shown.text().indexOf('--force'))
    await call('npm publish')
    await shown.shows(/codex +shop {2}✗ npm publish +nobody to ask/)
    shown.types('/')
    await shown.shows(/^ \/$/m)
    shown.types('blocked force\r')
    await shown.shows((text) => text.includes('only: blocked force') && !text.includes('npm test'))
    shown.types('\x1b')
    await shown.shows('npm test')
    shown.types('?')
    await shown.shows('yes, this once')
    shown.types('q')
    expect((await shown.ended()).exit).toBe(0)
    expect(shown.isFull()).toBe(false)
  })

  it('fits 60 columns and what it is resized to, and needs neither colour nor UTF-8', async () => {
    const { watch, call } = world()
    await call('git push --force origin main && echo 你好 你好 你好 你好 你好 你好 你好 你好')
    const shown = watch({ columns: 60, rows: 12, env: { LANG: 'C', LC_ALL: 'C' } })
    await shown.shows(/^ 1 agent - 1 decision - 1 blocked - 0 waiting/m)
    await shown.shows(/codex {2}x git push --force/)
    expect(shown.text()).toMatch(/^[\n\x20-\x7e]*$/)
    for (const [columns, rows] of [
      [200, 30],
      [41, 8],
    ] as const) {
      shown.resizes({ columns, rows })
      await shown.shows((text) => /codex/.test(text) && (columns < 100 || /q quit/.test(text)))
      // What is too long is cut off, and never begins another line.
      expect(shown.lines().filter((line) => /force/.test(line))).toHaveLength(1)
    }
    shown.types('\x03')
    expect((await shown.ended()).exit).toBe(0)
  })

  it('streams one JSON object for each thing that happens, once; log and replay know agents by the names of hosts', async () => {
    const { stream, call, run } = world()
    const { child, session, ended } = stream()
    const lines = () =>
      session.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    await expect.poll(() => lines().length, { timeout: 60_000 }).toBeGreaterThan(0)
    await call('git push --force', 'claude')
    await call('npm publish')
    const decisions = () => lines().filter(({ type }) => type === 'decision').length
    await expect.poll(decisions, { timeout: 60_000 }).toBeGreaterThan(1)
    child.kill('SIGINT')
    await ended
    expect(lines().filter(({ type }) => type === 'daemon')).toEqual([{ type: 'daemon', running: false }])
    const logged = (await run('log', '--host', 'claude', '--json')).stdout
    expect([logged.includes('push --force'), logged.includes('npm publish')]).toEqual([true, false])
    expect(JSON.parse((await run('replay', '--host', 'claude', '--json')).stdout)).toMatchObject({ unchanged: 1 })
  })

  it('shows hostile text as text, and no secret', async () => {
    const { watch, call } = world()
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
    await call(`git push --force \x1b]0;owned\x07\x1b[2J\u202e\nq y ${secret}`)
    const shown = watch({ columns: 160 })
    await shown.shows(/\\u\{1b\}\]0;owned/)
    expect(shown.text()).toContain('\\u{202e}')
    expect(shown.text()).not.toContain(secret)
    expect(shown.lines().filter((line) => /codex {2}/.test(line))).toHaveLength(1)
    shown.types('q')
    await shown.ended()
  })
})
