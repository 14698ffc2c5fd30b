import { join, resolve } from 'node:path'
import {
  effectNames,
  effectRow,
  eventRow,
  formatNote,
  isRecord,
  type Note,
  parseJson,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'
import { ourDialects } from '../../dialects/index.ts'
import { fileState } from '../../executors/index.ts'
import { createHooks, type Hooks, type HooksOptions } from '../../hooks/index.ts'
import { installable } from '../../hosts/index.ts'
import { stateDirectory } from '../../platform/index.ts'
import type { Approver } from '../../trust/index.ts'
import { brokenHooks, type Raised, raiseFor, refusal, unreadable, warningsOf } from '../answer.ts'
import { defineCommand, type Option, text, texts, UsageError } from '../command.ts'
import { configOptions, configured, hookFlags } from '../configured.ts'
import { whoCalls } from '../hosts/called.ts'
import { journalFor, recordingOptions } from '../journal-for.ts'
import { collectLater, runLaterWork } from '../later.ts'
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
      doc: `The system whose payload this is: ${[...ourDialects.names, ...installable].join(', ')}.`,
    },
    host: {
      value: 'name',
      doc: 'The agent that calls, where Hookline is installed: its payload, and --reply. That there are no hooks at all is no mistake.',
    },
    config: configOptions.config,
    'config-dialect': {
      value: 'name',
      doc: 'The dialect of the config, if the file does not show it. It need not be that of the payload.',
    },
    ...hookFlags,
    event: { value: 'name', doc: 'The event, if the payload does not name it; any spelling.' },
    trust: trustOption,
    cwd: { value: 'directory', doc: 'Where hooks run, if the payload has no `cwd`.' },
    ...recordingOptions,
    later: {
      doc: 'Run what an earlier dispatch has left: background hooks, which no host waits for. Hookline itself uses it.',
    },
    reply: { doc: 'Print what the host would read from a hook, and exit with the code it would see.' },
  },
  examples: [
    `echo '{"event":"pre_tool_use","tool_name":"shell","tool_input":{"command":"ls"}}' | hookline dispatch --config hookline.yaml --trust all`,
  ],
  readByHosts: true,
  exits: {
    1: 'The config could not be read, or the payload is not what the event needs; the error is on standard error.',
    64: 'Wrong usage, or the payload is no JSON object.',
  },
  async run(invocation) {
    const { values } = invocation
    const host = text(values['host'])
    const called = host === undefined ? undefined : await readCall(host)
    if (called?.elsewhere) return say(nothing)
    const dialect = called?.caller ?? text(values['dialect']) ?? 'native'
    const replies = values['reply'] === true || called !== undefined
    const { files, cwd, off, settings } = await configured(invocation, [], {
      quiet: true,
      likely: ourDialects.names.includes(dialect) ? text(values['dialect']) : undefined,
      mayBeNone: called !== undefined,
    })
    const { trust = trustAll, approver } = await trustBy(texts(values['trust']))
    const resolved = files.map((each) => (each.text === undefined ? { ...each, file: resolve(each.file) } : each))
    const warn = (note: Note) => printError(`${formatNote(note)}\n`)
    const journal = journalFor(values, settings, warn)
    const from = process.cwd()
    // Where hooks run when the directory that the payload names does not exist here.
    process.chdir(cwd)
    const payload = called?.payload ?? readPayload(await readInput())
    const named = text(values['event'])

    const state = fileState()
    // A host waits for this process, and must not wait for what runs in the background.
    const left = replies && !values['later'] ? collectLater() : undefined
    let hooks: Hooks
    try {
      hooks = await createHooks({
        files: resolved,
        cache: join(stateDirectory(), 'config'),
        state,
        sealed: true,
        journal,
        cwd,
        off,
        trust,
        onNote: warn,
        ...(left && { later: left.later }),
      })
    } catch (error) {
      const reply = replies ? await refusal(dialect, payload, named, brokenHooks(error)) : undefined
      if (!reply) throw error
      return say(reply)
    }
    try {
      if (values['later']) {
        await runLaterWork(hooks, payload)
        return 0
      }
      const about = { dialect, payload, named, approver, state, cwd, off, namesFiles: values['config'] !== undefined }
      let raised: Raised
      try {
        raised = await raiseFor(hooks, about)
      } catch (error) {
        const reply = replies ? await refusal(dialect, payload, named, unreadable(error)) : undefined
        if (!reply) throw error
        return say(reply)
      }
      const { verdict } = raised
      const reply = replies ? await hooks.replyAs(dialect, verdict) : undefined
      // What a host reads as the reason of a refusal stays that and nothing else.
      if (!reply || reply.exit === 0) printError(warningsOf(hooks, raised))
      if (reply) return say(reply)
      print(`${stringifyJson(show(verdict, hooks.notes))}\n`)
      return 0
    } finally {
      await left?.leave(from).catch(() => left.runHere(hooks))
      await hooks.close()
    }
  },
})

const nothing: WireReply = { kind: 'wire', exit: 0, stdout: '{}', stderr: '' }

async function readCall(host: string) {
  const payload = readPayload(await readInput())
  return { payload, ...(await whoCalls(host, payload, process.cwd())) }
}

/** `--trust all`: whoever starts the run trusts every hook. Each dispatch records it. */
const trustAll = () => ({ trusted: true, unchecked: true }) as const

function say({ stdout, stderr, exit }: WireReply): number {
  print(stdout)
  printError(stderr)
  return exit
}

/** Which hooks may run: all with `--trust all`; else those that a person approved, and the digests named here. */
export async function trustBy(
  given: readonly string[],
): Promise<Pick<HooksOptions, 'trust'> & { approver?: Approver }> {
  if (given.includes('all')) return {}
  const { isDigest, openTrust } = await import('../../trust/index.ts')
  const unknown = given.find((value) => !isDigest(value))
  if (unknown !== undefined)
    throw new UsageError('`--trust` takes `all`, or a digest as `hookline list --json` shows it.')
  const approver = openTrust({ digests: given })
  return { trust: approver.gate, approver }
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
