import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { paintFor } from '../../src/cli/text/paint.ts'
import { showMarkdown } from '../../src/cli/text/topics.ts'
import { problems } from '../../src/core/index.ts'
import { hookline } from '../support/cli.ts'

const page = (name: string) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8')

describe('hookline docs', () => {
  it.each([
    ['PreToolUse', 'event', 'events'],
    ['add_date', 'builtin', 'builtins'],
    ['sandbox', 'type', 'config'],
    ['dispatch', 'command', 'cli'],
  ])('%s is a section of the published page', async (topic, kind, published) => {
    const { exit, stdout } = await hookline(['docs', topic, '--json'])
    expect(exit).toBe(0)
    const [{ kind: found, markdown }] = JSON.parse(stdout) as [{ kind: string; markdown: string }]
    expect(found).toBe(kind)
    expect(page(published)).toContain(markdown)
  })

  it('a word that means several things shows them all', async () => {
    const { stdout } = await hookline(['docs', 'security'])
    expect(stdout.match(/^#+ security .*$/gm)).toEqual(['## security (builtin)', '## security (bundle)'])
    expect(stdout).toContain('`security:self-protection`')
  })

  it('a bundle shows its rules, its parameters and how they are set', async () => {
    const { stdout } = await hookline(['docs', 'secret-files'])
    for (const part of ['secret-files:own-files', 'More files that hold secrets here', 'bundle: secret-files'])
      expect(stdout).toContain(part)
  })

  it('an error code has its message and its remedy', async () => {
    const { stdout } = await hookline(['docs', 'unknown-event'])
    expect(stdout).toMatch(/Unknown event[\s\S]*What to do: A hook on an event nobody raises never fires/)
  })

  it('every code has a page, also in the spelling in which it is shown', async () => {
    const topics = JSON.parse((await hookline(['docs', '--json'])).stdout) as { kind: string; name: string }[]
    expect(topics.filter(({ kind }) => kind === 'error').map(({ name }) => name)).toEqual(Object.keys(problems))
    const [shown, plain] = await Promise.all([
      hookline(['docs', 'HL-program-missing']),
      hookline(['docs', 'program-missing']),
    ])
    expect(shown).toEqual(plain)
    expect(shown.exit).toBe(0)
  })

  it('a dialect lists what it calls the events', async () => {
    expect((await hookline(['docs', 'starchild'])).stdout).toContain('| pre_tool_use |')
  })

  it('lists every topic, and every topic has a page', async () => {
    const { stdout } = await hookline(['docs', '--json'])
    const topics = JSON.parse(stdout) as { kind: string; name: string }[]
    expect(new Set(topics.map(({ kind }) => kind)).size).toBe(9)
    const { topicKinds } = await import('../../src/cli/text/topics.ts')
    const { commands } = await import('../../src/cli/commands/index.ts')
    const kinds = topicKinds(commands)
    for (const { kind, name } of topics)
      expect(await kinds[kind]!.page(name), `${kind} ${name}`).toMatch(/^#+ .+\n\n\S/)
  })

  it('suggests the topic that was meant', async () => {
    const { exit, stderr } = await hookline(['docs', 'matcher-ded'])
    expect(exit).toBe(64)
    expect(stderr).toContain('Did you mean `matcher-dead`?')
  })
})

describe('a page on a terminal', () => {
  const terminal = { isTTY: true }
  const markdown =
    '## stop\n\nA hook `ends` it.\n\n| field | |\n|---|---|\n| `a` | one two three four five six seven eight nine ten |\n'

  it('is laid out, and no line is wider than the terminal', () => {
    const shown = showMarkdown(markdown, paintFor(terminal, { NO_COLOR: '1' }), 40)
    expect(shown.split('\n').every((line) => line.length <= 40)).toBe(true)
    expect(shown).not.toMatch(/[#|`]/)
  })

  it('has colours, but not in a pipe, not with NO_COLOR and not on a dumb terminal', () => {
    const coloured = (stream: object, env: NodeJS.ProcessEnv) => paintFor(stream, env).red('x') !== 'x'
    expect(coloured(terminal, {})).toBe(true)
    expect(coloured({}, {})).toBe(false)
    expect(coloured(terminal, { NO_COLOR: '1' })).toBe(false)
    expect(coloured(terminal, { NO_COLOR: '' })).toBe(true)
    expect(coloured(terminal, { TERM: 'dumb' })).toBe(false)
  })
})
