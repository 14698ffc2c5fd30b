import * as z from 'zod/mini'
import { bindTool } from '../define.ts'
import { defineToolset } from '../toolset.ts'
import { bash } from './bash.ts'
import {
  closeJobs,
  listBackgroundJobs,
  openJobs,
  runBackgroundJob,
  stopBackgroundJob,
  viewBackgroundJob,
} from './jobs.ts'
import { machineIn } from './machine.ts'
import { shell } from './shell.ts'

export { scripts } from './script.ts'

const jobTools = [runBackgroundJob, listBackgroundJobs, viewBackgroundJob, stopBackgroundJob]
const options = z.strictObject({
  env: z.optional(z.record(z.string(), z.string()).check(z.describe('Variables for every command.'))),
})

export const shellToolset = defineToolset({
  doc: 'Runs command lines in the workspace; in the sandbox, over virtual files.',
  options,
  tools: [shell, ...jobTools],
  sandboxed: [bash],
  open({ env }, world) {
    const { sandbox } = world
    if (sandbox) return { tools: [bindTool(bash, 'shell', { ...sandbox, timeoutMs: 120_000 })] }
    const jobs = openJobs(machineIn(world, env))
    const tools = [bindTool(shell, 'shell', jobs), ...jobTools.map((tool) => bindTool(tool, 'shell', jobs))]
    return { tools, close: () => closeJobs(jobs) }
  },
})

export const backgroundJobs = defineToolset({
  doc: 'Runs command lines that go on while the agent does other things.',
  options,
  tools: jobTools,
  outsideOnly: 'its commands run on the machine itself',
  open({ env }, world) {
    const jobs = openJobs(machineIn(world, env))
    return { tools: jobTools.map((tool) => bindTool(tool, 'shell', jobs)), close: () => closeJobs(jobs) }
  },
})
