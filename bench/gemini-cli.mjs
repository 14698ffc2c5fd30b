import { createHooks } from 'hookline'
import { expectRuling, payload, script } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atMost, ratioRow, skipped } from './kit/row.mjs'
import { loadPeer, versionOf } from './peers/index.mjs'

const what = 'the same command hook: ours ÷ Gemini CLI’s hook runner'
const bar = atMost(0.8)

/**
 * Both in one process, each as it ships: its runner starts `bash -c`, ours `/bin/sh -c`. Its own code makes the runner
 * from a config of which it reads these members, and runs it with this input.
 */
export default async function ({ quick }) {
  const peer = await loadPeer('gemini-cli')
  if (!peer) return [skipped(what, 'the peers are not installed', bar)]
  const runner = new peer.HookRunner({
    isTrustedFolder: () => true,
    sanitizationConfig: {
      allowedEnvironmentVariables: [],
      blockedEnvironmentVariables: [],
      enableEnvironmentVariableRedaction: false,
    },
    storage: { getPlansDir: () => '/tmp/plans' },
  })
  // As in its own program, which drops these lines unless asked for: they would be part of its time.
  console.debug = () => {}
  const theirs = { type: 'command', command: script, source: 'user', timeout: 30_000 }
  const hooks = await createHooks({ hooks: [{ id: 'one', event: 'pre_tool_use', run: script }] })
  const input = {
    session_id: payload.session_id,
    transcript_path: '',
    cwd: payload.cwd,
    hook_event_name: 'BeforeTool',
    timestamp: new Date(0).toISOString(),
    tool_name: payload.tool_name,
    tool_input: payload.tool_input,
  }
  const { ours, other } = await interleave(
    {
      ours: async () => expectRuling(await hooks.raise('pre_tool_use', payload), 'allow'),
      other: async () => {
        const { output } = await runner.executeHook(theirs, 'BeforeTool', input)
        if (output?.decision !== 'allow') throw new Error(`its runner answered ${JSON.stringify(output)}`)
      },
    },
    { rounds: quick ? 100 : 500, warmUp: 50 },
  )
  const size = Math.round(process.memoryUsage.rss() / 1e6)
  await hooks.close()
  const version = versionOf('@google/gemini-cli-core')
  return [
    ratioRow({ what, ours, other, name: `gemini-cli-core ${version}`, bar, note: `one host of ${size} MB for both` }),
  ]
}
