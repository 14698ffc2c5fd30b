import { posix } from 'node:path'
import { analyseOnce, type Outcome, type Sandbox, workspace } from 'hookline/internal'
import * as z from 'zod/mini'
import { size, type ToolResult, type ToolRun } from '../../core/index.ts'
import type { Container } from '../container/index.ts'
import { defineTool, whole } from '../define.ts'
import { directoryAt } from '../files/files.ts'
import type { VirtualFiles } from '../files/virtual.ts'
import { aliases, commandLine, directoryFor, type Machine, onlyReads } from './machine.ts'
import { createOutput, type Ending, type Output, type Running, startShell } from './process.ts'

/** All of it, as far as memory allows: a hook puts long results aside, and says that the file has the whole. */
const mostOutput = 16 * 1024 * 1024
export const mostSeconds = 3_600

export const shell = defineTool({
  name: 'shell',
  description:
    'Run a command line in the workspace and wait for it. Each call is a fresh shell without input; what it leaves running is ended with it. For servers and watchers, use run_background_job.',
  input: z.strictObject({
    ...commandLine,
    timeout: z.optional(whole('Seconds until it is stopped; 120, if left out.').check(z.lte(mostSeconds))),
  }),
  aliases,
  readOnly: onlyReads,
  async run({ command, cwd, timeout }, on: Machine, call) {
    const timeoutMs = timeout === undefined ? on.timeoutMs : timeout * 1_000
    const { env, container } = on
    return runCommand({ command, cwd: await directoryFor(cwd, on), env, container, timeoutMs }, call)
  },
})

export interface Command {
  command: string
  cwd: string
  env: Record<string, string>
  container?: Container | undefined
  timeoutMs: number
}

/** Runs it to its end, to its time-out or to the abort, whichever comes first. Then nothing of it is left. */
export function runCommand(command: Command, { signal, progress }: ToolRun): Promise<ToolResult> {
  const output = createOutput(mostOutput, progress)
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let running: Running | undefined
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      running?.stop()
    }, command.timeoutMs)
    const abort = () => running?.stop()
    signal.addEventListener('abort', abort, { once: true })
    running = startShell({
      ...command,
      output: (chunk) => output.add(chunk),
      ended(ending) {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        if (signal.aborted) reject(signal.reason)
        else resolve(resultOf(output, ending, timedOut ? command.timeoutMs : undefined))
      },
    })
  })
}

function resultOf(output: Output, { exit, signal, left, error }: Ending, timedOutMs: number | undefined): ToolResult {
  const remarks = [
    error === undefined ? '' : `It could not be started: ${error}`,
    timedOutMs === undefined ? '' : `Stopped after ${timedOutMs / 1_000} seconds. Set \`timeout\` if it needs longer.`,
    exit === null && signal !== null && timedOutMs === undefined ? `Ended by ${signal}.` : '',
    exit !== null && exit !== 0 ? `Exit code ${exit}.` : '',
    left.length === 0
      ? ''
      : `Still running when the command was over, and ended: ${left.join(', ')}. Use run_background_job for what should go on.`,
    output.left() === 0
      ? ''
      : `Only ${size(mostOutput)} of ${size(output.bytes())} were kept: the beginning and the end.`,
  ].filter((remark) => remark !== '')
  const failed = error !== undefined || timedOutMs !== undefined || exit !== 0
  const printed = output.text().trimEnd()
  const lines = [
    printed === '' && remarks.length === 0 ? '(no output)' : printed,
    ...remarks.map((remark) => `(${remark})`),
  ]
  return { content: lines.filter((line) => line !== '').join('\n'), ...(failed ? { error: true } : {}) }
}

/** Beyond it the sandbox gives up on the script. */
const mostPrinted = 4 * 1024 * 1024

/** What the shell of the sandbox works on: files that exist only for the session. */
export interface Virtual {
  files: VirtualFiles
  shell: Sandbox
  timeoutMs: number
}

export const bash = defineTool({
  name: 'bash',
  description:
    'Run a shell script in a sandbox: its files are a copy of the workspace that lasts for the session. There are the usual text tools (grep, sed, awk, jq, find …), and no other programs and no network.',
  input: z.strictObject({
    ...commandLine,
    timeout: z.optional(whole('Seconds until it is stopped; 120, if left out.').check(z.lte(mostSeconds))),
  }),
  aliases,
  alone: true,
  readOnly: ({ command }) => analyseOnce({ command, cwd: workspace }).verdict === 'safe',
  async run({ command, cwd = '.', timeout }, on: Virtual, { signal }) {
    const place = await directoryAt(on.files, cwd)
    const timeoutMs = timeout === undefined ? on.timeoutMs : timeout * 1_000
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const job = {
      command,
      cwd: posix.normalize(place.path),
      stdin: '',
      env: {},
      files: {},
      kept: on.files.tree,
      mounts: [],
      settings: { limits: {}, allow: [] },
      outputLimit: mostPrinted,
    }
    try {
      return sandboxResult(await on.shell.run(job, limited), on.files)
    } catch (error) {
      if (signal.aborted) throw error
      const why = limited.aborted ? `It was stopped after ${timeoutMs / 1_000} seconds.` : (error as Error).message
      return { content: `${why} ${nothingKept}`, error: true }
    }
  },
})

const nothingKept = 'Nothing that it wrote was kept.'

function sandboxResult(outcome: Outcome, files: VirtualFiles): ToolResult {
  if (outcome.kind !== 'done')
    return { content: `The sandbox stopped it: ${outcome.detail}. ${nothingKept}`, error: true }
  files.apply(outcome.changed, outcome.removed)
  const output = createOutput(mostOutput)
  output.add(Buffer.from(outcome.stdout + outcome.stderr))
  const printed = output.text().trimEnd()
  if (outcome.exit === 0) return { content: printed === '' ? '(no output)' : printed }
  return { content: `${printed}\n(Exit code ${outcome.exit}.)`.trim(), error: true }
}
