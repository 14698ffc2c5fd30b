import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundles } from '../../src/builtins/bundles/index.ts'
import { createHooks, type HooksOptions } from '../../src/hooks/index.ts'
import { scratch } from '../support/scratch.ts'

async function hooksOf(options: HooksOptions) {
  const hooks = await createHooks(options)
  onTestFinished(() => hooks.close())
  return hooks
}

const shell = (command: string) => ({ session_id: 's', tool_name: 'shell', tool_input: { command } })

describe('bundles', () => {
  it.each(Object.keys(bundles))('%s loads with its defaults, its ids under its name', async (name) => {
    const { hooks, notes } = await hooksOf({ use: [name] })
    expect(notes).toEqual([])
    expect(hooks.every((hook) => hook.id.startsWith(`${name}:`))).toBe(true)
  })

  it('a config uses one by name, and its hooks come before its own', async () => {
    const directory = scratch({
      'hookline.yaml': 'version: 1\nuse: [security]\nhooks:\n  - { id: own, event: turn_start, run: exit 0 }\n',
    })
    const hooks = await hooksOf({ config: join(directory, 'hookline.yaml') })
    expect(hooks.hooks.at(-1)?.id).toBe('own')
    expect((await hooks.raise('pre_tool_use', shell('rm -rf /'))).decision?.ruling).toBe('deny')
  })

  it('`hooks` may be left out beside `use`', async () => {
    const directory = scratch({ 'hookline.yaml': 'version: 1\nuse: [audit]\n' })
    expect((await hooksOf({ config: join(directory, 'hookline.yaml') })).hooks.length).toBeGreaterThan(0)
  })

  it('parameters reach the hooks; one that does not exist is a problem at its line', async () => {
    const hooks = await hooksOf({ use: [{ bundle: 'security', with: { mode: 'warn' } }] })
    expect((await hooks.raise('pre_tool_use', shell('mkfs.ext4 /dev/sda1'))).decision?.ruling).not.toBe('deny')
    const directory = scratch({ 'hookline.yaml': 'version: 1\nuse:\n  - { bundle: security, with: { moed: warn } }\n' })
    await expect(createHooks({ config: join(directory, 'hookline.yaml') })).rejects.toThrow(
      /hookline\.yaml:3:\d+: .*moed.*Did you mean `mode`\?/,
    )
  })

  it('is muted hook by hook, or by pattern; a muted hook is shown as disabled', async () => {
    const hooks = await hooksOf({ use: ['security'], disabled: ['security:*'] })
    const verdict = await hooks.raise('pre_tool_use', shell('rm -rf /'))
    expect(verdict.decision).toBeUndefined()
    expect(verdict.reports.every((report) => report.skipped?.reason === 'disabled')).toBe(true)
  })

  it('a pattern that mutes nothing is noted', async () => {
    const { notes } = await hooksOf({ use: ['security'], disabled: ['securty:*'] })
    expect(notes.map((note) => note.code)).toEqual(['mutes-nothing'])
  })

  it('an unknown one is a problem with a suggestion', async () => {
    await expect(createHooks({ use: ['securty'] })).rejects.toThrow(/no bundle `securty`. Did you mean `security`\?/)
  })

  it('is shared as one file, with parameters', async () => {
    const directory = scratch({
      'team.bundle.yaml': [
        'name: team',
        'doc: What our team agreed on.',
        'parameters:',
        '  tool: { doc: Which tool, default: shell }',
        '  url: { doc: Where to report }',
        'hooks:',
        '  - { id: no-tool, event: pre_tool_use, matcher: { tool: $tool }, run: { type: command, command: exit 2 } }',
        '  - { id: report, event: stop, needs: [url], run: { type: http, url: $url } }',
      ].join('\n'),
      'hookline.yaml': 'version: 1\nuse:\n  - { bundle: ./team.bundle.yaml, with: { tool: fetch } }\n',
    })
    const hooks = await hooksOf({ config: join(directory, 'hookline.yaml') })
    expect(hooks.hooks.map((hook) => hook.id)).toEqual(['team:no-tool'])
    expect((await hooks.raise('pre_tool_use', { ...shell('x'), tool_name: 'fetch' })).decision?.ruling).toBe('deny')
    expect((await hooks.raise('pre_tool_use', shell('x'))).decision).toBeUndefined()
  })

  it.each([
    ['name: team\nhooks: []\nrulez: []\n', /unknown key `rulez`/],
    ['name: team\nrules: 7\n', /`rules` must be a list/],
    ['name: team\nparameters: { a: { values: 5 } }\nhooks: []\n', /`values` of a parameter must be a list/],
    ['name: team\nrules: [{ id: a, deny: { run: x }, ruling: aks }]\n', /aks/],
    ['hooks: []\n', /no `name`/],
    ['name: team\nhooks: [{ event: stop }]\n', /must have an `id`/],
    ['name: team\nhooks: [{ id: a, event: stopp, run: x }]\n', /Did you mean `stop`\?/],
    ['name: [\n', /not valid YAML/],
  ])('a broken file is a problem: %j', async (text, words) => {
    const directory = scratch({ 'b.yaml': text, 'hookline.yaml': 'version: 1\nuse: [./b.yaml]\n' })
    await expect(createHooks({ config: join(directory, 'hookline.yaml') })).rejects.toThrow(words)
  })
})
