import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCommandExecutor } from '../../src/executors/command/index.ts'
import { isAlive } from '../../src/platform/index.ts'
import { scratch } from '../support/scratch.ts'
import { soon } from '../support/soon.ts'
import { ask, direct } from './command-support.ts'
import { markName, processesMarked } from './contract.ts'

const marked = () => {
  const mark = randomUUID()
  return { env: { [markName]: mark }, survivors: () => processesMarked(mark) }
}

describe('the deadline ends the whole group', () => {
  const stubborn = {
    'a hook that ignores SIGTERM': `trap '' TERM; sleep 300 & wait; sleep 300`,
    'a hook and its child that both ignore it': `bash -c 'trap "" TERM; (trap "" TERM; sleep 300) & wait; wait; sleep 300'`,
    'a hook that spins': 'while :; do :; done',
    'a hook that drips, for the deadline is no idle time': 'while :; do printf " "; sleep 0.05; done',
    'a hook that stops itself': 'kill -STOP $$; echo "{}"',
    'a hook with two hundred children': 'i=0; while [ $i -lt 200 ]; do sleep 300 & i=$((i+1)); done; wait',
    'a hook whose child fled into a session of its own': 'setsid sleep 300 >/dev/null 2>&1 & sleep 300',
  }
  for (const [name, command] of Object.entries(stubborn))
    test(name, async () => {
      const { env, survivors } = marked()
      const { failure, ms } = await ask(direct(), { command }, { timeoutMs: 300, env })
      expect(failure).toMatchObject({ kind: 'aborted' })
      expect(ms).toBeLessThan(soon)
      await expect.poll(survivors).toEqual([])
    })

  test('a hook that reacts to SIGTERM may clean up within its grace', async () => {
    const command = `trap 'echo bye >&2; exit 0' TERM; sleep 300 & wait`
    const { failure, call, ms } = await ask(direct(), { command, grace_ms: 60_000 }, { timeoutMs: 300 })
    expect(failure).toMatchObject({ kind: 'aborted' })
    expect(call.bytes.stderr).toBe('bye\n'.length)
    expect(ms).toBeLessThan(soon)
  })

  test('a large payload that nobody reads does not delay it', async () => {
    const payload = { tool_input: { content: 'x'.repeat(8 * 1024 * 1024) } }
    const { failure, ms } = await ask(direct(), { command: 'sleep 300' }, { payload, timeoutMs: 300 })
    expect(failure).toMatchObject({ kind: 'aborted' })
    expect(ms).toBeLessThan(soon)
  })

  test('other hooks are not held up by one that spins', async () => {
    const executor = direct()
    const spinning = ask(executor, { command: 'while :; do :; done' }, { timeoutMs: 1_000 })
    const { reply } = await ask(executor, { command: 'echo "{}"' })
    expect(reply?.stdout).toBe('{}\n')
    await spinning
  })
})

describe('a hook settles at its exit, whoever holds its pipes', () => {
  const leaving = {
    'a child in the background': 'sleep 300 & echo "{}"',
    'a child in a session of its own': 'setsid sleep 300 & sleep 0.1; echo "{}"',
    'a daemon that forked twice': `perl -e 'use POSIX; fork and exit; POSIX::setsid(); fork and exit; sleep 300' ; echo "{}"`,
  }
  for (const [name, command] of Object.entries(leaving))
    test(`${name} is stopped and named`, async () => {
      const { env, survivors } = marked()
      const { reply, call, ms } = await ask(direct(), { command }, { timeoutMs: 20_000, env })
      expect(reply).toMatchObject({ exit: 0, stdout: '{}\n' })
      expect(ms).toBeLessThan(soon)
      expect(call.notes.map((note) => note.code)).toEqual(['hook-leaked'])
      await expect.poll(survivors).toEqual([])
    })

  const daemon = (more: string, ready = 'sleep 0.3') =>
    `perl -e 'use POSIX; exit if fork; POSIX::setsid(); exit if fork; POSIX::close($_) for 0..20; ${more} sleep 300'; ${ready}; echo "{}"`

  test('a daemon that closed everything is stopped and named', async () => {
    const { env, survivors } = marked()
    const { reply, call } = await ask(direct(), { command: daemon('') }, { env })
    expect(reply?.stdout).toBe('{}\n')
    expect(call.notes.map((note) => note.code)).toEqual(['hook-leaked'])
    await expect.poll(survivors).toEqual([])
  })

  test('a daemon that threw away its environment at once is stopped and named', async () => {
    const place = scratch()
    const forget = `%ENV = (); open(F, ">", "${place}/pid"); print F $$; close F; exec "/bin/sleep", "300";`
    const forgot = `until grep -q sleep "/proc/$(cat "${place}/pid")/comm"; do sleep 0.02; done 2>/dev/null`
    const { call } = await ask(direct(), { command: daemon(forget, forgot) }, { timeoutMs: 60_000 })
    const pid = Number(readFileSync(join(place, 'pid'), 'utf8'))
    expect(call.notes).toMatchObject([{ code: 'hook-leaked', message: expect.stringContaining(`sleep (${pid})`) }])
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test('a daemon that somebody else starts meanwhile is neither stopped nor named', async () => {
    const place = scratch()
    const hook = ask(direct(), { command: `until [ -s "${place}/pid" ]; do sleep 0.02; done; echo "{}"` })
    const started = spawn('setsid', ['-f', 'sh', '-c', `echo $$ > "${place}/pid"; exec sleep 300`], { env: {} })
    await new Promise((resolve) => started.once('exit', resolve))
    const { call } = await hook
    const pid = Number(readFileSync(join(place, 'pid'), 'utf8'))
    onTestFinished(() => void process.kill(pid, 'SIGKILL'))
    expect(call.notes).toEqual([])
    expect(isAlive(pid)).toBe(true)
  })

  test('a process that another host is just starting is neither stopped nor named, whatever its second mark', async () => {
    const place = scratch()
    const hook = ask(direct(), { command: `until [ -s "${place}/ready" ]; do sleep 0.02; done; echo "{}"` })
    // Every value that the second mark can have, without the first: as between fork and exec.
    const bits = [0x04, 0x08, 0x40, 0x80, 0x100]
    const marks = Array.from({ length: 2 ** bits.length }, (_, chosen) =>
      bits.reduce((sum, bit, at) => sum + (chosen & (1 << at) ? bit : 0), 0x33),
    )
    const script = `for mark in ${marks.join(' ')}; do echo $mark > /proc/self/coredump_filter; sleep 300 & done; echo 1 > "${place}/ready"; wait`
    const host = spawn('sh', ['-c', script], { env: {}, detached: true })
    const ended = new Promise((resolve) => host.once('exit', resolve))
    onTestFinished(async () => {
      process.kill(-host.pid!, 'SIGKILL')
      await ended
    })
    const { call } = await hook
    expect(call.notes).toEqual([])
    const group = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && groupOf(pid) === host.pid)
    expect(group).toHaveLength(marks.length + 1)
  })

  test('a child in the background that closed its pipes is stopped too', async () => {
    const { env, survivors } = marked()
    const { reply } = await ask(direct(), { command: 'sleep 300 <&- >&- 2>&- & echo "{}"' }, { env })
    expect(reply?.stdout).toBe('{}\n')
    await expect.poll(survivors).toEqual([])
  })

  test('a hook that leaves nothing behind is not accused', async () => {
    const { call } = await ask(direct(), { command: 'seq 1 100 | sort -r | head -n 1; echo x | cat >&2' })
    expect(call.notes).toEqual([])
  })
})

describe('output is bounded', () => {
  test('a gigabyte on stdout ends the hook at once, and memory stays bounded', async () => {
    const { env, survivors } = marked()
    const before = process.memoryUsage.rss()
    const command = `head -c 1073741824 /dev/zero | tr '\\0' a`
    const { failure, ms } = await ask(direct(), { command }, { env })
    expect(failure).toMatchObject({ kind: 'output-limit' })
    expect(ms).toBeLessThan(soon)
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
    expect(survivors()).toEqual([])
  })

  test('a flood on stderr does not lose the decision on stdout', async () => {
    const command = `head -c 268435456 /dev/zero | tr '\\0' e >&2; echo '{"decision":"deny"}'; exit 0`
    const { reply } = await ask(direct(), { command }, { timeoutMs: 20_000 })
    expect(reply).toMatchObject({ exit: 0, stdout: '{"decision":"deny"}\n' })
    expect(reply?.stderr.length).toBeLessThan(70 * 1024)
    expect(reply?.stderr).toMatch(/bytes more$/)
  })

  test('exactly the limit is no flood', async () => {
    const spec = { command: `head -c 1000 /dev/zero | tr '\\0' a`, output_limit: 1_000 }
    expect((await ask(direct(), spec)).reply?.stdout).toHaveLength(1_000)
    expect((await ask(direct(), { ...spec, output_limit: 999 })).failure).toMatchObject({ kind: 'output-limit' })
  })
})

describe('bytes are read once, as UTF-8', () => {
  test('a character split over two writes arrives whole', async () => {
    const { reply } = await ask(direct(), { command: `printf '\\342\\202'; sleep 0.2; printf '\\254'` })
    expect(reply?.stdout).toBe('€')
  })

  test('bytes that are no UTF-8 are a failure that shows them', async () => {
    const { failure } = await ask(direct(), { command: `printf '\\377\\376{'` })
    expect(failure).toMatchObject({ kind: 'invalid-output' })
    expect(failure?.message).toContain('\\xff\\xfe{')
  })

  test('bytes on stderr that are no UTF-8 do no harm', async () => {
    const { reply } = await ask(direct(), { command: `printf '\\377oops' >&2; echo '{}'` })
    expect(reply).toMatchObject({ stdout: '{}\n', stderr: '\ufffdoops' })
  })

  test('a NUL byte arrives as it was written, for the dialect to refuse', async () => {
    const { reply } = await ask(direct(), { command: `printf '{"reason":"a\\000b"}'` })
    expect(reply?.stdout).toBe('{"reason":"a\0b"}')
  })
})

describe('pipes may be used or not', () => {
  const payload = { tool_input: { content: 'x'.repeat(8 * 1024 * 1024) } }

  test('a large payload that is not read is no failure', async () => {
    expect((await ask(direct(), { command: 'echo "{}"' }, { payload })).reply?.stdout).toBe('{}\n')
  })

  test('stdin may be closed early', async () => {
    const { reply } = await ask(direct(), { command: 'exec 0<&-; sleep 0.1; echo "{}"' }, { payload })
    expect(reply?.stdout).toBe('{}\n')
  })

  test('stdout may be closed early: that is an empty reply', async () => {
    const { reply } = await ask(direct(), { command: 'exec 1>&-; sleep 0.2; exit 0' })
    expect(reply).toMatchObject({ exit: 0, stdout: '' })
  })

  test('stdin ends, so reading to the end returns', async () => {
    expect((await ask(direct(), { command: 'cat >/dev/null; cat; echo "{}"' })).reply?.stdout).toBe('{}\n')
  })

  test('the payload ends with a newline, so `read` succeeds', async () => {
    const { reply } = await ask(direct(), { command: 'read -r line && echo "$line"' })
    expect(JSON.parse(reply?.stdout ?? '')).toMatchObject({ event: 'pre_tool_use' })
  })

  test('a large payload arrives whole through a hook that reads slowly', async () => {
    const { reply } = await ask(direct(), { command: 'sleep 0.2; wc -c' }, { payload })
    expect(Number(reply?.stdout)).toBeGreaterThan(8 * 1024 * 1024)
  })
})

describe('the report names how the process ended', () => {
  test('death by signal is no exit code', async () => {
    const { failure } = await ask(direct(), { command: 'echo half; echo why >&2; kill -KILL $$' })
    expect(failure).toMatchObject({ kind: 'signal' })
    expect(failure?.message).toContain('SIGKILL')
    expect(failure?.message).toContain('why')
  })

  test.each([0, 1, 2, 49, 127, 255])('exit %i arrives', async (exit) => {
    expect((await ask(direct(), { command: `exit ${exit}` })).reply?.exit).toBe(exit)
  })

  test('a hook that is refused memory dies alone', async () => {
    const { reply, failure } = await ask(direct(), {
      command: 'ulimit -v 200000; perl -e \'$x = "a" x 1000000000; print 1\'',
    })
    expect(reply?.exit === 0).toBe(false)
    expect(failure?.kind ?? 'exit').toMatch(/exit|signal/)
  })

  test('bytes are counted', async () => {
    const { call } = await ask(direct(), { command: 'cat >/dev/null; printf 12345; printf 123 >&2' })
    expect(call.bytes).toMatchObject({ stdout: 5, stderr: 3 })
    expect(call.bytes.stdin).toBe(Buffer.byteLength(call.request().body) + 1)
  })
})

test('nothing runs after close', async () => {
  const executor = createCommandExecutor()
  await executor.close?.()
  expect((await ask(executor, { command: 'echo "{}"' })).failure).toMatchObject({ kind: 'aborted' })
})

const groupOf = (pid: string): number =>
  existsSync(`/proc/${pid}/stat`)
    ? Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[2])
    : 0
