import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createHooks } from 'hookline'
import { expectRuling, payload, script } from './kit/event.mjs'
import { number, row } from './kit/row.mjs'

const allow = { decision: { ruling: 'allow', reason: 'fine' } }
const near = (path) => fileURLToPath(new URL(path, import.meta.url))

/** One hook per executor, and what it answers. */
const subjects = {
  function: { run: () => () => allow, ruling: 'allow', fast: true },
  builtin: { run: () => ({ type: 'builtin', name: 'safer_shell' }), ruling: 'ask', fast: true },
  command: { run: () => script, ruling: 'allow' },
  resident: {
    run: () => ({ type: 'resident', command: process.execPath, args: [near('../examples/resident/no-rm-rf.mjs')] }),
  },
  sandbox: { run: () => ({ type: 'sandbox', command: `echo '{"decision":"allow"}'` }), ruling: 'allow' },
  http: {
    run: (port) => ({ type: 'http', url: `http://127.0.0.1:${port}/decide`, allow_local: true }),
    ruling: 'allow',
  },
  model: {
    run: (port) => ({
      type: 'model',
      model: 'openai-compatible/stub',
      base_url: `http://127.0.0.1:${port}/v1`,
      prompt: 'May it? {{ tool_input | toJSON }}',
      schema: 'decision',
    }),
    ruling: 'allow',
  },
}

/** As many as the journal keeps in memory. */
const kept = 1_000
const most = 0.05

/** Heap, open descriptors, handles and child processes, before and after many dispatches; needs `--expose-gc`. */
export const enduranceOf = (type) => async (options) => {
  const { run, ruling, fast } = subjects[type]
  const [warmUp, dispatches] = options.quick ? [300, fast ? 2_000 : 300] : [1_200, 10_000]
  const server = fork(near('kit/answering-server.mjs'), { execArgv: [] })
  const [port] = await once(server, 'message')
  const hooks = await createHooks({ hooks: [{ id: 'one', event: 'pre_tool_use', run: run(port) }] })
  const raise = async (count) => {
    for (let done = 0; done < count; done++) {
      expectRuling(await hooks.raise('pre_tool_use', payload), ruling)
      if (done % 2_500 === 2_499) await pause(options.rest * 1000)
    }
  }
  await raise(1)
  await fill(hooks.journal)
  await raise(warmUp)
  const before = await weigh()
  await raise(dispatches)
  const after = await weigh()
  await hooks.close()
  server.disconnect()

  const growth = after.heap / before.heap - 1
  const counts = ['descriptors', 'handles', 'processes'].filter((what) => after[what] > before[what])
  return [
    row({
      what: `${dispatches.toLocaleString('en')} dispatches of \`${type}\`: growth`,
      ours: `heap ${number(growth * 100)} %, ${counts.length === 0 ? 'nothing else' : counts.map((what) => `${what} ${before[what]} → ${after[what]}`).join(', ')}`,
      other: `heap ${number(before.heap / 1e6)} MB after warm-up`,
      bar: { text: '< 5 %, nothing else', holds: (value) => value },
      value: growth < most && counts.length === 0,
    }),
  ]
}

/** The journal in memory grows until it is full, which is no news. */
async function fill(journal) {
  for await (const { seq: _place, ...entry } of journal.entries())
    for (let count = 0; count < kept; count++) journal.append(entry)
}

/** Settled: what was under way has ended, and what nobody holds is gone. */
async function weigh() {
  for (let round = 0; round < 5; round++) {
    await pause(60)
    globalThis.gc()
  }
  return {
    heap: process.memoryUsage().heapUsed,
    handles: process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate' && kind !== 'Timeout').length,
    descriptors: listing('/proc/self/fd'),
    processes: childProcesses(),
  }
}

function listing(directory) {
  try {
    return readdirSync(directory).length
  } catch {
    return 0
  }
}

/** Of every thread; only where the system reports it (Linux). */
function childProcesses() {
  try {
    return readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    ).length
  } catch {
    return 0
  }
}
