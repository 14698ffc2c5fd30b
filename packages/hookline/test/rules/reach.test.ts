import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { actionsOf, machineLook } from 'hookline/guards'
import { describe, expect, it } from 'vitest'
import { formatActions } from './format-actions.ts'
import { judging, project } from './support.ts'

const files = {
  'infra/main.tf': '',
  'sub/a': '',
  '.env': 'A=1',
  'list.txt': 'infra/main.tf\nother\n',
  'plain.txt': 'one.log\ntwo.log\n',
  'clean.sh': '#!/bin/sh\nrm -rf "$1" infra\n',
  'harmless.sh': 'cat "$FILE"\n"$TOOL" x\nrm "$X"\n',
  'nested/outer.sh': '#!/usr/bin/env bash\nsh ./clean.sh\n',
  'loop.sh': 'bash loop.sh\nrm -rf infra\n',
  'tool.py': '#!/usr/bin/python3\nrm -rf infra\n',
  'binary.sh': 'rm -rf infra\0',
  'move.sh': 'cd infra\n',
  'package.json': JSON.stringify({
    scripts: { test: 'vitest run', clean: 'rimraf dist', postclean: 'rm -rf infra', all: 'npm run clean' },
  }),
}
const guarded = [{ deny: { delete: 'infra/**' } }]

describe('where it is not certain that the directory changed, both count', () => {
  it.each([
    'false && cd /tmp; rm -rf infra',
    'cd /nope-nowhere || true; rm -rf infra',
    'cd /nope-nowhere; rm -rf infra',
    'cd .env; rm -rf infra',
    'if test -d x; then cd /tmp; fi; rm -rf infra',
    'if a; then cd /tmp; elif b; then cd /var; fi; rm -rf infra',
    'case $1 in x) cd /tmp;; esac; rm -rf infra',
    'for d in $X; do cd /tmp; break; done; rm -rf infra',
    'while a; do cd /tmp; done; rm -rf infra',
    'test -d x && cd /tmp; rm -rf infra',
    'true || cd /tmp; rm -rf infra',
    '! true && cd /tmp; rm -rf infra',
    '(cd /tmp); rm -rf infra',
    'cd /tmp | cat; rm -rf infra',
    'sudo cd /tmp; rm -rf infra',
    'f() { cd /nope-nowhere || return; }; f; rm -rf infra',
    'D=infra; a && D=/tmp/x; rm -rf $D',
    'D=infra; if a; then D=other; fi; rm -rf "$D"',
    'cd sub; rm -rf ../infra',
    'eval "a && cd /tmp"; rm -rf infra',
  ])('%s', async (command) => {
    const { run } = await judging(guarded, { cwd: project(files) })
    expect(await run(command)).toMatch(/deny|ask/)
  })

  it.each(['cd $X; rm -rf infra', 'cd "$(pick)" && rm -rf infra'])('%s is at least a question', async (command) => {
    const { run } = await judging(guarded, { cwd: project(files) })
    expect(await run(command)).toMatch(/deny|ask/)
  })

  it.each([
    'cd /nope-nowhere && rm -rf infra',
    'cd /tmp; rm -rf infra',
    'cd /nope-nowhere || exit 1; rm -rf infra',
    'if cd /nope-nowhere; then rm -rf infra; fi',
    'false || cd /tmp; rm -rf infra',
    'f() { cd /tmp; }; f; rm -rf infra',
    'if true; then cd sub; else cd /tmp; fi; rm -rf infra',
  ])('%s is certain', async (command) => {
    const { run } = await judging(guarded, { cwd: project(files) })
    expect(await run(command)).toBe('-')
  })
})

describe('scripts on disk', () => {
  it.each([
    'bash clean.sh dist',
    'sh -e clean.sh',
    './clean.sh',
    '. ./clean.sh',
    'source clean.sh',
    'bash nested/outer.sh',
    'bash loop.sh',
    'sudo ./clean.sh',
    'npm run clean',
    'npm run all',
    'pnpm clean',
    'yarn run clean',
    'cd sub && npm run clean',
    'echo "rm -rf infra" > x.sh; bash x.sh',
    '. ./move.sh; rm -rf main.tf',
  ])('%s does what stands in it', async (command) => {
    const { run } = await judging(guarded, { cwd: project(files) })
    expect(await run(command)).toBe('deny')
  })

  it.each([
    'bash harmless.sh',
    './tool.py',
    'python3 tool.py',
    'bash binary.sh',
    'bash missing.sh',
    'npm test',
    'make',
  ])('%s is no question for other rules', async (command) => {
    const { run } = await judging([...guarded, { deny: { read: '**/.env*' } }, { deny: { run: 'git push' } }], {
      cwd: project(files),
    })
    expect(await run(command)).toBe('-')
  })

  it('who allows the command has allowed what stands in it, and a deny still holds', async () => {
    const cwd = project(files)
    const allowed = [{ allow: { run: ['npm test', 'npm run clean', 'bash harmless.sh'] } }]
    const { run } = await judging(allowed, { cwd })
    for (const command of ['npm test', 'npm run clean', 'bash harmless.sh']) expect(await run(command)).toBe('allow')
    expect(await run('npm test > log')).toBe('-')
    const both = await judging([...allowed, ...guarded], { cwd })
    expect(await both.run('npm run clean')).toBe('deny')
  })

  it('says in which script an action stands', () => {
    const cwd = project(files)
    const { actions, complete } = actionsOf(
      { tool: 'shell', input: { command: 'bash clean.sh x' }, cwd },
      machineLook(),
    )
    expect(complete).toBe(true)
    expect(actions.find(({ kind }) => kind === 'delete')).toMatchObject({ inside: ['bash clean.sh'] })
    expect(actions.filter(({ by }) => by === undefined)).toHaveLength(1)
  })
})

describe('containers', () => {
  const rules = [{ deny: { read: '**/.env*' } }, ...guarded]
  it.each([
    'docker run --rm -v "$PWD":/app alpine cat /app/.env',
    'podman run -v .:/x:ro alpine cat /x/.env',
    'docker run --mount type=bind,src=$PWD,dst=/app alpine sh -c "cat /app/.env"',
    'docker run -v $PWD:/app -w /app alpine rm -rf infra',
    'docker run -v $PWD:/data/app alpine rm -rf /data',
    'docker cp .env web:/x',
  ])('%s reaches the files of this machine', async (command) => {
    const { run } = await judging(rules, { cwd: project(files) })
    expect(await run(command)).toBe('deny')
  })

  it.each([
    'docker run alpine cat /app/.env',
    'docker run -v data:/app alpine cat /app/.env',
    'docker run -v $PWD/sub:/app alpine cat /app/a',
    'docker exec web rm -rf /infra',
  ])('%s does not', async (command) => {
    const { run } = await judging(rules, { cwd: project(files) })
    expect(await run(command)).toBe('-')
  })
})

describe('names that other programs give', () => {
  const rules = [{ deny: { read: '**/.env*' } }, { deny: { delete: ['infra/**', '**/.env*'] } }]
  it.each([
    'while read f; do rm "$f"; done < list.txt',
    'cat list.txt | while read -r f; do rm "$f"; done',
    'xargs rm < list.txt',
    'xargs -a list.txt rm',
    'cat list.txt | xargs rm -f',
    'rm -rf $(find infra -name "*.tf")',
    "find . -name '.env*' | xargs cat",
    "find . -name '*env*' -exec cat {} +",
    'find infra -type f -print0 | xargs -0 rm',
    'find . -name .env | while read f; do cat $f; done',
  ])('%s matches', async (command) => {
    const { run } = await judging(rules, { cwd: project(files) })
    expect(await run(command)).toMatch(/deny|ask/)
  })

  it.each([
    'while read f; do rm "$f"; done < plain.txt',
    'xargs -a plain.txt rm',
    "find src -name '*.log' -print0 | xargs -0 rm",
    "rm $(find src -name '*.log')",
    'for f in $(ls sub); do cat "sub/$f"; done',
    "find . -name package.json -exec cat {} ';'",
    "find . -name '*.ts' | xargs wc -l",
    'find src -name \'*.o\' | while read -r f; do rm "$f"; done',
    'cat packages/*/package.json',
    'cat */package.json src/*/*.ts',
  ])('%s is no question', async (command) => {
    const { run } = await judging(rules, { cwd: project(files) })
    expect(await run(command)).toBe('-')
  })
})

it('the machine says which files git tracks, and whether something is not committed', () => {
  const cwd = project({ 'a/b.txt': '1', 'ä.txt': '2' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd, stdio: 'ignore' })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'one')
  expect(machineLook().git?.(cwd)?.dirty).toBe(false)
  writeFileSync(join(cwd, 'new.txt'), 'x')
  mkdirSync(join(cwd, 'empty'))
  for (const version of ['2', '4']) {
    git('update-index', '--index-version', version)
    const { tracked, git: repository } = machineLook()
    expect(['a/b.txt', 'a', 'ä.txt', 'new.txt', 'empty'].map((path) => tracked?.(join(cwd, path)))).toEqual([
      ...[true, true, true, false, false],
    ])
    expect(repository?.(cwd)?.dirty).toBe(true)
  }
  expect(machineLook().tracked?.('/nope-nowhere/x')).toBeUndefined()
})

it.each([
  'rm a;'.repeat(20_000),
  `rm ${'a '.repeat(50_000)}`,
  `cat ${'a/*/b '.repeat(15_000)}`,
  'a=$a$a;a=x;'.repeat(8_000),
  `${'for i in a b c d e f g h; do '.repeat(12)}X=$i${'; done'.repeat(12)}`,
  'cd a; '.repeat(20_000),
])('a line without end is not followed to its end: %#', (command) => {
  expect(formatActions(actionsOf({ tool: 'shell', input: { command }, cwd: '/w' }, {})).at(-1)).toMatch(/^more/)
})
