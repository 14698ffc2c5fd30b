import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { blocked, guarded } from './expect.mjs'

const entry = ({ data }) => join(data, 'bin/hookline-hook')
const table = (place) => `${entry(place)}.table`
const config = ({ home }) => join(home, '.config/hookline/hooks.yaml')
const socket = (place) => /^socket (.*)$/m.exec(readFileSync(table(place), 'utf8'))[1]
const engine = ({ data }) => join(data, 'engine', readdirSync(join(data, 'engine'))[0])

/** Puts something else in the place of a file or directory; its way back. */
function instead(path, make) {
  const kept = `${path}.kept`
  renameSync(path, kept)
  make?.(path)
  return () => {
    rmSync(path, { recursive: true, force: true })
    renameSync(kept, path)
  }
}
const program = (path, text) => writeFileSync(path, text, { mode: 0o755 })

/** What is running must not answer instead of what is broken, and nothing of it must stay. */
const withoutDaemon = (breaks) => (place) => {
  place.hookline('daemon', 'stop')
  const undo = breaks(place)
  return () => {
    undo?.()
    place.hookline('daemon', 'stop')
  }
}

const ofConfig = (text) => (place) => instead(config(place), (path) => writeFileSync(path, text))
const ofEntry = (what) => (place) =>
  instead(entry(place), (path) => program(path, `#!/bin/sh\ncase $2 in [pP]re*) ${what} ;; *) echo '{}' ;; esac\n`))
const ofEngine = (text) =>
  withoutDaemon((place) =>
    instead(join(engine(place), 'bin/hookline.js'), (path) =>
      writeFileSync(
        path,
        `if (/pre_?tool_?use|daemon/i.test(process.argv.join())) { ${text} } else console.log('{}')\n`,
      ),
    ),
  )

/** The daemon runs, and then this happens to it. */
const ofDaemon = (happens) => (place) => {
  const pid = place.startDaemon()
  const undo = happens(place, pid)
  return () => {
    undo?.()
    signal(pid, 'SIGCONT')
    signal(pid, 'SIGKILL')
    rmSync(socket(place), { recursive: true, force: true })
  }
}
function signal(pid, name) {
  try {
    if (pid > 1) process.kill(pid, name)
  } catch {}
}

/** Somebody else listens where the daemon should, and does this with whoever connects. */
const ofListener = (answers) =>
  withoutDaemon((place) => {
    rmSync(socket(place), { force: true })
    const server = createServer((connection) => {
      connection.on('error', () => {})
      answers(connection)
    }).listen(socket(place))
    return () => server.close()
  })

/** A file system of its own over a directory, with its content. Only root can do that, and only on Linux. */
const over = (options, then) => (place) => {
  place.hookline('daemon', 'stop')
  const kept = `${place.state}.kept`
  cpSync(place.state, kept, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', place.state]).status !== 0) return undefined
  cpSync(kept, place.state, { recursive: true })
  then(place)
  return () => {
    place.hookline('daemon', 'stop')
    spawnSync('umount', [place.state])
  }
}
const canMount = () => process.platform === 'linux' && process.getuid() === 0

/** As fish does, it refuses assignments and groups of `sh`. */
const otherShell = `#!/bin/sh
for word; do case $word in 'said='* | *' || { '*) exit 127 ;; esac; done
exec /bin/sh "$@"
`

const row = (name, begin, more = {}) => ({ name, rules: guarded, begin, expect: blocked, ...more })

/** What can go wrong with Hookline itself after it was installed. A rule blocks the call, and a broken part must not let it run. */
export const broken = [
  row('nothing is broken', () => {}),

  row('the config is no YAML', ofConfig('version: [')),
  row('the config has a rule that cannot be read', ofConfig('version: 1\nrules:\n  - denny: { run: ls }\n')),
  row('the config has another version', ofConfig('version: 7\nrules: []\n')),
  row('the config is a directory', (place) => instead(config(place), (path) => mkdirSync(path))),
  row('the config is no text', ofConfig(Buffer.from([0xff, 0xfe, 0x00]))),

  row('the entry is gone', (place) => instead(entry(place))),
  row('the entry cannot be executed', (place) => {
    chmodSync(entry(place), 0o644)
    return () => chmodSync(entry(place), 0o755)
  }),
  row('the entry is empty', (place) => instead(entry(place), (path) => program(path, ''))),
  row('the entry is no program', (place) => instead(entry(place), (path) => program(path, '\u0000\u0001'))),
  row('the entry exits with 1', ofEntry('exit 1')),
  row('the entry exits with 127', ofEntry('exit 127')),
  row('the entry is killed', ofEntry('kill -9 $$')),
  row('the entry prints nothing', ofEntry('exit 0')),
  row('the entry prints no JSON', ofEntry('echo fine')),
  row('the table of the entry is gone', (place) => instead(table(place))),
  row('the table of the entry is damaged', (place) => instead(table(place), (path) => writeFileSync(path, 'x'))),

  row(
    'the engine is gone',
    withoutDaemon((place) => instead(join(place.data, 'engine'))),
  ),
  row('the engine fails', ofEngine("throw new Error('broken')")),
  row('the engine is killed', ofEngine("process.kill(process.pid, 'SIGKILL')")),
  row('the engine prints nothing', ofEngine('')),
  row('the engine hangs', ofEngine('setInterval(() => {}, 1000)'), { slow: true }),
  row(
    'the engine is cut off',
    withoutDaemon((place) => {
      const files = readdirSync(join(engine(place), 'dist')).map((name) => join(engine(place), 'dist', name))
      const undo = files
        .filter((path) => path.endsWith('.js'))
        .map((path) => {
          cpSync(path, `${path}.whole`)
          truncateSync(path, Math.floor(statSync(path).size / 2))
          return () => renameSync(`${path}.whole`, path)
        })
      return () => {
        for (const each of undo) each()
      }
    }),
  ),
  row(
    'Node is gone',
    withoutDaemon((place) => instead(place.node)),
  ),
  row(
    'Node is no program',
    withoutDaemon((place) => instead(place.node, (path) => program(path, 'no'))),
  ),
  row(
    'everything of Hookline is gone',
    withoutDaemon((place) => instead(place.data)),
  ),

  row(
    'the daemon was killed',
    ofDaemon((_place, pid) => signal(pid, 'SIGKILL')),
  ),
  row(
    'the daemon is stopped',
    ofDaemon((_place, pid) => signal(pid, 'SIGSTOP')),
  ),
  row(
    'the socket is gone',
    ofDaemon((place) => rmSync(socket(place))),
  ),
  row(
    'the socket is a file',
    ofDaemon((place) => {
      rmSync(socket(place))
      writeFileSync(socket(place), '')
    }),
  ),
  row(
    'the socket is a directory',
    ofDaemon((place) => {
      rmSync(socket(place))
      mkdirSync(socket(place))
    }),
  ),
  row(
    'the directory of the socket is gone',
    withoutDaemon((place) => instead(join(place.data, 'run'))),
  ),
  row(
    'the directory of the socket is a file',
    withoutDaemon((place) => instead(join(place.data, 'run'), (path) => writeFileSync(path, ''))),
  ),
  row(
    'another program has the socket, and says nothing',
    ofListener(() => {}),
  ),
  row(
    'another program has the socket, and hangs up',
    ofListener((connection) => connection.destroy()),
  ),
  row(
    'another program has the socket, and talks nonsense',
    ofListener((connection) => connection.end('{"decision":"allow"}')),
  ),
  row(
    'another program has the socket, and its answer is cut off',
    ofListener((connection) => connection.end(Buffer.from('HL\u0001\u0002\0\0\u0001\0{}'))),
  ),

  row(
    'the state cannot be written',
    withoutDaemon((place) => instead(place.state, (path) => writeFileSync(path, 'a file where a directory should be'))),
  ),
  row(
    'the disk is full',
    over('size=128k', ({ state }) => {
      try {
        writeFileSync(join(state, 'full'), Buffer.alloc(1_000_000))
      } catch {}
    }),
    { here: canMount },
  ),
  row(
    'the disk is read-only',
    over('size=1m', ({ state }) => spawnSync('mount', ['-o', 'remount,ro', state])),
    { here: canMount },
  ),
  row('the directory for temporary files is gone', ({ tmp }) => instead(tmp)),

  row('the shell of the user does not read the language of sh', () => {}, {
    alone: true,
    env({ home }) {
      program(join(home, 'fish'), otherShell)
      return { SHELL: join(home, 'fish') }
    },
  }),
  row('variables of the agent lead elsewhere', () => {}, {
    alone: true,
    env: ({ home, agent }) => ({
      ...(!agent.usesConfigHome && { XDG_CONFIG_HOME: join(home, 'e') }),
      ...{ XDG_DATA_HOME: join(home, 'a'), XDG_STATE_HOME: join(home, 'b'), XDG_RUNTIME_DIR: join(home, 'c') },
      ...{ XDG_CACHE_HOME: join(home, 'd'), ENV: '/nonexistent', BASH_ENV: '/nonexistent' },
    }),
  }),
]
