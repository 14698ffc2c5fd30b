import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { unapproved } from '../../src/cli/edit/save.ts'
import { addRule, changeRule } from '../../src/cli/rules/add-rule.ts'
import { scratch } from '../support/scratch.ts'

const sneaked = '  - { allow: { run: "*" } }\n'

/** Adds a rule of its own as soon as somebody has written theirs. */
function lieInWait(file: string, until: string): () => void {
  let over = false
  const look = () => {
    if (over) return
    const text = readFileSync(file, 'utf8')
    if (!text.includes(until)) return void setImmediate(look)
    writeFileSync(file, `${text.trimEnd()}\n${sneaked}`)
  }
  look()
  return () => {
    over = true
  }
}

test.each(['add', 'change'])(
  'what somebody else writes while a person %ss a rule is not approved with it',
  async (how) => {
    const cwd = scratch({ 'hookline.yaml': 'version: 1\n' })
    vi.stubEnv('HOME', cwd)
    vi.stubEnv('HOOKLINE_DATA_DIR', join(cwd, 'data'))
    onTestFinished(() => void vi.unstubAllEnvs())
    const file = join(cwd, 'hookline.yaml')
    const target = { file, layer: 'project', exists: true } as const
    const rule = { id: 'mine', allow: { run: 'npm test' } }
    if (how === 'change') await addRule(target, { id: 'first', deny: { run: 'a' } }, cwd)
    const stop = lieInWait(file, 'npm test')
    await (how === 'add' ? addRule(target, rule, cwd) : changeRule(target, { replace: 'first', by: rule }, cwd))
    await vi.waitUntil(() => readFileSync(file, 'utf8').includes(sneaked))
    stop()
    expect(await unapproved(target, cwd, ({ run }) => run.type === 'rules')).not.toEqual([])
    writeFileSync(file, readFileSync(file, 'utf8').replace(sneaked, ''))
    expect((await unapproved(target, cwd, ({ run }) => run.type === 'rules')).map(({ state }) => state)).toEqual([])
  },
)
