import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createHttpExecutor } from '../../src/executors/http/index.ts'
import { createHooks, openTrust } from '../../src/index.ts'
import { serve } from '../executors/http-server.ts'
import { hookline } from '../support/cli.ts'
import fc from '../support/property.ts'
import { scratch } from '../support/scratch.ts'
import { type Entry, guard, type Project, project, readText } from './project.ts'

const isRoot = process.getuid?.() === 0
const shell = (word: string) => `#!/bin/sh\ntouch ran\necho ${word} >&2\nexit 2\n`
const untrusted = expect.stringMatching(/^untrusted: /)

/** A project whose hook is approved, and has run. */
async function approved(...given: Parameters<typeof project>): Promise<Project> {
  const made = project(...given)
  await made.approve()
  expect(await made.ask()).toBe('GOOD')
  rmSync(made.path('ran'), { force: true })
  return made
}

/** Nothing ran, and the hook is seen to be in this state. */
async function expectNotRun(made: Project, state: string): Promise<void> {
  expect(await made.ask()).toEqual(untrusted)
  expect((await made.states())[0]).toBe(state)
  expect(made.ran()).toBe(false)
}

/** Changes the one hook of an approved project. */
async function changed(change: Entry, from: Entry = {}): Promise<void> {
  const made = await approved({ entries: [{ ...guard, ...from }] })
  made.configure({ ...guard, ...from, ...change })
  await expectNotRun(made, 'changed')
  made.configure({ ...guard, ...from })
  expect(await made.ask()).toBe('GOOD')
}

interface Case {
  law: string
  check(): Promise<void>
  needsRoot?: true
}

const cases: Record<string, Case> = {
  'new-config': {
    law: 'what is seen for the first time neither starts a process, nor opens a connection, nor loads a module',
    async check() {
      let requests = 0
      const port = await serve((_, response) => {
        requests++
        response.end()
      })
      const made = project({
        entries: [
          guard,
          { event: 'pre_tool_use', run: { type: 'http', url: `http://hooks.example:${port}/` } },
          { event: 'pre_tool_use', run: { type: 'function', module: './m.mjs' } },
          { event: 'pre_tool_use', run: { type: 'resident', command: './guard.sh' } },
        ],
        files: {
          'm.mjs': "import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('ran', import.meta.url), '')\n",
        },
      })
      expect(await made.states()).toEqual(Array(4).fill('not-approved'))
      const hooks = await made.load()
      const { reports, decision } = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: {} })
      expect(reports.map(({ failure }) => failure?.kind)).toEqual(Array(4).fill('untrusted'))
      expect(decision?.ruling).toBe('deny')
      expect({ ran: made.ran(), requests }).toEqual({ ran: false, requests: 0 })
    },
  },
  approve: {
    law: 'an approval records the digest of the hook with its files, and the hook runs',
    async check() {
      const made = await approved()
      const [known] = openTrust({ store: made.store }).list()
      expect(known).toMatchObject({
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        subject: { files: [{ realpath: made.path('guard.sh'), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }] },
      })
      expect(await made.states()).toEqual(['approved'])
    },
  },
  'edit-command': {
    law: 'one character of the command',
    check: () => changed({ run: './guard.sh ' }),
  },
  'edit-script': {
    law: 'a script of the same size and times with other bytes does not run',
    async check() {
      const made = await approved()
      made.write('guard.sh', shell('EVIL'))
      await expectNotRun(made, 'changed')
    },
  },
  'touch-only': {
    law: 'new times on the same bytes change nothing',
    async check() {
      const made = await approved()
      utimesSync(made.path('guard.sh'), 1, 1)
      expect(await made.ask()).toBe('GOOD')
    },
  },
  'move-project': {
    law: 'the same bytes in another place are not approved',
    async check() {
      const made = await approved()
      const elsewhere = join(scratch(), 'copy')
      cpSync(made.directory, elsewhere, { recursive: true })
      await expectNotRun(project({ in: elsewhere, store: made.store }), 'not-approved')
    },
  },
  'symlink-script': {
    law: 'a link is bound to where it led and to the bytes there',
    async check() {
      const made = project({ files: { 'real.sh': shell('GOOD'), 'evil.sh': shell('EVIL') } })
      rmSync(made.path('guard.sh'))
      symlinkSync('real.sh', made.path('guard.sh'))
      await made.approve()
      expect(await made.ask()).toBe('GOOD')
      rmSync(made.path('ran'))
      const { subject } = (await made.inspect())[0]!
      expect(subject.files).toMatchObject([{ realpath: made.path('real.sh') }])
      symlinkSync('evil.sh', made.path('link'))
      renameSync(made.path('link'), made.path('guard.sh'))
      await expectNotRun(made, 'changed')
    },
  },
  'symlink-config': {
    law: 'a config that is a link counts as the file it leads to, and is refused if that is a stranger’s',
    needsRoot: true,
    async check() {
      const made = await approved()
      const real = join(scratch(), 'elsewhere.json')
      renameSync(made.config, real)
      symlinkSync(real, made.config)
      await expectNotRun(made, 'not-approved')
      const { subject } = (await made.inspect())[0]!
      expect(subject.file).toBe(real)
      chownSync(real, 12345, 12345)
      await expectNotRun(made, 'refused')
    },
  },
  'parent-writable': {
    law: 'a script in a directory that everybody can change is refused; one that a group can change is warned of',
    async check() {
      const made = project({ entries: [{ ...guard, run: 'hooks/x.sh' }], files: { 'hooks/x.sh': shell('GOOD') } })
      chmodSync(made.path('hooks'), 0o770)
      expect((await made.inspect())[0]!.pinned.warnings.join()).toMatch(
        /hooks can be changed by everybody of its group/,
      )
      await made.approve()
      chmodSync(made.path('hooks'), 0o777)
      await expectNotRun(made, 'refused')
      await expect(made.approve()).rejects.toMatchObject({ code: 'hook-refused' })
    },
  },
  'foreign-owner': {
    law: 'a script of another user is refused',
    needsRoot: true,
    async check() {
      const made = await approved()
      chownSync(made.path('guard.sh'), 12345, 12345)
      await expectNotRun(made, 'refused')
    },
  },
  'setuid-script': {
    law: 'a script with the setuid or setgid bit is refused',
    async check() {
      for (const mode of [0o4755, 0o2755]) {
        const made = await approved()
        chmodSync(made.path('guard.sh'), mode)
        await expectNotRun(made, 'refused')
      }
    },
  },
  'interpreter-change': {
    law: 'an interpreter that is found elsewhere than before is another one',
    async check() {
      const bin = scratch({ sh: shell('EVIL') })
      chmodSync(join(bin, 'sh'), 0o755)
      const made = await approved({ files: { 'guard.sh': '#!/usr/bin/env sh\ntouch ran\necho GOOD >&2\nexit 2\n' } })
      const path = process.env['PATH']
      process.env['PATH'] = `${bin}:${path}`
      try {
        await expectNotRun(made, 'changed')
      } finally {
        process.env['PATH'] = path
      }
    },
  },
  'interpreter-args': {
    law: 'the script of an interpreter is bound by its bytes; what cannot be bound is marked as unpinned',
    async check() {
      const made = project({
        entries: ['bash ./x.sh', 'node x.mjs', 'python3 -m pkg', 'npx tool'].map((run) => ({ event: 'stop', run })),
        files: { 'x.sh': '', 'x.mjs': '' },
      })
      const found = (await made.inspect()).map(({ pinned }) => ({
        files: pinned.files.map(({ path }) => path.slice(made.directory.length + 1)),
        unpinned: pinned.unpinned.join(),
      }))
      expect(found).toMatchObject([
        { files: ['x.sh'], unpinned: '' },
        { files: ['x.mjs'], unpinned: '' },
        // Not there, and where Python looks first: whoever puts one there later changes the hook.
        { files: ['pkg.py', 'pkg/__init__.py'], unpinned: expect.stringMatching(/python3 -m pkg/) },
        { files: [], unpinned: expect.stringMatching(/npx/) },
      ])
    },
  },
  'sourced-lib': {
    law: 'what a script sources counts, and what `files` names; a directory stands for all that is in it',
    async check() {
      const sources = {
        'guard.sh': '#!/bin/sh\n. ./lib.sh\ntouch ran\necho $WORD >&2\nexit 2\n',
        'lib.sh': 'WORD=GOOD\n',
      }
      const made = await approved({ files: sources })
      made.write('lib.sh', 'WORD=EVIL\n')
      await expectNotRun(made, 'changed')
      const entry = { ...guard, run: { type: 'command', command: './guard.sh', files: ['data'] } }
      const listed = await approved({ entries: [entry], files: { 'data/deep/rules.txt': 'a' } })
      listed.write('data/more.txt', '')
      await expectNotRun(listed, 'changed')
    },
  },
  'env-change': {
    law: 'a variable more is another hook; one that loads code into every program is refused',
    async check() {
      await changed({ env: { MODE: 'fast' } })
      await changed({ env: { PATH: './bin:/bin:/usr/bin' } })
      for (const name of ['LD_PRELOAD', 'NODE_OPTIONS', 'BASH_ENV']) {
        const made = await approved()
        made.configure({ ...guard, env: { [name]: './evil' } })
        await expectNotRun(made, 'refused')
      }
    },
  },
  'cwd-change': {
    law: 'another working directory',
    async check() {
      const made = await approved({ files: { 'sub/guard.sh': shell('GOOD') } })
      made.configure({ ...guard, working_dir: 'sub' })
      await expectNotRun(made, 'changed')
    },
  },
  'matcher-widen': {
    law: 'a matcher that matches more',
    check: () => changed({ matcher: { tool: '.*' } }, { matcher: { tool: 'shell' } }),
  },
  'event-add': {
    law: 'the same command on another event needs an approval of its own',
    async check() {
      const made = await approved()
      made.configure(guard, { ...guard, id: 'other', event: 'user_prompt_submit' })
      expect(await made.states()).toEqual(['approved', 'not-approved'])
    },
  },
  'timeout-change': {
    law: 'another time-out: how long a guard may take decides whether it can guard',
    check: () => changed({ timeout: '1s' }, { timeout: '10s' }),
  },
  'http-url': {
    law: 'another path, query, port or scheme',
    async check() {
      const at = (url: string): Entry => ({ id: 'guard', event: 'pre_tool_use', run: { type: 'http', url } })
      const made = project({ entries: [at('https://hooks.example/a')] })
      await made.approve()
      for (const url of [
        'https://hooks.example/b',
        'https://hooks.example/a?q',
        'https://hooks.example:444/a',
        'http://hooks.example/a',
      ]) {
        made.configure(at(url))
        await expectNotRun(made, 'changed')
      }
    },
  },
  'http-redirect': {
    law: 'an approved address that leads elsewhere is not followed',
    async check() {
      let reached = 0
      const other = await serve((_, response) => {
        reached++
        response.end()
      })
      const port = await serve((_, response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${other}/` }).end(),
      )
      const run = { type: 'http', url: `http://127.0.0.1:${port}/`, allow_local: true }
      const made = project({ entries: [{ id: 'guard', event: 'pre_tool_use', run }], layer: 'user' })
      await made.approve()
      expect(await made.ask()).toMatch(/^http: .*redirect|^ssrf: /)
      expect(reached).toBe(0)
    },
  },
  'http-dns': {
    law: 'an approved name that now leads to a private address is not connected to',
    async check() {
      let reached = 0
      const port = await serve((_, response) => {
        reached++
        response.end()
      })
      const run = { type: 'http', url: `http://hooks.example:${port}/` }
      const made = project({ entries: [{ id: 'guard', event: 'pre_tool_use', run }] })
      await made.approve()
      const executors = [createHttpExecutor({ resolve: async () => ['127.0.0.1'] })]
      expect(await made.ask({ executors })).toMatch(/^ssrf: /)
      expect(reached).toBe(0)
    },
  },
  'toctou-swap': {
    law: 'a script that is swapped after the look and before the run runs as it was looked at',
    async check() {
      const made = await approved()
      const { gate } = openTrust({ store: made.store })
      const hooks = await made.load({
        trust(...given) {
          const answer = gate(...given)
          made.write('guard.sh', shell('EVIL'))
          return answer
        },
      })
      expect(await made.askOf(hooks)).toBe('GOOD')
      expect(await made.askOf(hooks)).toEqual(untrusted)
    },
  },
  'toctou-config': {
    law: 'a config that changes after it was loaded changes nothing of what is loaded',
    async check() {
      const made = await approved()
      const hooks = await made.load()
      made.configure({ ...guard, run: 'echo EVIL >&2; exit 2' })
      expect(await made.askOf(hooks)).toBe('GOOD')
      expect(hooks.generation).toBe(1)
    },
  },
  'hot-reload': {
    law: 'what a reload brings is approved by nobody: it does not run until somebody has looked',
    async check() {
      const made = await approved()
      const hooks = await made.load({ strict: true })
      expect(await made.askOf(hooks)).toBe('GOOD')
      made.configure({ ...guard, run: './guard.sh --other' }, { event: 'pre_tool_use', run: 'touch ran' })
      rmSync(made.path('ran'))
      await hooks.reload()
      const { reports } = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: {} })
      expect(reports.map(({ failure }) => failure?.kind)).toEqual(['untrusted', 'untrusted'])
      expect(made.ran()).toBe(false)
      writeFileSync(made.config, '{ "version": 1, "hooks": [')
      await expect(hooks.reload()).rejects.toThrow()
      expect(await made.askOf(hooks)).toEqual(untrusted)
    },
  },
  'reload-mid-dispatch': {
    law: 'a dispatch in flight during a reload ends with the hooks it began with, and the journal records which generation',
    async check() {
      const slow = { ...guard, run: './slow.sh' }
      const files = { 'slow.sh': '#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\necho GOOD >&2\nexit 2\n' }
      const made = project({
        entries: Array.from({ length: 6 }, (_, at) => ({ ...slow, id: `h${at}`, env: { N: `${at}` } })),
        files,
      })
      await made.approve()
      const hooks = await made.load()
      const pending = made.askOf(hooks)
      made.configure({ ...guard, run: 'echo EVIL >&2; exit 2' })
      await hooks.reload()
      expect(await made.askOf(hooks)).toEqual(untrusted)
      writeFileSync(made.path('go'), '')
      expect(await pending).toMatch(/^GOOD(\n?GOOD)*$/)
      const generations: number[] = []
      for await (const { generation } of hooks.journal.entries()) generations.push(generation)
      expect(generations).toEqual([2, 1])
    },
  },
  headless: {
    law: 'without a terminal nothing new is trusted: the guard denies, and doctor complains',
    async check() {
      const made = project()
      const where = { cwd: made.directory, env: { XDG_STATE_HOME: scratch() } }
      const payload = JSON.stringify({ event: 'pre_tool_use', tool_name: 'shell', tool_input: {} })
      expect(await hookline(['approve', '--all'], 'y\n', where)).toMatchObject({ exit: 1 })
      expect(JSON.parse((await hookline(['dispatch'], payload, where)).stdout).decision.ruling).toBe('deny')
      expect((await hookline(['doctor'], '', where)).exit).toBe(1)
      expect(made.ran()).toBe(false)
    },
  },
  'headless-preapproved': {
    law: 'digests that whoever starts the run names let these hooks run, and no others',
    async check() {
      const made = project()
      const { digest } = (await made.inspect())[0]!
      const named = (digests: string[]) => made.ask({ trust: openTrust({ store: made.store, digests }).gate })
      expect(await named([digest])).toBe('GOOD')
      expect(await named([digest.replace(/.$/, (last) => (last === '0' ? '1' : '0'))])).toEqual(untrusted)
      made.write('guard.sh', shell('EVIL'))
      expect(await named([digest])).toEqual(untrusted)
    },
  },
  'project-sets-trust': {
    law: 'a project that claims to be trusted is not, and a note reports the claim',
    async check() {
      const claims = { trusted: true, approvals: {}, trust: { self_approve: 'loopback' } }
      const made = project()
      writeFileSync(made.config, JSON.stringify({ version: 1, ...claims, hooks: [{ ...guard, trusted: true }] }))
      await expectNotRun(made, 'not-approved')
      const codes = (await made.load()).notes.map(({ code }) => code)
      expect(codes).toEqual(expect.arrayContaining(['approval-ignored', 'setting-ignored']))
    },
  },
  'local-trust-path': {
    law: 'nor can it name places that are to be trusted',
    async check() {
      const made = project({ layer: 'local' })
      const claim = { trusted_paths: ['.'], trusted_directories: ['/'] }
      writeFileSync(made.config, JSON.stringify({ version: 1, ...claim, hooks: [guard] }))
      await expectNotRun(made, 'not-approved')
      expect((await made.load()).notes.filter(({ code }) => code === 'approval-ignored')).toHaveLength(2)
    },
  },
  'nested-repo': {
    law: 'a repository inside an approved one is another project',
    async check() {
      const made = await approved()
      const inner = join(made.directory, 'inner')
      mkdirSync(join(inner, '.git'), { recursive: true })
      await expectNotRun(project({ in: inner, store: made.store }), 'not-approved')
    },
  },
  worktree: {
    law: 'a linked worktree is another project, whatever its pointer says',
    async check() {
      const made = await approved()
      const git = (...args: string[]) => execFileSync('git', args, { cwd: made.directory, stdio: 'ignore' })
      git('init', '-q')
      git('add', '-A')
      git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'x')
      const tree = join(scratch(), 'tree')
      git('worktree', 'add', '-q', tree)
      const linked = project({ in: tree, store: made.store })
      await expectNotRun(linked, 'not-approved')
      writeFileSync(join(tree, '.git'), `gitdir: ${made.directory}/.git\n`)
      await expectNotRun(linked, 'not-approved')
    },
  },
  'home-dir': {
    law: 'approving what stands in a home directory trusts nothing else there: no directory is ever trusted',
    async check() {
      const home = scratch()
      const made = await approved({ in: home })
      await expectNotRun(project({ in: join(home, 'work'), store: made.store }), 'not-approved')
      made.configure(guard, { ...guard, id: 'other', run: 'echo EVIL' })
      expect(await made.states()).toEqual(['approved', 'not-approved'])
    },
  },
  'approve-wrapper': {
    law: 'approving `sh -c X` approves X, and not the shell',
    async check() {
      const run = (code: string): Entry => ({ ...guard, run: { type: 'command', command: 'sh', args: ['-c', code] } })
      const made = await approved({ entries: [run('echo GOOD >&2; exit 2')] })
      made.configure(run('touch ran'))
      await expectNotRun(made, 'changed')
      made.configure({ ...run('touch ran'), id: 'other' })
      await expectNotRun(made, 'not-approved')
    },
  },
  revoke: {
    law: 'what is revoked does not run from the next event on, where it is loaded already too',
    async check() {
      const made = await approved()
      const hooks = await made.load()
      expect(await made.askOf(hooks)).toBe('GOOD')
      await openTrust({ store: made.store }).revoke({ ids: ['guard'] })
      expect(await made.askOf(hooks)).toEqual(untrusted)
    },
  },
  'store-tamper': {
    law: 'approvals are their owner’s alone, outside the workspace; what others could have written trusts nothing',
    async check() {
      const made = await approved()
      const file = join(made.store, 'approvals.json')
      expect(statSync(file).mode & 0o777).toBe(0o600)
      chmodSync(file, 0o606)
      expect(await made.ask()).toMatch(/not yours alone/)
      chmodSync(file, 0o600)
      const inside = made.path('state')
      cpSync(made.store, inside, { recursive: true })
      expect(await made.ask({ trust: openTrust({ store: inside }).gate })).toMatch(/inside the workspace/)
      if (isRoot) {
        chownSync(file, 12345, 12345)
        expect(await made.ask()).toMatch(/belongs to another user/)
      }
    },
  },
  'store-guarded': {
    law: 'the agent’s tools can neither write to the approvals and copies nor call for an approval',
    async check() {
      const state = scratch()
      const before = process.env['XDG_STATE_HOME']
      process.env['XDG_STATE_HOME'] = state
      try {
        const hooks = await createHooks({
          cwd: '/',
          hooks: [{ event: 'pre_tool_use', run: { type: 'builtin', name: 'self_protection' } }],
        })
        const ruling = async (tool_name: string, tool_input: Record<string, unknown>) =>
          (await hooks.raise('pre_tool_use', { tool_name, tool_input })).decision?.ruling
        for (const file of ['approvals.json', 'approve-token', 'copies/ab/x.sh', 'journal.jsonl']) {
          const path = join(state, 'hookline', file)
          expect(await ruling('write_file', { path, content: '' })).toBe('deny')
          expect(await ruling('shell', { command: `echo x > ${path}` })).toBe('deny')
          expect(await ruling('shell', { command: `rm -rf ${join(state, 'hookline')}` })).toBe('deny')
        }
        expect(await ruling('shell', { command: 'hookline approve --self --all' })).toBe('deny')
        expect(await ruling('shell', { command: 'XDG_CONFIG_HOME=x npx hookline approve --yes guard' })).toBe('deny')
        await hooks.close()
      } finally {
        if (before === undefined) delete process.env['XDG_STATE_HOME']
        else process.env['XDG_STATE_HOME'] = before
      }
    },
  },
  'store-corrupt': {
    law: 'approvals that cannot be read trust nothing, say so, and stay as they are',
    async check() {
      const made = await approved()
      const file = join(made.store, 'approvals.json')
      const half = readText(file).slice(0, 40)
      writeFileSync(file, half)
      expect(await made.ask()).toMatch(/^untrusted: .*nothing is trusted/)
      expect(made.ran()).toBe(false)
      await expect(made.approve()).rejects.toMatchObject({ code: 'approvals-damaged' })
      expect(readText(file)).toBe(half)
    },
  },
  'store-race': {
    law: 'of two processes that approve at once, both count',
    async check() {
      const made = project({
        entries: Array.from({ length: 4 }, (_, at) => ({ id: `h${at}`, event: 'stop', run: `echo ${at}` })),
      })
      const state = scratch()
      const { makeToken } = await import('../../src/trust/index.ts')
      const env = { XDG_STATE_HOME: state, HOOKLINE_APPROVE_TOKEN: makeToken(join(state, 'hookline')) }
      const sessions = await Promise.all(
        [0, 1, 2, 3].map((at) => hookline(['approve', '--yes', `h${at}`], '', { cwd: made.directory, env })),
      )
      expect(sessions.map(({ exit }) => exit)).toEqual([0, 0, 0, 0])
      expect(openTrust({ store: join(state, 'hookline') }).list()).toHaveLength(4)
    },
  },
  'hash-algo': {
    law: 'a digest of another making proves nothing',
    async check() {
      const made = await approved()
      const file = join(made.store, 'approvals.json')
      writeFileSync(file, readText(file).replaceAll('"sha256:', '"md5:'))
      expect(await made.ask()).toEqual(untrusted)
    },
  },
  canonicalisation: {
    law: 'the same hook written in another way is the same hook, and another hook is another',
    async check() {
      const made = await approved({ entries: [{ ...guard, env: { A: '1', B: 'é' }, matcher: { tool: 'shell' } }] })
      const other = made.path('hookline.json')
      writeFileSync(
        other,
        '{ "hooks" : [\n\n{"matcher":{"tool":"shell"},"env":{"B":"\\u00e9","A":"1"},\n"run":"./guard.sh","event":"pre_tool_use","id":"guard"}],"version":1}',
      )
      expect(await made.ask()).toBe('GOOD')
      // Another way to write the same letter is another text: it can name another file.
      writeFileSync(other, readText(other).replace('\\u00e9', 'e\\u0301'))
      expect(await made.states()).toEqual(['changed'])
      const digestOf = async (env: Record<string, string>) => {
        made.configure({ ...guard, env })
        return (await made.inspect())[0]!.digest
      }
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(fc.stringMatching(/^[A-Z]{1,3}$/), fc.string({ maxLength: 5 }), { maxKeys: 3 }),
          fc.dictionary(fc.stringMatching(/^[A-Z]{1,3}$/), fc.string({ maxLength: 5 }), { maxKeys: 3 }),
          async (one, two) => {
            const turned = Object.fromEntries(Object.entries(one).reverse())
            expect(await digestOf(turned)).toBe(await digestOf(one))
            const same = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(two).sort())
            expect((await digestOf(two)) === (await digestOf(one))).toBe(same)
          },
        ),
        { numRuns: 6 },
      )
    },
  },
  crlf: {
    law: 'other line ends are other bytes, and the message names that as the only change',
    async check() {
      const made = await approved()
      made.write('guard.sh', readText(made.path('guard.sh')).replaceAll('\n', '\r\n'))
      await expectNotRun(made, 'changed')
      expect((await made.inspect())[0]!.changes.join()).toMatch(/only in its line ends \(CRLF\)/)
      expect(await made.ask()).toMatch(/CRLF/)
    },
  },
  'huge-script': {
    law: 'only a regular file of a size that people write is looked at; nothing hangs',
    async check() {
      const ways: ((file: string) => void)[] = [
        (file) => truncateSync(file, 2 ** 31),
        (file) => {
          rmSync(file)
          execFileSync('mkfifo', [file])
        },
        (file) => {
          rmSync(file)
          symlinkSync('/dev/zero', file)
        },
      ]
      for (const spoil of ways) {
        const made = await approved()
        spoil(made.path('guard.sh'))
        await expectNotRun(made, 'refused')
      }
    },
  },
  binary: {
    law: 'a binary is bound by its bytes, and shown with path, size and digest',
    async check() {
      const run = { type: 'command', command: './tool', args: ['-c', 'echo GOOD >&2; exit 2'] }
      const made = project({ entries: [{ ...guard, run }] })
      cpSync('/bin/sh', made.path('tool'), { dereference: true })
      await made.approve()
      expect(await made.ask()).toBe('GOOD')
      expect((await made.inspect())[0]!.pinned.files).toMatchObject([
        { path: made.path('tool'), size: statSync('/bin/sh').size, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ])
      writeFileSync(made.path('tool'), shell('EVIL'))
      await expectNotRun(made, 'changed')
    },
  },
  managed: {
    law: 'hooks of the administrator need no approval, and no lower layer mutes them; but only root’s are the administrator’s',
    needsRoot: true,
    async check() {
      const made = project({ layer: 'managed' })
      const lower = project({ in: scratch() })
      writeFileSync(lower.config, JSON.stringify({ version: 1, disabled: ['guard', '*'], hooks: [] }))
      const files = [
        { file: made.config, layer: 'managed' as const },
        { file: lower.config, layer: 'project' as const },
      ]
      expect(await made.ask({ files })).toBe('GOOD')
      chmodSync(made.config, 0o666)
      expect(await made.ask()).toEqual(untrusted)
    },
  },
  'dangerous-flag': {
    law: 'only the command line can trust all, never a config; and each dispatch says so in the journal',
    async check() {
      const made = project()
      const state = scratch()
      const where = { cwd: made.directory, env: { XDG_STATE_HOME: state } }
      const payload = JSON.stringify({ event: 'pre_tool_use', tool_name: 'shell', tool_input: {} })
      const file = join(state, 'own.jsonl')
      const { stdout } = await hookline(['dispatch', '--trust', 'all', '--journal', file], payload, where)
      expect(JSON.parse(stdout).decision.reason).toBe('GOOD')
      expect(readText(file)).toContain('"unchecked":true')
      expect((await hookline(['dispatch', '--trust', 'everything'], payload, where)).exit).toBe(64)
      made.configure({ ...guard, trust: 'all' })
      const refused = await hookline(['dispatch'], payload, where)
      expect(refused.stdout).not.toContain('GOOD')
    },
  },
}

describe('trust, case by case', () => {
  for (const [id, { law, check, needsRoot }] of Object.entries(cases))
    it.skipIf(needsRoot && !isRoot)(`${id}: ${law}`, check)
})
