import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { payload } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atMost, ratioRow } from './kit/row.mjs'
import { bareSpawn } from './kit/spawn.mjs'

const cli = fileURLToPath(new URL('../dist/cli.cjs', import.meta.url))
const config = `version: 1
hooks:
  - id: guard
    event: pre_tool_use
    matcher: { tool: shell }
    run: { type: builtin, name: security_guard }
`

export default async function ({ quick }) {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  const file = join(directory, 'hookline.yaml')
  writeFileSync(file, config)
  const input = JSON.stringify({ event: 'pre_tool_use', ...payload, tool_input: { command: 'rm -rf /' } })
  const args = [cli, 'dispatch', '--config', file, '--trust', 'all']
  const { ours, other } = await interleave(
    {
      ours: async () => {
        const { exit, stdout, stderr } = await bareSpawn(process.execPath, args, input)
        if (exit !== 0 || !stdout.includes('"deny"')) throw new Error(`dispatch said ${stdout}${stderr}`)
      },
      other: () => bareSpawn(process.execPath, ['-e', '0'], ''),
    },
    { rounds: quick ? 12 : 40, warmUp: 3 },
  )
  rmSync(directory, { recursive: true, force: true })
  const what = '`hookline dispatch` with a builtin guard, start to exit ÷ bare `node -e 0`'
  return [ratioRow({ what, ours, other, name: 'node -e 0', bar: atMost(1.35) })]
}
