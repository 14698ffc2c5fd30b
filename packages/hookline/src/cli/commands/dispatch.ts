import { join, resolve } from 'node:path'
import {
  effectNames,
  effectRow,
  eventNamed,
  eventRow,
  formatNote,
  HooklineError,
  isRecord,
  type Note,
  note,
  parseJson,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import { fileState } from '../../executors/index.ts'
import { createHooks, type Hooks, type HooksOptions } from '../../hooks/index.ts'
import { stateDirectory } from '../../platform/index.ts'
import { defineCommand, type Option, text, texts, UsageError } from '../command.ts'
import { configOptions, configured, hookFlags } from '../configured.ts'
import { journalFor, recordingOptions } from '../journal-for.ts'
import { print, printError, readInput } from '../standard.ts'

export const trustOption: Option = {
  value: 'all|digest',
  multiple: true,
  doc: '`all`: you trust these files. A digest: you trust that hook. Without it, only approved hooks run.',
}

export const command = defineCommand({
  name: 'dispatch',
  summary: 'Read one event, run its hooks, and print one verdict, in the shape of any system.',
  usage: 'dispatch [--dialect <name>] [--config <file>] [options] < payload.json',
  doc: [
    'Reads one payload from standard input, in the shape that the system of the dialect hands to its hooks, runs the hooks',
    'that match, and prints the verdict as one JSON object that always has all its keys.',
  ].join('\n'),
  options: {
    dialect: {
      value: 'name',
      doc: 'The dialect of the payload: native, crush, docker-agent, everruns, pydantic-deep, starchild, claude-code.',
    },
    config: configOptions.config,
    'config-dialect': {
      value: 'name',
      doc: 'The dialect of the config, if it is not --dialect and the file does not show it.',
    },
    ...hookFlags,
    event: { value: 'name', doc: 'The event, if the payload does not name it; any spelling.' },
    trust: trustOption,
    cwd: { value: 'directory', doc: 'Where hooks run, if the payload has no `cwd`.' },
    ...recordingOptions,
    reply: { doc: 'Print what the host would read from a hook, and exit with the code it would see.' },
  },
  examples: [
    `echo '{"event":"pre_tool_use","tool_name":"shell","tool_input":{"command":"ls"}}' | hookline dispatch --config hookline.yaml --trust all`,
  ],
  exits: {
    1: 'The config could not be read, or the payload is not what the event needs; the error is on standard error.',
    64: 'Wrong usage, or the payload is no JSON object.',
  },
  async run(invocation) {
    const { values } = invocation
    const dialect = text(values['dialect']) ?? 'native'
    const { files, cwd, off, settings } = await configured(invocation, [], {
      quiet: true,
      dialect: text(values['config-dialect']) ?? text(values['dialect']),
    })
    const { trust = trustAll } = await trustBy(texts(values['trust']))
    const resolved = files.map((each) => (each.text === undefined ? { ...each, file: resolve(each.file) } : each))
    const warn = (note: Note) => printError(`${formatNote(note)}\n`)
    const journal = journalFor(values, settings, warn)
    // Where hooks run when the directory that the payload names does not exist here.
    process.chdir(cwd)
    const payload = readPayload(await readInput())
    const named = text(values['event'])

    let hooks: Hooks
    try {
      hooks = await createHooks({
        files: resolved,
        cache: join(stateDirectory(), 'config'),
        state: fileState(),
        sealed: true,
        journal,
        cwd,
        off,
        trust,
        onNote: warn,
      })
    } catch (error) {
      const reply = values['reply'] ? await refusal(dialect, payload, named, error) : undefined
      if (!reply) throw error
      return say(reply)
    }
    try {
      const verdict = await hooks.raiseAs(dialect, payload, named === undefined ? {} : { event: named })
      const reply = values['reply'] ? await hooks.replyAs(dialect, verdict) : undefined
      // What a host reads as the reason of a refusal stays that and nothing else.
      if (!reply || reply.exit === 0) printError(inactive(verdict))
      if (reply) return say(reply)
      print(`${stringifyJson(show(verdict, hooks.notes))}\n`)
      return 0
    } finally {
      await hooks.close()
    }
  },
})

/** `--trust all`: whoever starts the run trusts every hook. Each dispatch records it. */
const trustAll = () => ({ trusted: true, unchecked: true }) as const

/** Nobody may take a guard that nobody has approved for one that is at work. */
function inactive({ notes }: Verdict): string {
  const warnings = notes.filter(({ code }) => code === 'hook-inactive')
  return warnings.map((each) => `${formatNote(each)}\n`).join('')
}

function say({ stdout, stderr, exit }: WireReply): number {
  print(stdout)
  printError(stderr)
  return exit
}

/**
 * A host takes an exit code it does not know for consent. So where something can be refused, hooks that cannot be
 * loaded refuse it: else a broken file of the project would disable those of everybody above it.
 */
async function refusal(
  name: string,
  payload: Record<string, unknown>,
  named: string | undefined,
  error: unknown,
): Promise<WireReply | undefined> {
  const dialect = await loadDialect(name)
  const decoded = dialect.event.decode(payload, named === undefined ? undefined : eventNamed(dialect, named))
  if (!(error instanceof HooklineError) || !decoded.ok || eventRow(decoded.event).failure !== 'closed') return undefined
  const { message, remedy } = note('hooks-broken', { detail: error.notes[0]?.message ?? error.message })
  const decision = { ruling: 'deny', reason: `${message} ${remedy}` } as const
  return dialect.reply.encode({ event: decoded.event, payload: decoded.payload, decision, reports: [], notes: [] })
    .value
}

/** Which hooks may run: all with `--trust all`; else those that a person approved, and the digests named here. */
export async function trustBy(given: readonly string[]): Promise<Pick<HooksOptions, 'trust'>> {
  if (given.includes('all')) return {}
  const { isDigest, openTrust } = await import('../../trust/index.ts')
  const unknown = given.find((value) => !isDigest(value))
  if (unknown !== undefined)
    throw new UsageError('`--trust` takes `all`, or a digest as `hookline list --json` shows it.')
  return { trust: openTrust({ digests: given }).gate }
}

function readPayload(source: string): Record<string, unknown> {
  const parsed = parseJson(source)
  if (!parsed.ok) throw new UsageError(`The payload on standard input is not valid JSON: ${parsed.detail}.`)
  if (!isRecord(parsed.value)) throw new UsageError('The payload on standard input must be one JSON object.')
  return parsed.value
}

/** The stable shape that scripts read: all keys, always. */
export function show(verdict: Verdict, loading: readonly { code: string; message: string }[]) {
  const field = eventRow(verdict.event).rewrites
  return {
    event: verdict.event,
    ...Object.fromEntries(
      effectNames.map((name) => {
        const { key, show } = effectRow(name).output
        return [key, show(verdict[name], field)]
      }),
    ),
    reports: verdict.reports.map((report) => ({
      hook: report.hook,
      asked: report.asked,
      ...(report.skipped ? { why: report.skipped.reason, detail: report.skipped.detail } : {}),
      ...(report.outcome ? { outcome: report.outcome } : {}),
      ...(report.failure ? { failure: report.failure.kind, detail: report.failure.detail } : {}),
      ...(report.shadow ? { shadow: true } : {}),
      ...(report.background ? { background: true } : {}),
      ...(report.durationMs === undefined ? {} : { duration_ms: Math.round(report.durationMs * 1000) / 1000 }),
    })),
    notes: [...loading, ...verdict.notes].map(({ code, message }) => ({ code, message })),
  }
}
