import * as z from 'zod/mini'
import { expandAll, type Tool, ToolFailure } from '../../core/index.ts'
import { bindTool, defineTool, defineToolset, type ToolsetContext } from '../define.ts'
import {
  closeJobs,
  listBackgroundJobs,
  openJobs,
  runBackgroundJob,
  stopBackgroundJob,
  viewBackgroundJob,
} from './jobs.ts'
import { directoryFor, type Machine, machineIn } from './machine.ts'
import { bash, runCommand, shell } from './shell.ts'

const jobTools = [runBackgroundJob, listBackgroundJobs, viewBackgroundJob, stopBackgroundJob]
const options = z.strictObject({
  env: z.optional(z.record(z.string(), z.string()).check(z.describe('Variables for every command.'))),
})

export const shellToolset = defineToolset({
  doc: 'Runs command lines in the workspace; in the sandbox, over virtual files.',
  options,
  tools: [shell, ...jobTools],
  sandboxed: [bash],
  open({ env }, context) {
    const { sandbox } = context
    if (sandbox) return { tools: [bindTool(bash, 'shell', { ...sandbox, timeoutMs: 120_000 })] }
    const jobs = openJobs(machineIn(context, env))
    const { container } = jobs
    const contained = container ? { ...shell, description: `${shell.description} ${container.says}` } : shell
    const tools = [bindTool(contained, 'shell', jobs), ...jobTools.map((tool) => bindTool(tool, 'shell', jobs))]
    return { tools, close: () => closeJobs(jobs) }
  },
})

export const backgroundJobs = defineToolset({
  doc: 'Runs command lines that go on while the agent does other things.',
  options,
  tools: jobTools,
  outsideOnly: 'its commands run on the machine itself',
  open({ env }, context) {
    const jobs = openJobs(machineIn(context, env))
    return { tools: jobTools.map((tool) => bindTool(tool, 'shell', jobs)), close: () => closeJobs(jobs) }
  },
})

const argument = z.looseObject({ type: z.optional(z.string()), description: z.optional(z.string()) })
const script = z.strictObject({
  cmd: z.string().check(z.regex(/\S/, 'must not be blank')),
  description: z.optional(z.string()),
  args: z.optional(z.record(z.string(), argument)),
  required: z.optional(z.array(z.string())),
  env: z.optional(z.record(z.string(), z.string())),
  working_dir: z.optional(z.string()),
})

export const scripts = defineToolset({
  doc: 'Tools made of command lines that the agent file holds (`shell:` by name); arguments reach them as variables.',
  options: z.strictObject({
    shell: z.record(z.string().check(z.regex(/^\w[\w-]*$/)), script),
    env: z.optional(z.record(z.string(), z.string())),
  }),
  outsideOnly: 'its scripts run on the machine itself',
  open({ shell, env }, context) {
    const machine = machineIn(context, env)
    return { tools: Object.entries(shell).map(([name, each]) => toolOf(name, each, machine, context)) }
  },
})

function toolOf(name: string, spec: z.infer<typeof script>, machine: Machine, context: ToolsetContext): Tool {
  const args = Object.entries(spec.args ?? {})
  // Without a list, docker-agent requires all of them.
  const required = spec.required ?? args.map(([key]) => key)
  const shape = Object.fromEntries(
    args.map(([key, { type = 'string', description = key }]) => {
      const value = kinds[type] ?? z.unknown()
      const described = value.check(z.describe(description))
      return [key, required.includes(key) ? described : z.optional(described)]
    }),
  )
  const definition = defineTool({
    name,
    description: spec.description ?? `Runs: ${spec.cmd}`,
    input: z.strictObject(shape),
    async run(input, on: Machine, call) {
      const refusal = context.mayNotStart(spec.cmd)
      if (refusal !== undefined) throw new ToolFailure(refusal)
      const given = Object.entries(input).filter(([, value]) => value !== undefined)
      const values = given.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])
      const env = { ...on.env, ...expandAll(spec.env ?? {}, context.env), ...Object.fromEntries(values) }
      const cwd = await directoryFor(spec.working_dir, on)
      return runCommand({ command: spec.cmd, cwd, env, container: on.container, timeoutMs: on.timeoutMs }, call)
    },
  })
  return bindTool(definition, 'shell', machine)
}

/** By the names of JSON Schema. */
const kinds: Record<string, z.ZodMiniType> = {
  string: z.string(),
  number: z.number(),
  integer: z.int(),
  boolean: z.boolean(),
}
