import { chmodSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocked, guardedWrite } from './expect.mjs'

const entry = ({ data }) => join(data, 'bin/hookline-hook')
const config = ({ home }) => join(home, '.config/hookline/hooks.yaml')

/** An entry that does this before a call, and nothing at other events. */
const instead = (what) => (place) => {
  rmSync(entry(place))
  writeFileSync(entry(place), `#!/bin/sh\ncase $2 in pre_tool_use) ${what} ;; *) echo '{}' ;; esac\n`, { mode: 0o755 })
}

/** An engine that does this before a call, and nothing at other events. */
const engine = (what) => (place) => {
  const [version] = readdirSync(join(place.data, 'engine'))
  const text = `if (process.argv.includes('pre_tool_use')) { ${what} } else console.log('{}')\n`
  writeFileSync(join(place.data, 'engine', version, 'bin/hookline.js'), text)
  // What is running already must not answer instead.
  place.hookline('daemon', 'stop')
}

/** As fish does, it refuses assignments and groups of `sh`. */
const otherShell = `#!/bin/sh
for word; do case $word in 'said='* | *' || { '*) exit 127 ;; esac; done
exec /bin/sh "$@"
`

const rule = { rules: guardedWrite }
const row = (name, breaks, more = {}) => ({ name, ...rule, break: breaks, expect: blocked, ...more })

/** What can go wrong with Hookline itself after it was installed. A rule blocks the call, and a broken part must not let it run. */
export const broken = [
  row('nothing is broken', () => {}),
  row('the config is no YAML', (place) => writeFileSync(config(place), 'version: [')),
  row('the config has a rule that cannot be read', (place) =>
    writeFileSync(config(place), 'version: 1\nrules:\n  - denny: { run: ls }\n'),
  ),
  row('the config has another version', (place) => writeFileSync(config(place), 'version: 7\nrules: []\n')),
  row('the entry is gone', (place) => rmSync(entry(place))),
  row('the entry cannot be executed', (place) => chmodSync(entry(place), 0o644)),
  row('the entry is empty', (place) => writeFileSync(entry(place), '')),
  row('the entry is no program', (place) => {
    rmSync(entry(place))
    writeFileSync(entry(place), '\u0000\u0001', { mode: 0o755 })
  }),
  row('the entry exits with 1', instead('exit 1')),
  row('the entry exits with 127', instead('exit 127')),
  row('the entry is killed', instead('kill -9 $$')),
  row('the engine is gone', (place) => {
    rmSync(join(place.data, 'engine'), { recursive: true })
    place.hookline('daemon', 'stop')
  }),
  row('the engine fails', engine("throw new Error('broken')")),
  row('the engine is killed', engine("process.kill(process.pid, 'SIGKILL')")),
  row('the engine hangs', engine('setInterval(() => {}, 1000)'), { slow: true }),
  row('everything of Hookline is gone', (place) => {
    place.hookline('daemon', 'stop')
    rmSync(place.data, { recursive: true })
  }),
  row('Node is gone', (place) => {
    place.hookline('daemon', 'stop')
    if (existsSync(place.node)) renameSync(place.node, `${place.node}.gone`)
  }),
  row(
    "the user's shell does not read the language of sh",
    ({ home }) => writeFileSync(join(home, 'fish'), otherShell, { mode: 0o755 }),
    {
      env: ({ home }) => ({ SHELL: join(home, 'fish') }),
    },
  ),
  row('the state cannot be written', (place) => {
    place.hookline('daemon', 'stop')
    rmSync(place.state, { recursive: true, force: true })
    writeFileSync(place.state, 'a file where a directory should be')
  }),
]
