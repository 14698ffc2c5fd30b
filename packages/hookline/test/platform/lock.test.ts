import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { LockedError, takeFileLock, withFileLock, withFileLockSync } from '../../src/platform/index.ts'
import { bundle } from '../support/bundle.ts'
import { scratch } from '../support/scratch.ts'

let program: string
beforeAll(async () => {
  program = await bundle('./counter.ts', import.meta.url)
})

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const exitOf = (child: ChildProcess) => new Promise<number | null>((resolve) => child.on('exit', resolve))

/** Another process that holds the lock until it is killed. */
async function startHolder(lock: string): Promise<ChildProcess> {
  const holder = start('hold', lock)
  await new Promise((resolve) => holder.stdout?.once('data', resolve))
  return holder
}

/** As a process writes it that ran on this machine, and ended. */
const deadPid = () => spawnSync(process.execPath, ['--version']).pid

describe('the file lock', () => {
  it('lets one process in at a time: 16 that count in one file lose no count', async () => {
    const directory = scratch()
    const [lock, file] = [join(directory, 'state', 'count.lock'), join(directory, 'count')]
    const exits = await Promise.all(Array.from({ length: 16 }, () => exitOf(start('count', lock, file, '36'))))
    expect(exits).toEqual(Array(16).fill(0))
    expect(readFileSync(file, 'utf8')).toBe(String(16 * 36))
    expect(readdirSync(join(directory, 'state'))).toEqual([])
  })

  it('loses no count when holders are killed while others wait', async () => {
    const directory = scratch()
    const [lock, file] = [join(directory, 'count.lock'), join(directory, 'count')]
    for (let round = 0; round < 5; round++) {
      const holder = await startHolder(lock)
      const exits = Promise.all(Array.from({ length: 8 }, () => exitOf(start('count', lock, file, '6'))))
      await delay(100)
      holder.kill('SIGKILL')
      expect(await exits).toEqual(Array(8).fill(0))
    }
    expect(readFileSync(file, 'utf8')).toBe(String(5 * 8 * 6))
    expect(readdirSync(directory)).toEqual(['count'])
  })

  it('is kept by a process that lives, however old the lock is', async () => {
    const lock = join(scratch(), 'a.lock')
    const holder = await startHolder(lock)
    lutimesSync(lock, new Date(0), new Date(0))
    expect(() => takeFileLock(lock)).toThrow(LockedError)
    await expect(withFileLock(lock, () => {}, { timeoutMs: 1_500 })).rejects.toMatchObject({
      code: 'ELOCKED',
      pid: holder.pid,
    })
    holder.kill('SIGSTOP')
    expect(() => withFileLockSync(lock, () => {}, { timeoutMs: 1_500 })).toThrow(`process ${holder.pid} holds the lock`)
  })

  it('is free again when its holder was killed, also before anybody collected that process', async () => {
    const lock = join(scratch(), 'a.lock')
    const holder = await startHolder(lock)
    process.kill(holder.pid!, 'SIGKILL')
    // Synchronous: until we return to the event loop, the process is a zombie.
    expect(withFileLockSync(lock, () => 'done')).toBe('done')
    expect(existsSync(lock)).toBe(false)
  })

  it.runIf(process.platform === 'linux')('is free again when the process id of its holder was given to another', () => {
    const lock = join(scratch(), 'a.lock')
    takeFileLock(lock)
    const [pid, machine, started, id] = readlinkSync(lock).split(' ')
    takeAway(lock)
    symlinkSync([pid, machine, Number(started) - 1, id].join(' '), lock)
    takeFileLock(lock).release()
  })

  it('of a holder that cannot be checked is free when it was not renewed, whatever our clock says', async () => {
    const lock = join(scratch(), 'a.lock')
    const foreign = '1 other-machine 7 abc'
    const hour = 3_600_000
    for (const age of [hour, -hour]) {
      symlinkSync(foreign, lock)
      const time = new Date(Date.now() - age)
      lutimesSync(lock, time, time)
      takeFileLock(lock).release()
    }
    symlinkSync(foreign, lock)
    expect(() => takeFileLock(lock)).toThrow(LockedError)
  })

  it('left by an earlier version is respected while held, and removed when abandoned', async () => {
    const directory = scratch()
    const lock = join(directory, 'a.lock')
    for (const text of [String(deadPid()), `${deadPid()} ${hostname()} x`]) {
      writeFileSync(lock, text)
      takeFileLock(lock).release()
    }
    for (const text of [String(process.pid), `${process.pid} ${hostname()} x`, `1 elsewhere x`]) {
      writeFileSync(lock, text)
      expect(() => takeFileLock(lock)).toThrow(LockedError)
      takeAway(lock)
    }
    mkdirSync(lock)
    expect(() => takeFileLock(lock)).toThrow(LockedError)
    utimesSync(lock, new Date(0), new Date(0))
    takeFileLock(lock).release()
    expect(readdirSync(directory)).toEqual([])
  })

  it('removes an abandoned lock though the process that was about to remove it was killed too', async () => {
    const directory = scratch()
    const lock = join(directory, 'a.lock')
    symlinkSync(`${deadPid()} ${machineOf(directory)} 1 first`, lock)
    symlinkSync(`${deadPid()} ${machineOf(directory)} 1 second`, `${lock}.first`)
    expect(await withFileLock(lock, () => 'done')).toBe('done')
    expect(readdirSync(directory)).toEqual([])
  })

  it('is renewed while the work goes on', async () => {
    const lock = join(scratch(), 'a.lock')
    await withFileLock(lock, async () => {
      const { mtimeMs } = lstatSync(lock)
      await expect.poll(() => lstatSync(lock).mtimeMs).toBeGreaterThan(mtimeMs)
    })
  })

  it('is released when the work throws, and when the wait is given up', async () => {
    const lock = join(scratch(), 'a.lock')
    await expect(withFileLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const held = takeFileLock(lock)
    const controller = new AbortController()
    const waiting = withFileLock(lock, () => {}, { signal: controller.signal })
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    held.release()
    expect(existsSync(lock)).toBe(false)
  })
})

describe('a lock that cannot be made is an error at once', () => {
  const attempts: [string, (lock: string) => unknown][] = [
    ['withFileLock', (lock) => withFileLock(lock, () => {})],
    ['withFileLockSync', async (lock) => withFileLockSync(lock, () => {})],
    ['takeFileLock', async (lock) => takeFileLock(lock)],
  ]

  it.each(attempts)('%s: below a file', async (_name, attempt) => {
    const directory = scratch({ file: '' })
    await expect(attempt(join(directory, 'file', 'a.lock'))).rejects.toMatchObject({ code: 'ENOTDIR' })
    await expect(attempt(join(directory, 'file', 'deeper', 'a.lock'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it.each(attempts)('%s: with a name that is too long, or in a loop of links', async (_name, attempt) => {
    const directory = scratch()
    symlinkSync('loop', join(directory, 'loop'))
    await expect(attempt(join(directory, 'x'.repeat(300)))).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
    await expect(attempt(join(directory, 'loop', 'a.lock'))).rejects.toMatchObject({ code: 'ELOOP' })
  })

  it.runIf(process.platform === 'linux').each(attempts)(
    '%s: in /proc, and through a dangling link',
    async (_name, attempt) => {
      const directory = scratch()
      symlinkSync('/nowhere/at/all', join(directory, 'dangling'))
      await expect(attempt('/proc/hookline/a.lock')).rejects.toMatchObject({ code: 'ENOENT' })
      await expect(attempt(join(directory, 'dangling', 'a.lock'))).rejects.toMatchObject({ code: 'EEXIST' })
    },
  )

  it.skipIf(process.platform === 'win32')('in a directory that this user may not write', () => {
    const directory = scratch()
    const lock = join(directory, 'a.lock')
    const copied = join(directory, 'program.mjs')
    writeFileSync(copied, readFileSync(program))
    chmodSync(directory, 0o555)
    const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const { stderr, status } = spawnSync(process.execPath, [copied, 'count', lock, '/dev/null', '1'], {
      ...asUser,
      encoding: 'utf8',
      timeout: 30_000,
    })
    chmodSync(directory, 0o755)
    expect(stderr).toContain(`cannot make the lock ${lock}: EACCES: permission denied`)
    expect(status).toBe(1)
  })

  it.runIf(canMountFull())('on a full disk', () => {
    const directory = scratch()
    const script = `mount -t tmpfs -o nr_inodes=1 none "$1" && exec "$2" "$3" count "$1/a.lock" /dev/null 1`
    const { stderr } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', script, 'sh', directory, process.execPath, program],
      { encoding: 'utf8', timeout: 30_000 },
    )
    expect(stderr).toContain('ENOSPC')
  })
})

const takeAway = (path: string) => execFileSync('rm', ['-r', path])

/** How this machine calls itself in a lock. */
function machineOf(directory: string): string {
  const lock = takeFileLock(join(directory, 'name'))
  const [, machine = ''] = readlinkSync(join(directory, 'name')).split(' ')
  lock.release()
  return machine
}

function canMountFull(): boolean {
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
}
