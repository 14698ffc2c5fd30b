import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Entry, project } from './project.ts'

const python = 'import json, sys\njson.loads("{}")\nsys.stderr.write("GOOD")\nsys.exit(2)\n'
const silent = 'import sys, os\nos._exit(0)\n'

function approved(files: Record<string, string>, run: Entry['run']) {
  return project({ entries: [{ id: 'guard', event: 'pre_tool_use', run }], files })
}

const put = (directory: string, name: string, text: string) => {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), text, { mode: 0o755 })
}

/** A guard that denies, and a file that did not exist when it was approved and would make it silent. */
const cases: [what: string, run: Entry['run'], files: Record<string, string>, later: string, text: string][] = [
  ['a module that it imports', 'python3 hooks/x.py', { 'hooks/x.py': python }, 'hooks/json.py', silent],
  ['a module that what it imports imports', 'python3 hooks/x.py', { 'hooks/x.py': python }, 'hooks/decimal.py', silent],
  ['a package', 'python3 hooks/x.py', { 'hooks/x.py': python }, 'hooks/json/__init__.py', silent],
  [
    'a package in a directory that was there',
    'python3 hooks/x.py',
    { 'hooks/x.py': python, 'hooks/json/words.txt': 'data' },
    'hooks/json/__init__.py',
    silent,
  ],
  [
    'a module, for a program that runs where it is',
    'python3 hooks/x.py',
    { 'hooks/x.py': `${python}# ${'Path(__file__).parent.parent'}\n` },
    'hooks/re.py',
    silent,
  ],
  [
    'a file that is found before another',
    'node hooks/x.cjs',
    { 'hooks/x.cjs': "require('./lib')\n", 'hooks/lib.js': "process.stderr.write('GOOD'); process.exit(2)\n" },
    'hooks/lib',
    'process.exit(0)\n',
  ],
  [
    'the package file that decides in which language it is',
    'node hooks/x.js',
    { 'hooks/x.js': "require('node:fs').writeSync(2, 'GOOD'); process.exit(2)\n" },
    'hooks/package.json',
    '{"type":"module"}',
  ],
  [
    'what is sourced by what is sourced',
    'sh hooks/x.sh',
    {
      'hooks/x.sh': '. "$(dirname "$0")/a.sh"\necho GOOD >&2\nexit 2\n',
      'hooks/a.sh': '[ ! -f "$(dirname "$0")/b.sh" ] || . "$(dirname "$0")/b.sh"\n',
    },
    'hooks/b.sh',
    'exit 0\n',
  ],
  [
    'a helper that it runs if it is there',
    'sh hooks/x.sh',
    { 'hooks/x.sh': 'HERE=$(dirname "$0")\n[ -x "$HERE/helper" ] && exec "$HERE/helper"\necho GOOD >&2\nexit 2\n' },
    'hooks/helper',
    '#!/bin/sh\nexit 0\n',
  ],
  [
    'a module that its text imports',
    `python3 -c 'import json, sys; json.loads("{}"); sys.stderr.write("GOOD"); sys.exit(2)'`,
    {},
    'json.py',
    silent,
  ],
]

describe('a file that did not exist at approval', () => {
  it.each(cases)('does not silence a guard: %s', async (_what, run, files, later, text) => {
    const { approve, ask, load, askOf, directory } = approved(files, run)
    await approve()
    const running = await load()
    expect(await ask()).toMatch(/GOOD/)
    expect(await askOf(running)).toMatch(/GOOD/)
    put(directory, later, text)
    // Either it is not found, or the guard does not run, and blocks, until somebody has looked.
    expect(await ask()).toMatch(/GOOD|^untrusted: It has changed/)
    expect(await askOf(running)).toMatch(/GOOD|^untrusted: It has changed/)
  })
})

describe('what a script loads from beside it', () => {
  it.each([
    ['Python', 'python3 hooks/x.py', { 'hooks/x.py': 'import sys, lib\nsys.exit(lib.no())\n' }, 'hooks/lib.py'],
    [
      'a package',
      'python3 hooks/x.py',
      { 'hooks/x.py': 'from lib import rule\nrule.no()\n', 'hooks/lib/__init__.py': '' },
      'hooks/lib/rule.py',
    ],
    ['Node', 'node hooks/x.mjs', { 'hooks/x.mjs': "import { no } from './lib/no.mjs'\nno()\n" }, 'hooks/lib/no.mjs'],
    ['a shell', 'sh hooks/x.sh', { 'hooks/x.sh': 'cd "$(dirname "$0")"\npython3 helper.py\n' }, 'hooks/helper.py'],
    ['Ruby', 'ruby hooks/x.rb', { 'hooks/x.rb': "require_relative 'lib'\n" }, 'hooks/lib.rb'],
    ['Perl', 'perl hooks/x.pl', { 'hooks/x.pl': "require './lib.pl';\n" }, 'hooks/lib.pl'],
  ])('is approved with it, and a change of it is a change of the hook: %s', async (_, run, files, loaded) => {
    const { inspect, approve, states, directory } = approved({ ...files, [loaded]: '# one\n' }, run)
    const [guard] = await inspect()
    expect(guard!.pinned.files.map(({ path }) => path)).toContain(join(directory, loaded))
    await approve()
    writeFileSync(join(directory, loaded), '# two\n')
    expect(await states()).toEqual(['changed'])
  })

  it.each([
    ['python3 hooks/x.py', 'hooks/x.py', 'import importlib, sys\nimportlib.import_module(sys.argv[1])\n'],
    ['node hooks/x.cjs', 'hooks/x.cjs', 'require(process.argv[2])\n'],
    ['sh hooks/x.sh', 'hooks/x.sh', '. "$LIBRARY"\n'],
  ])('and what cannot be followed is shown: %s', async (run, file, text) => {
    const [guard] = await approved({ [file]: text }, run).inspect()
    expect(guard!.pinned.unpinned.join('\n')).toMatch(/known only when it runs|sources "\$LIBRARY"/)
  })
})
