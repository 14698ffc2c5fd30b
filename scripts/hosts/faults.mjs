import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const entry = (data) => join(data, 'bin/hookline-hook')
const script = (data, text) => writeFileSync(entry(data), `#!/bin/sh\n${text}\n`)
const onlyBefore = (what) => `case $2 in pre_tool_use) ${what} ;; *) echo '{}' ;; esac`

/** What can go wrong after Hookline was installed, each in a machine of its own. `runs`: the call must run; in all others it must not. */
export const faults = {
  'no rule about it': { runs: true, break: (_data, home) => rmSync(join(home, '.config/hookline/hooks.yaml')) },
  'a rule blocks it': { break() {} },
  'the config is broken': {
    break: (_data, home) => writeFileSync(join(home, '.config/hookline/hooks.yaml'), 'version: ['),
  },
  'the entry is gone': { break: (data) => rmSync(entry(data)) },
  'the entry cannot be executed': { break: (data) => chmodSync(entry(data), 0o644) },
  'the engine is gone': { break: (data) => rmSync(join(data, 'engine'), { recursive: true }) },
  'the entry fails before a call': { break: (data) => script(data, onlyBefore('exit 1')) },
  'the entry exits with 127 before a call': { break: (data) => script(data, onlyBefore('exit 127')) },
  'the entry is killed before a call': { break: (data) => script(data, onlyBefore('kill -9 $$')) },
  'Node fails before a call': {
    break(data) {
      const [version] = readdirSync(join(data, 'engine'))
      const text = "if (process.argv.includes('pre_tool_use')) throw new Error('broken')\nconsole.log('{}')\n"
      writeFileSync(join(data, 'engine', version, 'bin/hookline.js'), text)
    },
  },
  'Node hangs before a call': {
    slow: true,
    break(data) {
      const [version] = readdirSync(join(data, 'engine'))
      const text = "if (process.argv.includes('pre_tool_use')) setInterval(() => {}, 1000)\nelse console.log('{}')\n"
      writeFileSync(join(data, 'engine', version, 'bin/hookline.js'), text)
    },
  },
}
