import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import fc from '../../hookline/test/support/property.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { ignoreFile, ignoreNothing } from '../src/tools/files/files.ts'
import { bench } from './tools-support.ts'

const files = (content: Record<string, string> = {}, more: object = {}) =>
  bench([{ type: 'filesystem', ...more }], content)

describe('reading', () => {
  it('gives the text', async () => {
    const { call } = await files({ 'a.txt': 'one\ntwo\n' })
    expect(await call('read_file', { path: 'a.txt' })).toEqual({ content: 'one\ntwo' })
  })

  it('gives a part, and how to read on', async () => {
    const { call } = await files({ 'a.txt': Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join('\n') })
    const { content } = await call('read_file', { path: 'a.txt', offset: 3, limit: 2 })
    expect(content).toBe('line 3\nline 4\n\n(6 more lines. Go on with offset 5.)')
    expect((await call('read_file', { path: 'a.txt', offset: 99 })).content).toMatch(/only 10 lines/)
  })

  it('a page and its hint are within what a result may be, so that no hook cuts off where it begins', async () => {
    const { call } = await files({
      'many.txt': Array.from({ length: 5_000 }, (_, at) => `${at + 1}`).join('\n'),
      'wide.txt': Array.from({ length: 500 }, (_, at) => `${at + 1} ${'é'.repeat(500)}`).join('\n'),
    })
    for (const path of ['many.txt', 'wide.txt']) {
      const { content } = await call('read_file', { path })
      expect(content.split('\n').length).toBeLessThanOrEqual(2_000)
      expect(Buffer.byteLength(content)).toBeLessThanOrEqual(51_200)
      expect(content).toMatch(/^1\b/)
      const next = Number(/offset (\d+)/.exec(content)?.[1])
      expect((await call('read_file', { path, offset: next })).content).toMatch(new RegExp(`^${next}\\b`))
    }
    const both = (await call('read_multiple_files', { paths: ['many.txt', 'wide.txt'] })).content
    expect(both.split('\n').length).toBeLessThanOrEqual(2_000)
    expect(Buffer.byteLength(both)).toBeLessThanOrEqual(51_200)
  })

  it('a search says which files it did not look into', async () => {
    const { call } = await files({ 'big.csv': `needle\n${'x'.repeat(3 * 1024 * 1024)}`, 'a.txt': 'hay' })
    const found = await call('search_files_content', { query: 'needle' })
    expect(found.content).toContain('big.csv:1: needle')
    const huge = await files({ 'huge.csv': `needle\n${'x'.repeat(11 * 1024 * 1024)}` })
    expect((await huge.call('search_files_content', { query: 'needle' })).content).toContain('huge.csv')
  })

  it('stays within bounds, however long the file and its lines are', async () => {
    const { call } = await files({ 'long.txt': 'x'.repeat(50_000), 'many.txt': 'line\n'.repeat(50_000) })
    expect((await call('read_file', { path: 'long.txt' })).content.length).toBeLessThan(3_000)
    expect((await call('read_file', { path: 'many.txt' })).content).toMatch(/Go on with offset 1991/)
  })

  it('tells binary, missing and special files apart', async () => {
    const { call, cwd } = await files({ dir: '' })
    writeFileSync(join(cwd, 'b.bin'), Buffer.from([1, 2, 0, 3]))
    execFileSync('mkfifo', [join(cwd, 'pipe')])
    mkdirSync(join(cwd, 'sub'))
    expect((await call('read_file', { path: 'b.bin' })).content).toMatch(/binary file of 4 bytes/)
    expect((await call('read_file', { path: 'nope' })).content).toMatch(/There is no file nope/)
    expect((await call('read_file', { path: 'pipe' })).content).toMatch(/no regular file/)
    expect((await call('read_file', { path: 'sub' })).content).toMatch(/directory/)
    expect((await call('read_file', { path: 'dir/deeper' })).content).toMatch(/directory/)
  })

  it('reads several, whatever becomes of one of them', async () => {
    const { call } = await files({ a: 'A', b: 'B' })
    const { content } = await call('read_multiple_files', { paths: ['a', 'nope', 'b'] })
    expect(content).toBe('=== a ===\nA\n\n=== nope ===\n(Not read: There is no file nope.)\n\n=== b ===\nB')
  })
})

describe('writing', () => {
  it('creates with directories, and replaces', async () => {
    const { call, cwd } = await files()
    expect((await call('write_file', { path: 'x/y/z.txt', content: 'a\nb\n' })).content).toBe(
      'Created x/y/z.txt: 2 lines, 4 bytes.',
    )
    expect((await call('write_file', { path: 'x/y/z.txt', content: '' })).content).toMatch(/^Replaced/)
    expect(readFileSync(join(cwd, 'x/y/z.txt'), 'utf8')).toBe('')
  })

  it('makes and removes directories, but only empty ones', async () => {
    const { call } = await files({ 'full/a': '' })
    expect((await call('create_directory', { path: 'a/b' })).content).toBe('Created a/b.')
    expect((await call('remove_directory', { path: 'a/b' })).content).toBe('Removed a/b.')
    expect(await call('remove_directory', { path: 'full' })).toMatchObject({ error: true })
  })
})

describe('editing', () => {
  const edit = async (content: string, input: Record<string, unknown>) => {
    const { call, cwd } = await files({ 'f.txt': content })
    const result = await call('edit_file', { path: 'f.txt', ...input })
    return { ...result, after: readFileSync(join(cwd, 'f.txt'), 'utf8') }
  }

  it('makes all edits in order', async () => {
    const edits = [
      { oldText: 'a', newText: 'b' },
      { oldText: 'b c', newText: '$& $1' },
    ]
    expect(await edit('a c', { edits })).toMatchObject({ after: '$& $1', content: 'Edited f.txt: 2 replacements.' })
  })

  it('or none of them', async () => {
    const edits = [
      { oldText: 'a', newText: 'b' },
      { oldText: 'nope', newText: 'c' },
    ]
    const result = await edit('a\n', { edits })
    expect(result).toMatchObject({ after: 'a\n', error: true })
    expect(result.content).toMatch(/^Edit 2: The text was not found in f.txt\. .* Nothing was changed\.$/)
  })

  it('wants one place, or all of them', async () => {
    const one = await edit('x\ny\nx\n', { edits: [{ oldText: 'x', newText: 'z' }] })
    expect(one).toMatchObject({ after: 'x\ny\nx\n', error: true })
    expect(one.content).toMatch(/occurs 2 times in f\.txt \(lines 1, 3\)/)
    const all = await edit('x\ny\nx\n', { edits: [{ oldText: 'x', newText: 'z', replaceAll: true }] })
    expect(all.after).toBe('z\ny\nz\n')
  })

  it('explains near misses', async () => {
    expect((await edit('  if (a) {\n', { edits: [{ oldText: 'if (a) {\n\n', newText: '' }] })).content).toMatch(
      /line 1/,
    )
    expect((await edit('\tfoo()\n', { edits: [{ oldText: '    foo()', newText: '' }] })).content).toMatch(
      /At line 1 it stands with other white space/,
    )
  })

  it('keeps the line ends of the file', async () => {
    expect(await edit('a\r\nb\r\nc', { edits: [{ oldText: 'a\nb', newText: 'x\ny' }] })).toMatchObject({
      after: 'x\r\ny\r\nc',
    })
  })

  it.each([
    ['one edit without a list', { old_string: 'a', new_string: 'b' }],
    ['a list as JSON', { edits: '[{"oldText":"a","newText":"b"}]' }],
    ['another spelling', { edits: [{ old_text: 'a', new_text: 'b', replace_all: true }] }],
  ])('understands %s', async (_, input) => {
    expect((await edit('a', input)).after).toBe('b')
  })

  it('refuses what would damage a file', async () => {
    const { call, cwd } = await files()
    writeFileSync(join(cwd, 'latin1.txt'), Buffer.from([0x61, 0xe9, 0x62]))
    expect(await call('edit_file', { path: 'latin1.txt', oldText: 'a', newText: 'b' })).toMatchObject({ error: true })
    expect(readFileSync(join(cwd, 'latin1.txt'))).toEqual(Buffer.from([0x61, 0xe9, 0x62]))
  })

  it('an edit and its reverse leave the file as it was', async () => {
    const { call, cwd } = await files({ f: '' })
    const text = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'b', '\n', '$', '&', 'é') })
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, piece, put) => {
        const content = `<${before}>[${piece}]<end>`
        fc.pre(piece !== put && content.split(`[${piece}]`).length === 2)
        writeFileSync(join(cwd, 'f'), content)
        await call('edit_file', { path: 'f', oldText: `[${piece}]`, newText: `{${put}}` })
        fc.pre(readFileSync(join(cwd, 'f'), 'utf8').split(`{${put}}`).length === 2)
        await call('edit_file', { path: 'f', oldText: `{${put}}`, newText: `[${piece}]` })
        expect(readFileSync(join(cwd, 'f'), 'utf8')).toBe(content)
      }),
      { numRuns: 50 },
    )
  })
})

describe('where tools may go', () => {
  it('not out of the workspace, by name or by link', async () => {
    const outside = realpathSync(scratch({ 'secret.txt': 'secret' }))
    const { call, cwd } = await files({ 'a.txt': 'a' })
    symlinkSync(outside, join(cwd, 'out'))
    symlinkSync(join(outside, 'secret.txt'), join(cwd, 'link.txt'))
    symlinkSync(join(outside, 'new.txt'), join(cwd, 'dangling'))
    for (const path of [join(outside, 'secret.txt'), '../../../../etc/passwd', 'out/secret.txt', 'link.txt', '~/x']) {
      expect(await call('read_file', { path }), path).toMatchObject({ error: true })
      expect(await call('write_file', { path, content: 'x' }), path).toMatchObject({ error: true })
    }
    expect(await call('write_file', { path: 'out/new.txt', content: 'x' })).toMatchObject({ error: true })
    expect(await call('write_file', { path: 'dangling', content: 'x' })).toMatchObject({ error: true })
    expect((await call('list_directory', { path: '..' })).content).toMatch(/outside of what you may touch/)
    expect((await call('search_files', { content: 'secret' })).content).toMatch(/Nothing found/)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
  })

  it('inside it by any name', async () => {
    const { call, cwd } = await files({ 'sub/a.txt': 'a' })
    for (const path of ['sub/../sub/a.txt', join(cwd, 'sub/a.txt'), './sub/a.txt'])
      expect(await call('read_file', { path })).toEqual({ content: 'a' })
  })

  it('in the directories that the toolset allows, and never in those it denies', async () => {
    const other = realpathSync(scratch({ 'x.txt': 'x', 'no/y.txt': 'y' }))
    const { call } = await files({ 'a.txt': 'a' }, { allow_list: ['.', other], deny_list: [join(other, 'no')] })
    expect((await call('read_file', { path: join(other, 'x.txt') })).content).toBe('x')
    expect(await call('read_file', { path: join(other, 'no/y.txt') })).toMatchObject({ error: true })
  })

  it('where long results are kept, to read only', async () => {
    const kept = realpathSync(scratch({ 'result.txt': 'long' }))
    const { call } = await bench(['filesystem'], {}, { readable: [kept] })
    expect((await call('read_file', { path: join(kept, 'result.txt') })).content).toBe('long')
    expect(await call('write_file', { path: join(kept, 'result.txt'), content: '' })).toMatchObject({ error: true })
  })

  it('looking at an ordinary file needs no approval, at a secret one it does', async () => {
    const { readOnly, cwd } = await files({ 'a.txt': '', '.env': 'KEY=1' })
    symlinkSync(join(cwd, '.env'), join(cwd, 'innocent.txt'))
    expect(readOnly('read_file', { path: 'a.txt' })).toBe(true)
    expect(readOnly('read_file', { path: '.env' })).toBe(false)
    expect(readOnly('read_file', { path: 'innocent.txt' })).toBe(false)
    expect(readOnly('read_multiple_files', { paths: ['a.txt', '.env'] })).toBe(false)
    expect(readOnly('read_file', { path: 'a\0b' })).toBe(false)
    expect(readOnly('list_directory', {})).toBe(true)
    expect(readOnly('write_file', { path: 'a.txt', content: '' })).toBe(false)
  })
})

describe('listing and searching', () => {
  const project = {
    '.gitignore': '*.log\n/build/\n!keep.log\n',
    'a.ts': 'const needle = 1\n',
    'src/b.ts': 'import a\n// Needle\n',
    'src/.gitignore': 'generated.ts\n',
    'src/generated.ts': 'needle\n',
    'x.log': 'needle\n',
    'keep.log': 'needle\n',
    'build/out.js': 'needle\n',
    'src/build/in.js': 'needle\n',
    'node_modules/p/index.js': 'needle\n',
    '.git/config': 'needle\n',
  }

  it('lists names, and how many are ignored', async () => {
    const { call } = await files(project)
    expect((await call('list_directory', {})).content).toBe(
      '.gitignore\na.ts\nkeep.log\nsrc/\n(4 ignored entries not shown)',
    )
    expect((await call('list_directory', { path: 'a.ts' })).content).toMatch(/is a file/)
  })

  it('shows the tree', async () => {
    const { call } = await files(project)
    expect((await call('directory_tree', {})).content).toBe(
      './\n  .gitignore\n  a.ts\n  keep.log\n  src/\n    .gitignore\n    b.ts\n    build/\n      in.js',
    )
  })

  it('finds by content', async () => {
    const { call } = await files(project)
    expect((await call('search_files', { content: 'needle' })).content).toBe(
      'a.ts:1: const needle = 1\nkeep.log:1: needle\nsrc/build/in.js:1: needle',
    )
    const found = await call('search_files', { content: 'NEEDLE$', regex: true, ignore_case: true, path: 'src' })
    expect(found.content).toBe('src/b.ts:2: // Needle\nsrc/build/in.js:1: needle')
    expect(await call('search_files', { content: '(?=a)', regex: true })).toMatchObject({ error: true })
    expect(await call('search_files', {})).toMatchObject({ error: true })
  })

  it('finds by name', async () => {
    const { call } = await files(project)
    expect((await call('search_files', { pattern: '*.ts' })).content).toBe('a.ts\nsrc/b.ts')
    expect((await call('search_files', { pattern: 'src/**/*.js' })).content).toBe('src/build/in.js')
    expect((await call('search_files', { pattern: '*.ts', content: 'import' })).content).toBe('src/b.ts:1: import a')
  })

  it('finds as docker-agent does', async () => {
    const { call } = await files(project)
    const found = await call('search_files_content', { path: '.', query: 'needle', excludePatterns: ['src', '*.log'] })
    expect(found.content).toBe('a.ts:1: const needle = 1')
  })

  it.each([
    ['search_files', { content: 'needle', path: 'big' }],
    ['search_files_content', { query: 'needle', path: 'big' }],
  ])('%s names the files that were too large to look into: that is not "nothing found"', async (tool, input) => {
    const { call, cwd } = await files({ 'big/log.txt': 'needle' })
    truncateSync(join(cwd, 'big/log.txt'), 11 * 1024 * 1024)
    expect((await call(tool, input)).content).toMatch(/\(Not searched, because they are over .*: big\/log\.txt\./)
  })

  it('shows everything with ignore_vcs: false', async () => {
    const { call } = await files(project, { ignore_vcs: false })
    expect((await call('search_files', { pattern: '*.js' })).content.split('\n')).toHaveLength(3)
  })

  it('agrees with git about what is ignored', async () => {
    const cwd = realpathSync(scratch())
    execFileSync('git', ['init', '-q'], { cwd })
    const patterns = [
      '*.log',
      '/a',
      'b/',
      'a/*.x',
      '**/c',
      'd/**',
      'e/**/f',
      '?.y',
      '[ab].z',
      'a/b',
      '!a',
      '\\!n',
      '# c',
      'a b ',
      '*.*.g',
    ]
    const paths = [
      'a',
      'b',
      'x.log',
      'a/t.x',
      'q/c',
      'c',
      'd/e',
      'd/e/f',
      'e/f',
      'e/g/h/f',
      'p.y',
      'pp.y',
      'a.z',
      'c.z',
      'q/a/b',
      'a/b',
      'q/x.log',
      '!n',
      '# c',
      'a b',
      'x.y.g',
    ]
    for (const pattern of patterns) {
      writeFileSync(join(cwd, '.gitignore'), `${pattern}\n`)
      const ignoredByGit = (() => {
        try {
          return execFileSync('git', ['check-ignore', '--no-index', ...paths], { cwd, encoding: 'utf8' }).split('\n')
        } catch {
          return []
        }
      })()
      const ignored = await ignoreFile(pattern, [], ignoreNothing)
      for (const path of paths) {
        // What lies in an ignored directory is ignored too, and here nothing but that makes a directory of a name.
        const parts = path.split('/')
        const ours = parts.some((_, at) => ignored(parts.slice(0, at + 1), at < parts.length - 1))
        expect(ours, `${pattern} on ${path}`).toBe(ignoredByGit.includes(path))
      }
    }
  })
})

it('a pattern with many stars does not stop the agent', async () => {
  const ignored = await ignoreFile(`${'*a'.repeat(40)}b\n*.log`, [], ignoreNothing)
  expect(ignored(['a'.repeat(250)], false)).toBe(false)
  expect(ignored(['x.log'], false)).toBe(true)
})

describe('arguments', () => {
  it('errors explain how to fix the arguments', async () => {
    const { parse } = await files()
    expect(parse('read_file', {})).toBe('`path` is missing. What it is: The file, from the workspace or absolute.')
    expect(parse('read_file', { path: 'a', offset: '3' })).toMatch(/^`offset` must be a number, not `3`/)
    expect(parse('read_file', { path: 'a', lines: 3 })).toMatch(
      /`lines` is not known here\. Known keys here: path, offset, limit\./,
    )
    expect(parse('read_file', { file_path: 'a' })).toEqual({ path: 'a' })
    expect(parse('read_file', { file_path: 'a', path: 'b' })).toMatch(/are the same argument/)
    expect(parse('edit_file', { path: 'a', edits: [{ oldText: '', newText: 'x' }] })).toMatch(/`edits\[0\]\.oldText`/)
  })
})

describe('post_edit', () => {
  const post_edit = [
    { path: '*.txt', cmd: 'tr a-z A-Z < "$file" > shout; echo "$file" >> seen' },
    { path: 'src/*.go', cmd: `touch ${'$'}{file}.formatted` },
    { path: '*.bad', cmd: 'echo complains; exit 3' },
  ]
  const edits = [{ oldText: 'one', newText: 'two' }]

  it('runs for matching files, after they were written or edited, and the edit stands whatever it returns', async () => {
    const { cwd, call } = await bench([{ type: 'filesystem', post_edit }])
    await call('write_file', { path: 'deep/a.txt', content: 'one' })
    expect((await call('edit_file', { path: 'deep/a.txt', edits })).content).toBe('Edited deep/a.txt: 1 replacement.')
    expect(readFileSync(join(cwd, 'shout'), 'utf8')).toBe('TWO')
    expect(readFileSync(join(cwd, 'seen'), 'utf8')).toBe(`${join(cwd, 'deep/a.txt')}\n`.repeat(2))
    for (const path of ['src/a.go', 'other/c.go']) await call('write_file', { path, content: '' })
    expect(['src/a.go', 'other/c.go'].map((path) => existsSync(join(cwd, `${path}.formatted`)))).toEqual([true, false])
    const { content, error } = await call('write_file', { path: 'x.bad', content: 'kept' })
    expect([error, content]).toEqual([
      undefined,
      expect.stringMatching(/^Created x\.bad[\s\S]*Warning[\s\S]*complains/),
    ])
    expect(readFileSync(join(cwd, 'x.bad'), 'utf8')).toBe('kept')
  })

  it('a name of a file is never a command', async () => {
    const { cwd, call } = await bench([
      { type: 'filesystem', post_edit: [{ path: '*', cmd: `cat ${'$'}{file} > copy` }] },
    ])
    await call('write_file', { path: '$(touch oops);touch oops', content: 'harmless' })
    expect(existsSync(join(cwd, 'oops'))).toBe(false)
    expect(readFileSync(join(cwd, 'copy'), 'utf8')).toBe('harmless')
  })
})
