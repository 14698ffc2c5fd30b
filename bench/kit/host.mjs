/** A host of a given size that on request runs its hook, or spawns the same command, and reports how long it took. */
import { setTimeout as pause } from 'node:timers/promises'
import { createHooks } from 'hookline'
import { expectRuling, input, payload, script } from './event.mjs'
import { bareSpawn } from './spawn.mjs'

// Every page touched. Not objects: V8 keeps its own pages out of forks, so only memory beside them makes a fork slow.
const megabyte = 1_000_000
globalThis.ballast = Array.from({ length: Number(process.argv[2]) }, () => Buffer.alloc(megabyte, 1))

const hooks = await createHooks({ hooks: [{ id: 'one', event: 'pre_tool_use', run: script }] })
const subjects = {
  hook: async () => expectRuling(await hooks.raise('pre_tool_use', payload), 'allow'),
  spawn: () => bareSpawn('/bin/sh', ['-c', script], input),
}
// A big host starts its fork server when hooks are loaded; the first calls do not wait for it.
await pause(500)

process.on('message', async (subject) => {
  const started = performance.now()
  await subjects[subject]()
  process.send(performance.now() - started)
})
process.on('disconnect', () => hooks.close())
process.send('ready')
