import { join } from 'node:path'
import {
  effectNames,
  effectRow,
  eventRow,
  formatNote,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'
import { ourDialects } from '../../dialects/index.ts'
import { installable } from '../../hosts/index.ts'
import { stateDirectory } from '../../platform/index.ts'
import { raiseFor, replyTo, warningsOf } from '../answer.ts'
import { defineCommand, type Option, text } from '../command.ts'
import { configOptions, hookFlags } from '../configured.ts'
import { whoCalls } from '../hosts/called.ts'
import { recordingOptions } from '../journal-options.ts'
import { collectLater, runLaterWork } from '../later.ts'
import { prepareHooks, readPayload } from '../prepare-hooks.ts'
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
    const prepared = await prepareHooks(invocation, {
      likely: ourDialects.names.includes(dialect) ? text(values['dialect']) : undefined,
      mayBeNone: called !== undefined,
      warn: (note) => printError(`${formatNote(note)}\n`),
    })
    const from = process.cwd()
    // Where hooks run when the directory that the payload names does not exist here.
    process.chdir(prepared.cwd)
    const payload = called?.payload ?? readPayload(await readInput())
    const about = { ...prepared, dialect, payload, named: text(values['event']) }
    // A host waits for this process, and must not wait for what runs in the background.
    const left = replies && !values['later'] ? collectLater() : undefined
    const opening = prepared.open({ cache: join(stateDirectory(), 'config'), ...(left && { later: left.later }) })
    try {
      if (replies && !values['later']) return say(await replyTo(about, opening))
      const hooks = await opening
      if (values['later']) {
        await runLaterWork(hooks, payload)
        return 0
      }
      const raised = await raiseFor(hooks, about)
      printError(warningsOf(hooks, raised))
      print(`${stringifyJson(show(raised.verdict, hooks.notes))}\n`)
      return 0
    } finally {
      const hooks = await opening.catch(() => undefined)
      if (hooks) await left?.leave(from).catch(() => left.runHere(hooks))
      await hooks?.close()
    }
  },
})

const nothing: WireReply = { kind: 'wire', exit: 0, stdout: '{}', stderr: '' }

async function readCall(host: string) {
  const payload = readPayload(await readInput())
  return { payload, ...(await whoCalls(host, payload, process.cwd())) }
}

function say({ stdout, stderr, exit }: WireReply): number {
  print(stdout)
  printError(stderr)
  return exit
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
