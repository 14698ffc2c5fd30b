import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundles } from '../../src/builtins/bundles/index.ts'
import { loadConfig, readConfig } from '../../src/config/index.ts'
import { formatNote, HooklineError } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { remove, scratch } from '../support/scratch.ts'

const fixtures = (kind: string) => fileURLToPath(new URL(`fixtures/${kind}/`, import.meta.url))
const samples = async (kind: string) =>
  (await readdir(fixtures(kind)))
    .filter((name) => /\.(yaml|jsonc?)$/.test(name))
    .map((name) => join(fixtures(kind), name))

/** As text, with the path cut to its name, so that it reads the same on every machine. */
const formatNotes = (file: string, notes: readonly Parameters<typeof formatNote>[0][]) =>
  notes.map((note) => `${note.code}\n  ${formatNote(note).replaceAll(file, basename(file))}\n`).join('')

describe('golden samples', async () => {
  for (const file of await samples('broken'))
    test(`${basename(file)} reports each problem at its line and column`, async () => {
      const config = await readConfig(file, { layer: 'project', dialect: 'native' })
      expect(config.problems.length).toBeGreaterThan(0)
      const text = `${formatNotes(file, config.problems)}${formatNotes(file, config.notes)}${config.hooks.length} loaded\n`
      await expect(text).toMatchFileSnapshot(`${file}.txt`)
    })

  for (const file of await samples('good'))
    test(`${basename(file)} loads`, async () => {
      const config = await loadConfig(file, { layer: 'project', dialect: 'native' })
      expect(config.notes).toEqual([])
      const hooks = JSON.stringify(config.hooks, null, 2).replaceAll(file, basename(file))
      await expect(`${hooks}\n`).toMatchFileSnapshot(join(fixtures('good'), `${basename(file)}.txt`))
    })
})

describe('strictness', () => {
  const text =
    'version: 1\nhooks:\n  - { event: stop, run: ./a.sh }\n  - { event: stpo, run: ./b.sh }\n  - { event: stop }\n'

  test('strict is the default: one error lists every problem with its place', async () => {
    const error = await loadConfig('hookline.yaml', { layer: 'user', text }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HooklineError)
    expect(error).toMatchObject({ code: 'config-refused' })
    expect((error as HooklineError).notes.map((note) => note.code)).toEqual(['unknown-event', 'config-shape'])
    expect((error as Error).message).toContain('2 problem(s) in hookline.yaml')
    expect((error as Error).message).toContain('hookline.yaml:4:7: Unknown event `stpo`. Did you mean `stop`?')
    expect((error as Error).message).toContain('hookline.yaml:5:5: `hooks[2].run` is missing.')
  })

  test('lenient keeps the good entries and notes each broken one', async () => {
    const config = await loadConfig('hookline.yaml', { layer: 'user', text, strict: false })
    expect(config.hooks.map((hook) => hook.id)).toEqual(['stop_1'])
    expect(config.notes.map((note) => [note.code, note.where?.line])).toEqual([
      ['entry-skipped', 4],
      ['entry-skipped', 5],
    ])
  })

  test('lenient never turns an unreadable file into silence', async () => {
    for (const broken of ['', 'version: 1\nhooks: [', 'version: 7\nhooks: []']) {
      const config = await loadConfig('hookline.yaml', { layer: 'user', text: broken, strict: false })
      expect(config.hooks).toEqual([])
      expect(config.notes).toHaveLength(1)
    }
  })
})

describe('files', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hookline-config-'))
  })
  afterAll(() => remove(directory))
  const codes = async (file: string) => (await readConfig(file, { layer: 'user' })).problems.map((note) => note.code)

  test('a missing file is reported', async () => {
    expect(await codes(join(directory, 'hookline.yaml'))).toEqual(['config-missing'])
  })

  test('a directory, a device and text that is not UTF-8 are unreadable', async () => {
    const latin = join(directory, 'hookline.latin.yaml')
    await writeFile(latin, Buffer.from([0x76, 0xe9, 0x0a]))
    for (const file of [directory, '/dev/zero', latin]) expect(await codes(file)).toEqual(['config-unreadable'])
  })

  test('a file over the limit is refused without being read', async () => {
    const file = join(directory, 'hookline.huge.yaml')
    await writeFile(file, Buffer.alloc(5 * 1024 * 1024, '#'))
    expect(await codes(file)).toEqual(['config-too-large'])
  })

  test('a byte order mark and CRLF do not move the places', async () => {
    const file = join(directory, 'hookline.crlf.yaml')
    await writeFile(file, '\ufeffversion: 1\r\nhooks:\r\n  - event: stop\r\n    rnu: x\r\n')
    const { problems } = await readConfig(file, { layer: 'user' })
    expect(problems.map(({ where }) => [where?.line, where?.column])).toEqual([
      [3, 5],
      [4, 5],
    ])
  })
})

describe('hostile input', () => {
  const read = (text: string, file = 'hookline.yaml') => readConfig(file, { layer: 'project', text, dialect: 'native' })

  test('an alias bomb is refused, however few bytes it has', async () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const name = String.fromCharCode(98 + level)
      const below = String.fromCharCode(97 + level)
      return `${name}: &${name} [${Array(9).fill(`*${below}`).join(', ')}]`
    })
    const { problems } = await read(`a: &a [x]\n${levels.join('\n')}\n`)
    expect(problems.map((note) => note.code)).toEqual(['config-too-large'])
  })

  test('what contains itself or is nested without end is refused', async () => {
    const deep = 30_000
    for (const [text, file] of [
      ['version: 1\nhooks: &a [*a]\n', 'hookline.yaml'],
      [`${'['.repeat(deep)}${']'.repeat(deep)}`, 'hookline.json'],
      [`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 'hookline.json'],
      [`${'[ '.repeat(3_000)}${']'.repeat(3_000)}`, 'hookline.yaml'],
    ] as const) {
      const { problems } = await read(text, file)
      expect(problems.map((note) => note.code)).toEqual(['config-syntax'])
    }
  })

  test('more than 10,000 hooks are refused', async () => {
    const hooks = Array.from({ length: 10_001 }, () => ({ event: 'stop', run: 'x' }))
    const { problems, hooks: loaded } = await read(JSON.stringify({ version: 1, hooks }), 'hookline.json')
    expect(problems.map((note) => note.code)).toEqual(['config-too-large'])
    expect(loaded).toEqual([])
  })

  test('mappings merged into each other without end are refused, and many of them cost little', async () => {
    const levels = Array.from(
      { length: 40 },
      (_, level) => `l${level + 1}: &l${level + 1} { <<: [*l${level}, *l${level}] }`,
    )
    const { problems } = await read(`version: 1\nhooks: []\nl0: &l0 { a: 1 }\n${levels.join('\n')}\n`)
    expect(new Set(problems.map((note) => note.code))).toEqual(new Set(['config-unknown-key']))
    const endless = await read('version: 1\nhooks: &a\n  <<: *a\n')
    expect(endless.problems.map((note) => note.code)).toEqual(['config-syntax'])
  })

  test('an anchor that is set twice is refused: readers disagree on what its aliases mean', async () => {
    const { problems } = await read('version: 1\nhooks: []\na: &x 1\nb: &x 2\n')
    expect(problems.map(({ code, where }) => [code, where?.line])).toEqual([['config-syntax', 4]])
  })
})

test.each([
  ['hookline.yaml', 'version: 1\nhooks: [{ event: pre_tool_use, matcher: { tool: "sh(ell" }, run: x }]'],
  ['crush.json', '{"hooks":{"PreToolUse":[{"matcher":"sh(ell","command":"x"}]}}'],
  [
    'agent.yaml',
    'agents: { root: { hooks: { pre_tool_use: [{ matcher: "sh(ell", hooks: [{ type: command, command: x }] }] } } }',
  ],
  ['pydantic-deep.json', '{"hooks":[{"event":"pre_tool_use","matcher":"sh(ell","command":"x"}]}'],
  ['shell_hooks.yaml', 'hooks: [{ event: pre_tool_call, matcher: "sh(ell", command: /bin/true }]'],
  [
    'everruns.json',
    '{"hooks":[{"event":"pre_tool_use","matcher":{"args_jsonpath":"$.a","match_regex":"sh(ell"},"executor":{"type":"bash","command":"x"}}]}',
  ],
])('the first line of the error that refuses %s says what is wrong, and where', async (file, text) => {
  const path = join(scratch({ [file]: text }), file)
  const error = await createHooks({ config: path }).catch((thrown: Error) => thrown)
  expect((error as Error).message.split('\n')[0]).toMatch(
    /^The hooks were not loaded: .*:\d+:\d+: matcher: not a valid regex: missing closing \): `sh\(ell`/,
  )
})

test('`<<` brings the keys of another mapping that are not written here, at their places', async () => {
  const text = `version: 1
hooks:
  - &first { event: stop, run: one, timeout: 5s }
  - { <<: *first, run: two }
  - { <<: [{ run: three }, *first], timeout: soon }
`
  const { hooks, problems } = await readConfig('hookline.yaml', { layer: 'user', text, dialect: 'native' })
  expect(hooks.map(({ event, run, timeoutMs }) => [event, run['command'], timeoutMs])).toEqual([
    ['stop', 'one', 5_000],
    ['stop', 'two', 5_000],
  ])
  expect(problems.map(({ where }) => where?.line)).toEqual([5])
})

test('JSONC may have trailing commas, JSON may not', async () => {
  const text = '{ "version": 1, "hooks": [], }'
  const codes = async (file: string) =>
    (await readConfig(file, { layer: 'user', text })).problems.map((note) => note.code)
  expect(await codes('hookline.jsonc')).toEqual([])
  expect(await codes('hookline.json')).toEqual(['config-syntax'])
})

describe('the dialect of a file', () => {
  test('is recognised by the name or the shape of the file', async () => {
    const byShape = await readConfig('team.yaml', { layer: 'user', text: 'version: 1\nhooks: []\n' })
    expect(byShape).toMatchObject({ dialect: 'native', problems: [] })
  })

  test.each([
    ['use: [security]\n', ['config-shape']],
    ['version: 1\nuse: [security]\n', []],
    ['version: 1\nrules:\n  - deny: { run: rm -rf / }\n', []],
    ['rules:\n  - denny: { run: rm -rf / }\n', ['config-shape', 'config-shape', 'config-unknown-key']],
  ])('is native when it only uses bundles or has rules, whatever the file is called: %j', async (text, codes) => {
    const config = await readConfig('team.yaml', { layer: 'user', text, bundles })
    expect(config.dialect).toBe('native')
    expect(config.problems.map((note) => note.code).toSorted()).toEqual(codes.toSorted())
  })

  test('is a problem when nothing identifies it, or when it does not exist', async () => {
    const unclear = await readConfig('other.yaml', { layer: 'user', text: 'colour: blue\n' })
    expect(unclear.problems.map((note) => note.code)).toEqual(['config-dialect'])
    const unknown = await readConfig('other.yaml', { layer: 'user', text: 'a: 1\n', dialect: 'natve' })
    expect(unknown.problems[0]?.message).toContain('Did you mean `native`?')
  })
})

test('a part of a hook is found from the hook', async () => {
  const text = 'version: 1\nhooks:\n  - event: stop\n    run:\n      type: command\n      command: ./a.sh\n'
  const { hooks, locateIn } = await loadConfig('hookline.yaml', { layer: 'user', text })
  expect(locateIn(hooks[0]!, ['run', 'command'])).toEqual({ file: 'hookline.yaml', line: 6, column: 7 })
  expect(locateIn(hooks[0]!, ['run', 'absent'])).toEqual({ file: 'hookline.yaml', line: 4, column: 5 })
  expect(locateIn({ ...hooks[0]!, origin: { layer: 'code' } }, ['run'])).toBeUndefined()
  expect(extname(hooks[0]!.origin.where!.file)).toBe('.yaml')
})
