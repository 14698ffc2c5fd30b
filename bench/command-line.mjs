import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { payload } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atMost, ratioRow } from './kit/row.mjs'
import { bareSpawn } from './kit/spawn.mjs'
import { node22 } from './peers/index.mjs'

const cli = fileURLToPath(new URL('../packages/hookline/bin/hookline.js', import.meta.url))
const config = `version: 1
hooks:
  - id: guard
    event: pre_tool_use
    matcher: { tool: shell }
    run: { type: builtin, name: security_guard }
`

/**
 * From start to exit, as a host or a person starts it: with its caches, which the warm-up fills, and its journal. What
 * the caches hide is measured beside it: a config that has just changed, and a machine that has never run us.
 */
export default async function ({ quick }) {
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  // Not in the project, where no cache would be used.
  process.env.XDG_STATE_HOME = join(root, 'state')
  process.env.XDG_CONFIG_HOME = join(root, 'config')
  const directory = join(root, 'project')
  mkdirSync(directory)
  // Node 20 reads it at every start, ours and the bare one alike, which would hide what we add.
  delete process.env.NODE_EXTRA_CA_CERTS
  const write = (name, text) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const input = JSON.stringify({ event: 'pre_tool_use', ...payload, tool_input: { command: 'rm -rf /' } })
  const dispatch = ['dispatch', '--config', write('hookline.yaml', config), '--trust', 'all']
  const hooks = Array.from({ length: 1_000 }, (_, index) => hookNumber(index))
  const yaml = `version: 1\nhooks:\n${hooks.map(asYaml).join('')}`
  const json = JSON.stringify({ version: 1, hooks }, undefined, 2)
  const run =
    (args, expected, stdin = '', node = process.execPath) =>
    async () => {
      const { exit, stdout, stderr } = await bareSpawn(node, [cli, ...args], stdin)
      if (exit !== 0 || !stdout.includes(expected)) throw new Error(`${args[0]} said ${stdout}${stderr}`)
    }
  const check = (name, text) => run(['check', '--dialect', 'native', '--config', write(name, text)], '')
  let times = 0
  const changed = (name, text) => () => check(name, `${text}${' '.repeat(++times)}\n`)()
  const first = (name, text) => async () => {
    const { XDG_STATE_HOME: known } = process.env
    process.env.XDG_STATE_HOME = join(root, `state-${++times}`)
    await check(name, text)()
    process.env.XDG_STATE_HOME = known
  }
  const newer = node22()
  const measured = await interleave(
    {
      node: () => bareSpawn(process.execPath, ['-e', '0'], ''),
      nothing: run(['--version'], '.'),
      dispatch: run(dispatch, '"deny"', input),
      unrecorded: run([...dispatch, '--no-journal'], '"deny"', input),
      yaml: check('many.yaml', yaml),
      json: check('many.json', json),
      list: run(['list', '--config', join(directory, 'many.yaml')], 'hook_999'),
      changedYaml: changed('changed.yaml', yaml),
      changedJson: changed('changed.json', json),
      firstYaml: first('first.yaml', yaml),
      firstJson: first('first.json', json),
      ...(newer && {
        node22: () => bareSpawn(newer, ['-e', '0'], ''),
        dispatch22: run(dispatch, '"deny"', input, newer),
      }),
    },
    { rounds: quick ? 12 : 40, warmUp: 4 },
  )
  await removed(root)
  const beside = (what, key, bar) =>
    ratioRow({
      what: `${what} ÷ bare \`node -e 0\``,
      ours: measured[key],
      other: measured.node,
      name: 'node -e 0',
      bar,
    })
  return [
    beside('`hookline dispatch` with a builtin guard, start to exit', 'dispatch', atMost(5)),
    ...(newer
      ? [
          ratioRow({
            what: 'the same on Node 22 with its compile cache ÷ bare `node -e 0` of Node 22',
            ours: measured.dispatch22,
            other: measured.node22,
            name: 'node -e 0',
            bar: atMost(4),
          }),
        ]
      : []),
    beside('the same with `--no-journal`', 'unrecorded'),
    beside('`hookline check` on 1,000 hooks in YAML', 'yaml', atMost(3)),
    beside('`hookline check` on 1,000 hooks in JSON', 'json', atMost(3)),
    beside('`hookline list` of 1,000 hooks in YAML', 'list', atMost(3)),
    beside('`hookline check` on 1,000 hooks in YAML that have changed since the last check', 'changedYaml'),
    beside('the same in JSON that has changed since the last check', 'changedJson'),
    beside('the same in YAML, the first run of all: no cache of any kind', 'firstYaml'),
    beside('the same in JSON, the first run of all: no cache of any kind', 'firstJson'),
    beside('`hookline --version`, which starts and reads no config', 'nothing'),
  ]
}

/** The last dispatches may still be recorded. */
async function removed(directory, tries = 50) {
  try {
    rmSync(directory, { recursive: true, force: true })
  } catch (error) {
    if (tries === 0) throw error
    await pause(100)
    await removed(directory, tries - 1)
  }
}

const hookNumber = (index) => ({
  id: `hook_${index}`,
  event: 'pre_tool_use',
  matcher: { tool: `tool_${index}` },
  run: { type: 'builtin', name: 'safer_shell' },
  timeout: 5,
})

const asYaml = ({ id, event, matcher, run, timeout }) =>
  `  - id: ${id}\n    event: ${event}\n    matcher: { tool: ${matcher.tool} }\n    run: { type: ${run.type}, name: ${run.name} }\n    timeout: ${timeout}\n`
