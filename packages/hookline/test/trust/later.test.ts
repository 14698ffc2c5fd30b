import { describe, expect, it } from 'vitest'
import { type Entry, project } from './project.ts'

/** An approved hook; what is written later; and the sentence of the approval about it, where it is not pinned. */
type Case = [
  what: string,
  run: Entry['run'],
  files: Record<string, string>,
  later: Record<string, string>,
  said?: RegExp,
]

const bare = { 'hooks/x.mjs': "try { await import('helper') } catch {}\nprocess.exit(2)\n" }
const helper = { 'node_modules/helper/package.json': '{}', 'node_modules/helper/index.js': '' }
const within = (directory: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${directory}/${name}`, text]))

const cases: Case[] = [
  ['a package that was missing', 'node hooks/x.mjs', bare, helper],
  ['a package nearer than the one that was there', 'node hooks/x.mjs', { ...bare, ...helper }, within('hooks', helper)],
  [
    'another version of a package',
    'node hooks/x.mjs',
    { ...bare, ...helper },
    { 'node_modules/helper/index.js': 'process.exit(0)' },
    /x\.mjs loads the package helper from .*node_modules, which is not approved with it/,
  ],
  [
    'the table of names of its own package',
    'node hooks/x.mjs',
    { 'hooks/x.mjs': "import '#a'\n", 'package.json': '{"imports":{"#a":"./a.mjs"}}', 'a.mjs': '' },
    { 'package.json': '{"imports":{"#a":"./b.mjs"}}', 'b.mjs': '' },
  ],
  [
    'what that table leads to',
    'node hooks/x.mjs',
    { 'hooks/x.mjs': "import 'own/a'\n", 'package.json': '{"name":"own","exports":{"./a":"./a.mjs"}}', 'a.mjs': '' },
    { 'a.mjs': 'process.exit(0)' },
  ],
  [
    'a file that is sourced if it is there',
    'sh hooks/x.sh',
    { 'hooks/x.sh': '[ -f "$PWD/extra.sh" ] && . "$PWD/extra.sh"\nexit 2\n' },
    { 'extra.sh': 'exit 0\n' },
  ],
  [
    'a file whose name only the script knows',
    'sh hooks/x.sh',
    { 'hooks/x.sh': '. "$LIBRARY/extra.sh"\nexit 2\n' },
    { 'elsewhere/extra.sh': 'exit 0\n' },
    /x\.sh sources "\$LIBRARY\/extra\.sh"/,
  ],
  [
    'a program on a path that the script sets',
    'sh hooks/x.sh',
    { 'hooks/x.sh': 'PATH=./bin:$PATH\njudge || exit 2\n' },
    { 'bin/judge': '#!/bin/sh\n' },
    /x\.sh sets PATH/,
  ],
  [
    'a module that Python finds by its name',
    'python3 -m hooks.x',
    { 'hooks/x.py': 'import sys\nsys.exit(2)\n' },
    { 'hooks/x.py': 'import sys\nsys.exit(0)\n' },
  ],
  ['a module in the way of an installed one', 'python3 -m json.tool', {}, { 'json/__init__.py': '' }],
  [
    'a file of settings beside it',
    'node hooks/x.cjs',
    {
      'hooks/x.cjs': "process.exit(require('node:fs').readFileSync(__dirname + '/x.json').length)\n",
      'hooks/x.json': '',
    },
    { 'hooks/x.json': '{}' },
    /x\.json is read by x\.cjs and may change; under `files:` it is approved too/,
  ],
  [
    'a Makefile',
    'make guard',
    { Makefile: 'guard:\n\texit 2\n' },
    { Makefile: 'guard:\n' },
    /make runs what the Makefile says/,
  ],
  [
    'a package script',
    'npm run guard',
    { 'package.json': '{}' },
    { 'package.json': '{ }' },
    /npm runs what package\.json/,
  ],
  [
    'what a directory holds',
    'run-parts hooks',
    { 'hooks/a': '#!/bin/sh\n' },
    { 'hooks/b': '#!/bin/sh\n' },
    /run-parts runs what it finds/,
  ],
  ['what is found', 'find hooks -exec sh {} +', { 'hooks/a': '' }, { 'hooks/b': '' }, /find runs what it finds/],
]

describe('whatever can make an approved hook run something else is pinned, or is said where it is approved', () => {
  it.each(cases)('%s', async (_what, run, files, later, said) => {
    const { approve, inspect, states, write } = project({
      entries: [{ id: 'guard', event: 'pre_tool_use', run }],
      files,
    })
    const [shown] = await inspect()
    if (said) expect(shown!.pinned.unpinned).toEqual(expect.arrayContaining([expect.stringMatching(said)]))
    await approve()
    expect(await states()).toEqual(['approved'])
    for (const [name, text] of Object.entries(later)) write(name, text)
    expect(await states()).toEqual([said ? 'approved' : 'changed'])
  })

  it('where the hook works does not matter for a script that is named by its place', async () => {
    const { approve, inspect, path, write } = project({ entries: [], files: { ...bare, 'sub/a.txt': '' } })
    write(
      'hookline.json',
      JSON.stringify({ version: 1, hooks: [{ id: 'g', event: 'stop', run: `node ${path('hooks/x.mjs')}` }] }),
    )
    await approve()
    const states = (await inspect({ cwd: path('sub') })).map(({ state }) => state)
    expect(states).toEqual(['approved'])
  })
})
