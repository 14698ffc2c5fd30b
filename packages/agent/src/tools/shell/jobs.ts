import * as z from 'zod/mini'
import { clip, ToolFailure } from '../../core/index.ts'
import { defineTool, text } from '../define.ts'
import { aliases, commandLine, directoryFor, type Machine } from './machine.ts'
import { createOutput, type Ending, type Output, type Running, startShell } from './process.ts'

const mostJobs = 20
const mostOutput = 256 * 1024

interface Job {
  id: string
  command: string
  began: number
  output: Output
  running: Running
  ended: Promise<void>
  ending?: Ending
  finished?: number
}

/** Commands that go on while the agent does other things. All of them end with the session. */
export interface Jobs extends Machine {
  jobs: Map<string, Job>
}

export const openJobs = (machine: Machine): Jobs => ({ ...machine, jobs: new Map() })

export async function closeJobs({ jobs }: Jobs): Promise<void> {
  for (const { running } of jobs.values()) running.stop()
  await Promise.all([...jobs.values()].map(({ ended }) => ended))
}

export const runBackgroundJob = defineTool({
  name: 'run_background_job',
  description: 'Start a command line and do not wait for it: a server, a watcher. It ends with the session.',
  input: z.strictObject(commandLine),
  aliases,
  async run({ command, cwd }, on: Jobs, { signal }) {
    signal.throwIfAborted()
    const unfinished = [...on.jobs.values()].filter(({ ending }) => !ending)
    if (unfinished.length >= mostJobs) throw new ToolFailure(`${mostJobs} jobs are running already. Stop one first.`)
    const job = begin(`job_${on.jobs.size + 1}`, command, await directoryFor(cwd, on), on)
    on.jobs.set(job.id, job)
    return `Started as ${job.id}. See its output with view_background_job.`
  },
})

export const listBackgroundJobs = defineTool({
  name: 'list_background_jobs',
  description: 'List the background jobs and how they stand.',
  input: z.strictObject({}),
  readOnly: true,
  async run(_, { jobs }: Jobs) {
    return [...jobs.values()].map(describe).join('\n') || 'There are no background jobs.'
  },
})

const which = z.strictObject({ job_id: text('The id that run_background_job gave.') })

export const viewBackgroundJob = defineTool({
  name: 'view_background_job',
  description: 'See what a background job has printed so far, and how it stands.',
  input: which,
  readOnly: true,
  async run({ job_id }, on: Jobs) {
    const job = find(job_id, on)
    return `${describe(job)}\n${job.output.text().trimEnd() || '(no output yet)'}`
  },
})

export const stopBackgroundJob = defineTool({
  name: 'stop_background_job',
  description: 'Stop a background job and everything it has started.',
  input: which,
  async run({ job_id }, on: Jobs) {
    const job = find(job_id, on)
    if (job.ending) return `${describe(job)} There was nothing to stop.`
    job.running.stop()
    await job.ended
    return `Stopped ${job.id}.`
  },
})

function begin(id: string, command: string, cwd: string, { env, container }: Machine): Job {
  const output = createOutput(mostOutput)
  let over = () => {}
  const ended = new Promise<void>((resolve) => {
    over = resolve
  })
  const running = startShell({
    command,
    cwd,
    env,
    container,
    output: (chunk) => output.add(chunk),
    ended(ending) {
      job.ending = ending
      job.finished = Date.now()
      over()
    },
  })
  const job: Job = { id, command, began: Date.now(), output, running, ended }
  return job
}

function find(id: string, { jobs }: Jobs): Job {
  const job = jobs.get(id)
  if (!job) throw new ToolFailure(`There is no job ${id}. There are: ${[...jobs.keys()].join(', ') || 'none'}.`)
  return job
}

function describe({ id, command, began, ending, finished = Date.now() }: Job): string {
  const seconds = Math.round((finished - began) / 1_000)
  return `${id}: ${stateOf(ending)}, ${seconds} s: ${clip(command, 120)}`
}

function stateOf(ending: Ending | undefined): string {
  if (!ending) return 'running'
  if (ending.error !== undefined) return `not started (${ending.error})`
  return ending.exit === null ? `ended by ${ending.signal}` : `ended with exit code ${ending.exit}`
}
