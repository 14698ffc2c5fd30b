import { mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hooklineProcess as hookline, startHookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const payload = JSON.stringify({ event: 'pre_tool_use', tool_name: 'shell', tool_input: { command: 'ls' } })

/** A person with a journal of their own, and whatever they say about it. */
function world(journal = '') {
  const root = scratch({ 'repo/hookline.yaml': 'version: 1\nrules:\n  - deny: { run: rm }\n' })
  const env = { HOME: root, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_DATA_HOME: '' }
  const own = join(root, '.config/hookline/hooks.yaml')
  mkdirSync(dirname(own), { recursive: true })
  writeFileSync(own, `version: 1\n${journal}hooks: []\n`)
  const at = { cwd: join(root, 'repo'), env }
  return {
    journal: join(root, '.local/state/hookline/journal.jsonl'),
    dispatch: () => hookline(['dispatch'], payload, at),
    /** Killed as soon as the host can read the verdict. */
    async killed(): Promise<boolean> {
      const { child, session, ended } = startHookline(['dispatch'], at)
      child.stdout.on('data', () => child.kill('SIGKILL'))
      child.stdin.end(payload)
      await ended
      return session.stdout.endsWith('}\n')
    },
    async verified() {
      const { stdout } = await hookline(['log', 'verify', '--json'], '', at)
      return JSON.parse(stdout) as { status: string; entries: number }
    },
  }
}

describe('the journal of the command line', () => {
  it('by default: has the entry of every dispatch that has ended, and stays intact whenever one is killed', async () => {
    const { dispatch, killed, verified } = world()
    let ended = 0
    let seen = 0
    for (let round = 0; round < 6; round++) {
      if (round % 2 === 0) {
        await dispatch()
        ended++
        seen++
      } else if (await killed()) seen++
    }
    await dispatch()
    const { status, entries } = await verified()
    expect(status).toBe('intact')
    expect(entries).toBeGreaterThanOrEqual(ended + 1)
    expect(entries).toBeLessThanOrEqual(seen + 1 + 3)
  })

  it('counts what ended commands could not write, as soon as one can', async () => {
    const { dispatch, verified, journal } = world()
    await dispatch()
    renameSync(journal, `${journal}.aside`)
    mkdirSync(journal)
    for (const { stderr } of [await dispatch(), await dispatch()]) expect(stderr).toMatch(/journal/)
    rmdirSync(journal)
    renameSync(`${journal}.aside`, journal)
    await dispatch()
    expect(await verified()).toMatchObject({ status: 'intact', lost: 2 })
  })

  it('with `durability: full`, has the entry of every verdict that a host has read', async () => {
    const { killed, verified } = world('journal: { durability: full }\n')
    let seen = 0
    for (let round = 0; round < 5; round++) if (await killed()) seen++
    const { status, entries } = await verified()
    expect(['intact', 'torn']).toContain(status)
    expect(entries).toBeGreaterThanOrEqual(seen)
    expect(seen).toBeGreaterThan(0)
  })
})
