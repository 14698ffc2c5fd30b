import { describe, expect, it } from 'vitest'
import { analyseCommand, findingsOnce } from '../../src/guards/shell/index.ts'
import { readCorpus } from '../support/corpus.ts'

const judged = (name: 'dangerous' | 'ordinary') =>
  readCorpus(name).map((each) => ({ ...each, ...analyseCommand({ command: each.command }) }))
const families = (name: 'dangerous' | 'ordinary') => [...new Set(readCorpus(name).map(({ family }) => family))]

describe('what the classifier is held to', () => {
  const dangerous = judged('dangerous')
  const ordinary = judged('ordinary')

  it('at least 95 of 100 dangerous commands are called destructive', () => {
    const missed = dangerous.filter(({ verdict }) => verdict !== 'destructive')
    expect(missed.length / dangerous.length, missed.map(({ command }) => command).join('\n')).toBeLessThanOrEqual(0.05)
  })

  it.each(families('dangerous'))('of %s, nine of ten at least', (family) => {
    const own = dangerous.filter((each) => each.family === family)
    const missed = own.filter(({ verdict }) => verdict !== 'destructive')
    expect(missed.length / own.length, missed.map(({ command }) => command).join('\n')).toBeLessThanOrEqual(0.1)
  })

  it('none of them is called safe', () => {
    expect(dangerous.filter(({ verdict }) => verdict === 'safe').map(({ command }) => command)).toEqual([])
  })

  it('no link and no move in front makes one of them milder', () => {
    const before = 'ln -s /tmp/a y; ln -sfn dist ~/projects; mv src /tmp/b; mount --bind /tmp/c .git; '
    const some = dangerous.filter((_, at) => at % 9 === 0)
    const milder = some.filter(
      ({ command, verdict }) =>
        verdict === 'destructive' && analyseCommand({ command: before + command }).verdict !== 'destructive',
    )
    expect(milder.map(({ command }) => command)).toEqual([])
  })

  it('at most one of 100 ordinary commands is called destructive', () => {
    const blocked = ordinary.filter(({ verdict }) => verdict === 'destructive')
    expect(blocked.length / ordinary.length, blocked.map(({ command }) => command).join('\n')).toBeLessThanOrEqual(0.01)
  })
})

describe('dry runs and scratch are not destructive', () => {
  const dry = judged('ordinary').filter(({ family }) => family === 'dry runs and scratch')

  it.each(dry.map(({ command, verdict }) => [command, verdict]))('%s', (_, verdict) =>
    expect(verdict).not.toBe('destructive'),
  )
})

describe('a dry run counts only where the program takes it for one', () => {
  it.each([
    'kubectl delete pod x --dry-run=none',
    'kubectl delete pod x -n --dry-run',
    'kubectl delete pod x -- --dry-run',
    'mkfs.vfat -n LABEL /dev/sdb1',
    'mkfs -t vfat -n LABEL /dev/sdb1',
    'mke2fs -L -n /dev/sdb1',
    'npm publish --dry-run --no-dry-run',
    'npm publish --dry-run=false',
    'rm -rf / --dry-run',
    'git push --force -- --dry-run',
    'curl -X DELETE http://localhost@example.com/x',
    'curl -X DELETE http://localhost:80@example.com/x',
    'curl -X DELETE http://localhost.example.com/x',
    "find . ! -name '*.pyc' -delete",
    "find . -name '*.pyc' -o -delete",
    "find / -name '*.o' -delete",
  ])('%s', (command) => expect(analyseCommand({ command }).verdict).toBe('destructive'))
})

describe('a deletion says what it deletes', () => {
  it.each([
    ['rm -rf build', 'low'],
    ['rm -rf node_modules dist', 'low'],
    ['rm notes.txt', 'low'],
    ['rm -rf src/old', 'medium'],
    ['rm -rf "$BUILD_DIR"', 'unknown'],
    ['rm -rf /tmp/x', 'low'],
    ["find . -name '*.pyc' -delete", 'low'],
  ])('%s: fs-delete, %s', (command, radius) => {
    const { verdict, categories, radius: found } = analyseCommand({ command })
    expect({ verdict, first: categories[0], radius: found }).toEqual({ verdict: 'unknown', first: 'fs-delete', radius })
  })
})

describe('a script that can be read is judged by what it does', () => {
  const files: Record<string, string> = {
    '/w/run.sh': '#!/bin/sh\nset -e\nrm -rf ~\n',
    '/w/package.json': '{"scripts":{"wipe":"rm -rf ~","build":"tsc -p ."}}',
    '/w/composer.json': '{"scripts":{"wipe":["@php x","rm -rf ~"]}}',
    '/w/deno.json': '{"tasks":{"wipe":"rm -rf ~"}}',
    '/w/Makefile': [
      'DIR ?= build',
      'WHERE = $(HOME)',
      'include more.mk',
      'all: main.o',
      '\tcc -o app main.o',
      '%.o: %.c',
      '\tcc -c $<',
      'clean:',
      '\t-@rm -rf $(DIR)',
      'wipe: all',
      '\t@echo wiping \\',
      '\t  && rm -rf "$(WHERE)"',
      'deep: wipe ; @true',
      'again: ; $(MAKE) wipe',
    ].join('\n'),
    '/w/more.mk': 'taken:\n\trm -rf ~\n',
    '/w/justfile':
      'where := "~"\nalias w := wipe\nbuild:\n  cargo build\nwipe dir=where: build\n  @rm -rf {{dir}}\nscript:\n  #!/usr/bin/env bash\n  cd ~\n  rm -rf .\n',
    '/w/Taskfile.yml':
      "version: '3'\nvars:\n  WHERE: '~'\ntasks:\n  build: go build ./...\n  wipe:\n    deps: [build]\n    cmds:\n      - cmd: rm -rf {{.WHERE}}\n  all:\n    cmds:\n      - task: wipe\n  long:\n    cmds:\n      - |\n        cd ~\n        rm -rf .\n",
  }
  const found = (command: string) =>
    findingsOnce({ command, cwd: '/w', home: '/home/ada' }, { read: (path) => files[path] })

  const wiping = [
    ...['./run.sh', 'bash run.sh', '. ./run.sh', 'npm run wipe', 'composer wipe', 'deno task wipe'],
    ...[
      'make wipe',
      'make deep',
      'make again',
      'make taken',
      'make clean DIR=~',
      'make -C /w wipe',
      'make -f Makefile wipe',
    ],
    ...[
      'just wipe',
      'just w',
      'just wipe "$HOME"',
      'just script',
      'task wipe',
      'task all',
      'task long',
      'cd sub && just wipe',
    ],
  ]
  it.each(wiping)('%s', (command) =>
    expect(found(command)).toContainEqual(expect.objectContaining({ verdict: 'destructive', category: 'fs-delete' })),
  )

  it.each([
    'npm run build',
    'make',
    'make main.o',
    'make clean',
    'make -n wipe',
    'just',
    'just --list',
    'task build',
    'task --dry wipe',
  ])('%s stays harmless', (command) =>
    expect(found(command).filter(({ verdict }) => verdict === 'destructive')).toEqual([]),
  )

  it('files of tasks that are made to be slow cost no more than others', () => {
    const slow = [
      '$('.repeat(30_000),
      ' '.repeat(60_000),
      'a '.repeat(30_000),
      'x: '.repeat(20_000),
      'A = $(A)$(A)\nx:\n\t$(A)\n',
      '\\\n'.repeat(30_000),
    ]
    for (const text of slow)
      for (const name of ['Makefile', 'justfile', 'Taskfile.yml'])
        for (const command of ['make x', 'just x', 'task x'])
          expect(() =>
            findingsOnce({ command, cwd: '/w' }, { read: (path) => (path === `/w/${name}` ? text : undefined) }),
          ).not.toThrow()
  })
})
