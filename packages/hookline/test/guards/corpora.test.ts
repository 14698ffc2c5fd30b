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
  }
  const found = (command: string) =>
    findingsOnce({ command, cwd: '/w', home: '/home/ada' }, { read: (path) => files[path] })

  it.each(['./run.sh', 'bash run.sh', '. ./run.sh', 'npm run wipe'])('%s', (command) =>
    expect(found(command)).toContainEqual(expect.objectContaining({ verdict: 'destructive', category: 'fs-delete' })),
  )

  it('and a harmless one stays harmless', () =>
    expect(found('npm run build').filter(({ verdict }) => verdict === 'destructive')).toEqual([]))
})
