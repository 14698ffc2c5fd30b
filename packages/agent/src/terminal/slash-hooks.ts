import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { columns, configured, describeMatcher, didYouMean, placeOf, printable, texts } from 'hookline/internal'
import type { Desk } from './slash.ts'

/** `/hooks`: list, on, off, doctor. */
export async function hooksCommand(words: string, desk: Desk): Promise<void> {
  const [verb = 'list', id = ''] = words.split(/\s+/).filter((word) => word !== '')
  const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (!act)
    return desk.say([`\`/hooks\` takes ${Object.keys(verbs).join(', ')}.${didYouMean(verb, Object.keys(verbs))}`])
  await act(desk, id)
}

const verbs: Readonly<Record<string, (desk: Desk, id: string) => unknown>> = {
  list({ hooks, say, paint, width }) {
    if (hooks.hooks.length === 0) return say(['There are no hooks in this session.'])
    const head = ['hook', 'event', 'matcher', 'runs', 'from'].map(paint.dim)
    const rows = hooks.hooks.map((hook) => [
      hook.enabled ? printable(hook.id) : paint.dim(`${printable(hook.id)} (off)`),
      hook.event,
      printable(describeMatcher(hook.matcher)),
      printable(`${hook.run.type} ${hook.run['name'] ?? ''}`.trim()),
      printable(hook.origin.layer === 'code' ? 'hookline' : placeOf(hook)),
    ])
    say(columns([head, ...rows], width()))
  },
  on: (desk, id) => turn(desk, id, true),
  off: (desk, id) => turn(desk, id, false),
  /** In a process of its own: it puts itself into a scratch world, and ours goes on. */
  async doctor({ say, cwd, team, invocation }) {
    const { files } = await configured(invocation, [], { mayBeNone: true, quiet: true })
    const named = files.flatMap(({ file, text }) => (text === undefined ? [file] : []))
    const vouched = texts(invocation.values['trust']).flatMap((each) => ['--trust', each])
    const args = [process.argv[1]!, 'doctor', '--cwd', cwd, ...vouched, ...named, ...(team.file ? [team.file] : [])]
    const done = await promisify(execFile)(process.execPath, args, { maxBuffer: 4 * 1024 * 1024 }).catch(
      (error: Error & { stdout?: string; stderr?: string }) => ({ stdout: '', stderr: error.message, ...error }),
    )
    say(`${done.stdout}${done.stderr}`.trim().split('\n').map(printable))
  },
}

function turn({ hooks, say }: Desk, id: string, enabled: boolean): void {
  const known = hooks.hooks.map((hook) => hook.id)
  if (known.includes(id)) {
    hooks.enable(id, enabled)
    say([`\`${printable(id)}\` is ${enabled ? 'on' : 'off until the session ends'}.`])
  } else say([`There is no hook \`${printable(id)}\` here.${didYouMean(id, known)} \`/hooks\` lists them.`])
}
