import { parse } from 'jsonc-parser'
import { parse as toml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { type Entry, entryCommand, installable, loadHost } from '../../src/hosts/index.ts'
import { hasAll, withoutOurs } from '../../src/install/change.ts'
import { addEntries, readJson } from '../../src/install/edit-json.ts'
import { addTables, removeTables } from '../../src/install/edit-toml.ts'
import fc from '../support/property.ts'

const json = { comments: false, byteOrderMark: true }
const jsonc = { comments: true, byteOrderMark: true }
const entry = '/home/some one/.local/share/hookline/bin/hookline-hook'
const line = entryCommand({ entry, host: 'claude', event: 'pre_tool_use', closed: true })
const group = (command: string) => ({ matcher: '*', hooks: [{ type: 'command', command, timeout: 60 }] })
const entries: Entry[] = ['PreToolUse', 'PostToolUse', 'Stop'].map((event) => ({
  path: ['hooks', event],
  value: group(
    entryCommand({ entry, host: 'claude', event: event === 'Stop' ? 'stop' : 'pre_tool_use', closed: true }),
  ),
}))
const known = (pieces: readonly string[], created = false) => ({
  host: 'claude',
  scope: 'user',
  pieces,
  created,
  made: [],
})

/** Documents of people: any keys and values, hooks of their own, written with any blanks, comments, line ends and mark. */
const key = fc.oneof(
  fc.constantFrom('theme', 'model', 'env', 'PreToolUse', '$schema', 'é"\\'),
  fc.string({ maxLength: 5 }),
)
const plain = fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null))
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    plain,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(key, tie('any'), { maxKeys: 3 }),
  ),
})).any
const own = fc.constantFrom('true', 'echo hookline', './guard.sh || exit 2').map(group)
const hooks = fc.option(
  fc.dictionary(fc.constantFrom('PreToolUse', 'Stop', 'Other'), fc.array(own, { maxLength: 2 }), { maxKeys: 3 }),
  { nil: undefined },
)
const blank = (comments: boolean) =>
  fc
    .array(fc.constantFrom(' ', '\n', '\t', '  ', ...(comments ? ['/* c */', '// c, "x"\n'] : [])), { maxLength: 3 })
    .map((all) => all.join(''))
const documents = (comments: boolean) =>
  fc
    .tuple(
      fc.dictionary(key, value, { maxKeys: 4 }),
      hooks,
      fc.infiniteStream(blank(comments)),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([rest, own_, blanks, eol, mark, first]) => {
      const { hooks: _no, ...others } = rest as Record<string, unknown>
      const document = own_ === undefined ? others : first ? { hooks: own_, ...others } : { ...others, hooks: own_ }
      const text = written(document, () => blanks.next().value as string)
      return `${mark ? '\uFEFF' : ''}${text}`.replaceAll('\n', eol)
    })

function written(given: unknown, gap: () => string): string {
  if (Array.isArray(given)) return `[${gap()}${given.map((each) => written(each, gap) + gap()).join(`,${gap()}`)}]`
  if (typeof given !== 'object' || given === null) return JSON.stringify(given)
  const pairs = Object.entries(given).map(
    ([name, each]) => `${JSON.stringify(name)}${gap()}:${gap()}${written(each, gap)}${gap()}`,
  )
  return `{${gap()}${pairs.join(`,${gap()}`)}}`
}

describe.each([json, jsonc])('entries in a file with comments: $comments', (format) => {
  const document = documents(format.comments)

  it('go in and out again without a trace, and change nothing that was there', () => {
    fc.assert(
      fc.property(document, (text) => {
        const before = readJson(text, format)
        fc.pre(before.ok)
        const added = addEntries(text, entries)
        expect(hasAll(added.text, format, entries)).toBe(true)
        expect(readJson(added.text, format).ok).toBe(true)
        expect(withoutOurs(added.text, known(added.pieces))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('go out as they came in after somebody has changed something else', () => {
    fc.assert(
      fc.property(document, plain, (text, changed) => {
        const before = readJson(text, format)
        fc.pre(before.ok && Object.keys(before.value).some((name) => name !== 'hooks'))
        const edit = (given: string) => {
          const at = given.indexOf('{') + 1
          return `${given.slice(0, at)} "zz": ${JSON.stringify(changed)}, ${given.slice(at)}`
        }
        const added = addEntries(text, entries)
        expect(withoutOurs(edit(added.text), known(added.pieces))).toBe(edit(text))
      }),
      { numRuns: 300 },
    )
  })

  it('are found by their mark when the whole file was written anew', () => {
    fc.assert(
      fc.property(document, (text) => {
        const before = readJson(text, format)
        fc.pre(before.ok)
        const added = addEntries(text, entries)
        const anew = JSON.stringify(parse(added.text.replace(/^\uFEFF/, '')), null, 2)
        const left = readJson(withoutOurs(anew, known(added.pieces)), format)
        const { hooks: mine, ...others } = before.value as { hooks?: Record<string, unknown[]> }
        const kept = Object.fromEntries(Object.entries(mine ?? {}).filter(([, list]) => list.length > 0))
        const { hooks: now, ...rest } = (left.ok ? left.value : {}) as { hooks?: Record<string, unknown[]> }
        expect(rest).toEqual(others)
        expect(Object.fromEntries(Object.entries(now ?? {}).filter(([, list]) => list.length > 0))).toEqual(kept)
      }),
      { numRuns: 300 },
    )
  })
})

it.each([
  [json, '{ "a": 1, // x\n}', 'InvalidCommentToken'],
  [json, '{ "a": 1, }', 'PropertyNameExpected'],
  [jsonc, '{ "a": 1, }', 'PropertyNameExpected'],
  [json, '[]', 'not an object'],
  [json, '{ "hooks": {}, "hooks": {} }', 'twice'],
  [json, '{ "hooks": { "Stop": [], "Stop": [] } }', 'twice'],
  [json, '{ "a": ', 'ValueExpected'],
  [{ ...json, byteOrderMark: false }, '\uFEFF{}', 'byte-order mark'],
] as const)('%o: %s is not read, since its agent would not read it', (format, text, detail) => {
  expect(readJson(text, format)).toMatchObject({ ok: false, detail: expect.stringContaining(detail) })
})

it('the line of an entry is recognised wherever the entry lies', async () => {
  for (const name of installable) {
    const host = (await loadHost(name))!
    const files = host.setup.files('user', { home: '/h', project: '/p', env: {} }, { entry, mark: '/m' })!
    expect(files.length).toBeGreaterThan(0)
    expect(files.map((file) => JSON.stringify(file)).join('')).toContain('hookline-hook')
  }
  expect(line).toContain("'/home/some one/.local/share/hookline/bin/hookline-hook' claude pre_tool_use) && ")
})

function isToml(text: string): boolean {
  try {
    toml(text)
    return true
  } catch {
    return false
  }
}

describe('tables in TOML', () => {
  const tables = [
    { path: ['hooks', 'state', '/h/.codex/hooks.json:pre_tool_use:0:0'], values: { trusted_hash: 'sha256:1' } },
  ]
  const line_ = fc.constantFrom(
    'a = 1',
    '# comment',
    '',
    '[table]',
    'b = "x # y"',
    '[a.b]',
    'c = [1,\n 2]',
    '[hooks]',
    'd = """\n[x]\n"""',
  )
  const text = fc
    .tuple(fc.array(line_, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, eol, ends]) => (lines.join('\n') + (ends && lines.length > 0 ? '\n' : '')).replaceAll('\n', eol))

  it('go in and out again without a trace, once, and only where the file can be read', () => {
    fc.assert(
      fc.property(text, (before) => {
        const added = addTables(before, tables)
        fc.pre(isToml(before))
        if (!added.ok) throw new Error(added.detail)
        expect(added.text.startsWith(before)).toBe(true)
        expect(removeTables(added.text)).toBe(before)
        expect(addTables(added.text, tables)).toEqual(added)
      }),
      { numRuns: 500 },
    )
  })

  it('leave a file alone that cannot be read, or where they are already', () => {
    expect(addTables('a = ', tables).ok).toBe(false)
    expect(addTables('hooks = 1', tables).ok).toBe(false)
    expect(addTables('[hooks.state."/h/.codex/hooks.json:pre_tool_use:0:0"]\nx = 1', tables).ok).toBe(false)
  })
})
