import { spawn } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCommandExecutor } from '../../src/executors/command/index.ts'
import type { CodeHook } from '../../src/hooks/index.ts'
import { createHooks, type HooksOptions, openTrust } from '../../src/index.ts'
import { pinnedBy } from '../../src/trust/index.ts'
import { ownProcesses } from '../support/own-processes.ts'
import { missing, scratch } from '../support/scratch.ts'
import { hookIn, placeIn } from './hook.ts'

type Run = CodeHook['run'] & (object | string)

interface World {
  project: string
  store: string
  /** Asks the hook; `between` happens after the gate has looked and before the hook runs. */
  ask(between?: () => void): Promise<string>
}

/** A project whose one hook is approved, and says in the reason of its denial what ran. */
async function approvedProject(
  files: Record<string, string>,
  run: Run,
  more: Partial<HooksOptions> = {},
  prepare: (project: string) => void = () => {},
): Promise<World> {
  const config = { version: 1, hooks: [{ id: 'guard', event: 'pre_tool_use', run }] }
  const project = scratch({ ...files, 'hookline.json': JSON.stringify(config) }, 'latin1')
  for (const name of Object.keys(files)) chmodSync(join(project, name), 0o755)
  prepare(project)
  const store = join(scratch(), 'state')
  const trust = openTrust({ store })
  let afterLook = () => {}
  const hooks = await createHooks({
    config: join(project, 'hookline.json'),
    cwd: project,
    trust(...args) {
      const answer = trust.gate(...args)
      afterLook()
      return answer
    },
    executors: [ownProcesses()],
    ...more,
  })
  onTestFinished(() => hooks.close())
  await trust.approve(hooks.hooks.map((hook) => trust.inspect(hook, placeIn(project))))
  return {
    project,
    store,
    async ask(between = () => {}) {
      afterLook = between
      const { decision, reports } = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: {} })
      return reports[0]?.failure ? `${reports[0].failure.kind}: ${reports[0].failure.detail}` : (decision?.reason ?? '')
    },
  }
}

const shell = (word: string) => `#!/bin/sh\necho ${word} >&2\nexit 2\n`
const python = (word: string) => `#!/usr/bin/env python3\nimport sys\nsys.stderr.write("${word}")\nsys.exit(2)\n`
const node = (word: string) => `#!/usr/bin/env node\nprocess.stderr.write("${word}")\nprocess.exitCode = 2\n`
const resident = (word: string) =>
  [
    "import { createInterface } from 'node:readline'",
    'for await (const line of createInterface({ input: process.stdin })) {',
    '  const { id } = JSON.parse(line)',
    `  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { decision: 'deny', reason: '${word}' } }))`,
    '}',
  ].join('\n')
const module = (word: string) => `export default () => ({ decision: { ruling: 'deny', reason: '${word}' } })\n`

/** Every way in which a hook can name a script: the script, what it says, and the run. */
const ways: [way: string, file: string, says: (word: string) => string, run: Run][] = [
  ['a program', 'x.sh', shell, './x.sh'],
  ['a program that is Python', 'x.py', python, './x.py'],
  ['a program with arguments', 'x.sh', shell, { type: 'command', command: './x.sh', args: ['--fast'] }],
  ['a shell and its script', 'x.sh', shell, 'sh ./x.sh'],
  ['a shell and its script, as arguments', 'x.sh', shell, { type: 'command', command: 'bash', args: ['x.sh'] }],
  ['a shell that reads its script', 'x.sh', shell, 'bash < x.sh'],
  ['Python and its script', 'x.py', python, 'python3 x.py'],
  ['Node and its script', 'x.mjs', node, 'node x.mjs'],
  ['shell text inside a shell', 'x.sh', shell, `sh -c 'true && sh ./x.sh'`],
  ['shell text inside shell text', 'x.sh', shell, `bash -c "sh -c 'exec ./x.sh'"`],
  ['a substitution', 'x.sh', shell, 'out="$(./x.sh 2>&1)"; echo "$out" >&2; exit 2'],
  ['a sourced file', 'x.sh', shell, '. ./x.sh'],
  ['a script in another directory', 'hooks/x.sh', shell, 'cd hooks && ./x.sh'],
  ['a script with a blank in its name', 'a b.sh', shell, "sh 'a b.sh'"],
  ['a script behind other programs', 'x.sh', shell, 'env A=1 timeout 5 nice sh ./x.sh'],
  ['a resident program', 'x.mjs', resident, { type: 'resident', command: 'node x.mjs' }],
  ['a module', 'x.mjs', module, { type: 'function', module: './x.mjs' }],
  ['a module in TypeScript', 'x.ts', module, { type: 'function', module: './x.ts' }],
]

describe('what is approved runs from the approved bytes', () => {
  it.each(ways)('%s is what it was when it was looked at', async (_, file, says, run) => {
    const { project, ask } = await approvedProject({ [file]: says('GOOD') }, run)
    expect(await ask(() => writeFileSync(join(project, file), says('EVIL')))).toContain('GOOD')
    expect(await ask()).toMatch(/^untrusted: It has changed/)
  })

  it('when another file takes its place', async () => {
    const { project, ask } = await approvedProject({ 'real.sh': shell('GOOD'), 'evil.sh': shell('EVIL') }, './real.sh')
    expect(await ask(() => renameSync(join(project, 'evil.sh'), join(project, 'real.sh')))).toContain('GOOD')
  })

  it('also what the fork server starts', async () => {
    const big = createCommandExecutor({ forkServerAbove: 0 })
    const { project, ask } = await approvedProject({ 'x.sh': shell('GOOD') }, './x.sh', { executors: [big] })
    for (let round = 0; round < 20; round++) expect(await ask()).toContain('GOOD')
    expect(await ask(() => writeFileSync(join(project, 'x.sh'), shell('EVIL')))).toContain('GOOD')
  })

  it('also a binary', async () => {
    const files = { tool: readFileSync('/bin/sh', 'latin1') }
    const run = { type: 'command', command: './tool', args: ['-c', 'echo GOOD >&2; exit 2'] }
    const { project, ask } = await approvedProject(files, run)
    expect(await ask(() => writeFileSync(join(project, 'tool'), shell('EVIL')))).toContain('GOOD')
  })

  it('and stays so through a race that never rests', async () => {
    const { project, ask } = await approvedProject({ 'x.sh': shell('GOOD') }, 'sh ./x.sh')
    const [good, evil] = ['good', 'evil'].map((name) => join(project, name)) as [string, string]
    const swapping = spawn('sh', ['-c', `while :; do cp ${evil} n; mv n x.sh; cp -p ${good} n; mv n x.sh; done`], {
      cwd: project,
    })
    writeFileSync(evil, shell('EVIL'))
    writeFileSync(good, shell('GOOD'), { mode: 0o755 })
    const gone = new Promise((resolve) => swapping.once('exit', resolve))
    const answers: string[] = []
    for (let round = 0; round < 60; round++) answers.push(await ask())
    swapping.kill('SIGKILL')
    await gone
    expect(answers.filter((text) => !/^GOOD$|^untrusted: /.test(text))).toEqual([])
    expect(answers.some((text) => text.startsWith('untrusted'))).toBe(true)
  })
})

describe('a script that runs from a copy', () => {
  it('finds its siblings beside it: approved ones as copies, others where they are', async () => {
    const files = {
      'hooks/x.sh': '#!/bin/bash\ncd "$(dirname "$0")"\n. ./lib.sh\necho "$LIB $(cat words.txt)" >&2\nexit 2\n',
      'hooks/lib.sh': 'LIB=GOOD\n',
      'hooks/words.txt': 'one',
    }
    const { project, ask } = await approvedProject(files, 'hooks/x.sh')
    expect(await ask(() => writeFileSync(join(project, 'hooks/lib.sh'), 'LIB=EVIL\n'))).toBe('GOOD one')
    writeFileSync(join(project, 'hooks/lib.sh'), 'LIB=GOOD\n')
    writeFileSync(join(project, 'hooks/words.txt'), 'two')
    expect(await ask()).toBe('GOOD two')
    renameSync(join(project, 'hooks/words.txt'), join(project, 'hooks/more.txt'))
    expect(await ask()).toMatch(/^GOOD\s*$|words\.txt/)
  })

  it('finds siblings that came later', async () => {
    const files = { 'x.sh': '#!/bin/bash\ncat "$(dirname "$BASH_SOURCE")"/later >&2\nexit 2\n' }
    const { project, ask } = await approvedProject(files, './x.sh')
    expect(await ask()).toContain(`${project}/later: No such file`)
    writeFileSync(join(project, 'later'), 'here now')
    expect(await ask()).toBe('here now')
  })

  it.each([
    [
      'Python',
      'python3 hooks/x.py',
      {
        'hooks/x.py': 'import sys, lib\nsys.exit(lib.no())\n',
        'hooks/lib.py': 'import sys\ndef no():\n  sys.stderr.write("imported")\n  return 2\n',
      },
    ],
    [
      'Node',
      'node hooks/x.mjs',
      {
        'hooks/x.mjs': "import { no } from './lib.mjs'\nimport here from 'here'\nno(here)\n",
        'hooks/lib.mjs': 'export function no(x) { process.stderr.write("imported"); process.exitCode = x }\n',
        'node_modules/here/package.json': '{"name":"here","main":"index.js"}',
        'node_modules/here/index.js': 'module.exports = 2',
      },
    ],
  ])('imports what lies beside it: %s', async (_, run, files) => {
    expect(await (await approvedProject(files as Record<string, string>, run)).ask()).toBe('imported')
  })

  it('imports the approved bytes of what `files` names', async () => {
    const files = { 'x.py': 'import sys, lib\nsys.stderr.write(lib.word)\nsys.exit(2)\n', 'lib.py': 'word = "GOOD"\n' }
    const { project, ask } = await approvedProject(files, {
      type: 'command',
      command: 'python3 x.py',
      files: ['lib.py'],
    })
    expect(await ask(() => writeFileSync(join(project, 'lib.py'), 'word = "EVIL"\n'))).toBe('GOOD')
  })

  it('works where it always worked, with the names it always had', async () => {
    const { project, ask } = await approvedProject(
      { 'x.sh': 'echo "$(pwd -P) $(basename "$0") $*" >&2\nexit 2\n' },
      './x.sh a b',
    )
    expect(await ask()).toBe(`${project} x.sh a b`)
  })

  it('keeps the name of a link by which it is called, and what the link led to', async () => {
    const says = (word: string) => `#!/bin/sh\necho "$(basename "$0") ${word}" >&2\nexit 2\n`
    const { project, ask } = await approvedProject(
      { 'real.sh': says('GOOD'), 'evil.sh': says('EVIL') },
      './called.sh',
      {},
      (project) => symlinkSync('real.sh', join(project, 'called.sh')),
    )
    const turn = () => {
      symlinkSync('evil.sh', join(project, 'other'))
      renameSync(join(project, 'other'), join(project, 'called.sh'))
    }
    expect(await ask(turn)).toBe('called.sh GOOD')
  })

  it('is named in messages by its original path', async () => {
    const { project, ask } = await approvedProject({ 'x.sh': '#!/bin/bash\nnosuchprogram\nexit 2\n' }, './x.sh')
    expect(await ask()).toMatch(new RegExp(`^${project}/x.sh: line 2: nosuchprogram`))
    const broken = await approvedProject({ 'y.sh': `#!${missing('thing')}\n` }, './y.sh')
    expect(await broken.ask()).toContain(`${broken.project}/y.sh`)
    expect(await broken.ask()).not.toContain(broken.store)
  })

  it('is a copy that only its owner can read, and that nobody changes unnoticed', async () => {
    const { store, project, ask } = await approvedProject({ 'x.sh': shell('GOOD') }, './x.sh')
    expect(await ask()).toContain('GOOD')
    const copies = join(store, 'copies')
    expect(statSync(copies).mode & 0o777).toBe(0o700)
    const copy = join(copies, readdirSync(copies)[0]!, project, 'x.sh')
    expect(statSync(copy).mode & 0o777).toBe(0o500)
    chmodSync(copy, 0o700)
    writeFileSync(copy, shell('EVIL'))
    chmodSync(copy, 0o500)
    expect(await ask()).toContain('GOOD')
  })
})

describe('a script runs where it is', () => {
  it.each([
    'cd "$(dirname "$0")/.."',
    'cd "$(dirname "$(dirname "$0")")"',
    'HERE=$(dirname "$0"); cd "$(dirname "$HERE")"',
  ])('when it looks above its own directory: %s', async (line) => {
    const files = { 'hooks/x.sh': `#!/bin/sh\n${line}\necho "$(pwd -P)" >&2\nexit 2\n` }
    const { project, ask } = await approvedProject(files, 'hooks/x.sh')
    expect(await ask()).toBe(project)
  })

  it.each([
    ['eval ./x.sh', /in several words of `eval`/],
    ['eval "sh -c ./x.sh"', /in several words of `eval`/],
    ['grep -q x ./x.sh; exec ./x.sh', /it is data to its program/],
    ['cd hooks; ./x.sh', /it could be one of several/],
  ])('when the word that names it cannot name a copy, and the reason is given: %s', (command, why) => {
    const project = scratch({ 'x.sh': shell('GOOD'), 'hooks/x.sh': shell('GOOD') })
    const { inPlace } = pinnedBy(hookIn(project, command), placeIn(project))
    expect(inPlace.join('\n')).toMatch(why)
  })

  it('when the hook is given in code', async () => {
    const project = scratch({ 'x.sh': 'echo "$0" >&2; exit 2\n' })
    const hooks = await createHooks({
      cwd: project,
      hooks: [{ event: 'pre_tool_use', run: 'sh ./x.sh' }],
      trust: openTrust({ store: join(scratch(), 'state') }).gate,
    })
    onTestFinished(() => hooks.close())
    expect((await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: {} })).decision?.reason).toBe('./x.sh')
  })
})
