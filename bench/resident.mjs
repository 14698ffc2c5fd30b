import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createHooks } from 'hookline'
import { expectRuling, payload } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atMost, ratioRow, skipped } from './kit/row.mjs'
import { bareSpawn } from './kit/spawn.mjs'

const what = '`resident` Python hook ÷ spawning the same script'
const bar = atMost(0.02)
const example = fileURLToPath(new URL('../examples/resident/no_rm_rf.py', import.meta.url))
const event = { ...payload, tool_input: { command: 'rm -rf build' } }
const request = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hooks/intercept', params: event })}\n`

/** The script ends with its input, so that spawned, called once and awaited, it is what a command hook in Python costs. */
export default async function ({ quick }) {
  const python = realPython()
  if (python === undefined) return [skipped(what, 'there is no python3', bar)]
  const run = { type: 'resident', command: python, args: [example] }
  const hooks = await createHooks({ hooks: [{ id: 'one', event: 'pre_tool_use', run }] })
  const { ours, other } = await interleave(
    {
      ours: async () => expectRuling(await hooks.raise('pre_tool_use', event), 'deny'),
      other: async () => {
        const { stdout } = await bareSpawn(python, [example], request)
        if (!stdout.includes('deny')) throw new Error(`the script printed ${stdout}`)
      },
    },
    { rounds: quick ? 20 : 100, warmUp: 5 },
  )
  await hooks.close()
  return [ratioRow({ what, ours, other, name: 'spawn', bar })]
}

/** Behind a version manager's shim, which would flatter us: the interpreter itself. */
function realPython() {
  try {
    return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
