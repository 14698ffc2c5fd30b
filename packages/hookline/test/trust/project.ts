import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Executor, Hook, Layer } from '../../src/core/index.ts'
import { loadDialect } from '../../src/dialects/index.ts'
import { loadExecutor } from '../../src/executors/index.ts'
import { createHooks, type Hooks, type HooksOptions, openTrust } from '../../src/index.ts'
import { type Inspection, placeOf } from '../../src/trust/index.ts'
import { ownProcesses } from '../support/own-processes.ts'
import { scratch } from '../support/scratch.ts'

/** A hook as a config file has it. */
export type Entry = Record<string, unknown>

export interface Project {
  directory: string
  store: string
  config: string
  path(name: string): string
  /** Writes a file, and leaves its times as they were if it was there. */
  write(name: string, text: string): void
  /** Writes the config. */
  configure(...entries: Entry[]): void
  load(more?: Partial<HooksOptions>): Promise<Hooks>
  inspect(more?: Partial<HooksOptions>): Promise<Inspection[]>
  /** The states of all hooks, in order. */
  states(): Promise<string[]>
  approve(more?: Partial<HooksOptions>): Promise<void>
  /** Loads the hooks again and raises an event: the reply of the first hook, or how it failed. */
  ask(more?: Partial<HooksOptions>): Promise<string>
  /** Asks hooks that are loaded. */
  askOf(hooks: Hooks): Promise<string>
  ran(): boolean
}

const says = '#!/bin/sh\ntouch ran\necho GOOD >&2\nexit 2\n'
export const guard: Entry = { id: 'guard', event: 'pre_tool_use', run: './guard.sh' }

/** A project with a hook that runs `./guard.sh`, and approvals of its own. */
export function project({
  entries = [guard],
  files = {},
  layer = 'project',
  in: directory = scratch(),
  store = join(scratch(), 'state'),
}: {
  entries?: Entry[]
  files?: Record<string, string>
  layer?: Layer
  in?: string
  store?: string
} = {}): Project {
  const path = (name: string) => join(directory, name)
  const config = path('hookline.json')
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true })
    const before = statSync(path(name), { throwIfNoEntry: false })
    writeFileSync(path(name), text)
    if (before) utimesSync(path(name), before.atime, before.mtime)
    else chmodSync(path(name), 0o755)
  }
  const load = async (more: Partial<HooksOptions> = {}) => {
    const hooks = await createHooks({
      files: [{ file: config, layer }],
      cwd: directory,
      trust: openTrust({ store }).gate,
      strict: false,
      executors: [ownProcesses()],
      ...more,
    })
    onTestFinished(() => hooks.close())
    return hooks
  }
  const inspectAll = async ({ hooks }: Hooks, more: readonly Executor[] = []) => {
    const trust = openTrust({ store })
    return Promise.all(
      hooks.map(async (hook) => {
        const own = more.find(({ type }) => type === hook.run.type)
        const executor = own ?? (await loadExecutor(hook.run.type))
        return trust.inspect(hook, placeOf(hook, imagined(hook, directory), await loadDialect(hook.dialect), executor))
      }),
    )
  }
  const askOf = async (hooks: Hooks) => {
    const { decision, reports } = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: {} })
    const failure = reports.find((report) => report.failure)?.failure
    return failure ? `${failure.kind}: ${failure.detail}` : (decision?.reason ?? 'nothing')
  }
  const inspect = async (more: Partial<HooksOptions> = {}) => inspectAll(await load(more), more.executors)
  for (const [name, text] of Object.entries({ 'guard.sh': says, ...files })) write(name, text)
  const made: Project = {
    directory,
    store,
    config,
    path,
    write,
    configure: (...all) => writeFileSync(config, JSON.stringify({ version: 1, hooks: all })),
    load,
    inspect,
    states: async () => (await inspect()).map(({ state }) => state),
    async approve(more) {
      const all = await inspect(more)
      await openTrust({ store }).approve(all)
    },
    ask: async (more) => askOf(await load(more)),
    askOf,
    ran: () => existsSync(path('ran')),
  }
  made.configure(...entries)
  return made
}

export const readText = (file: string): string => readFileSync(file, 'utf8')

function imagined({ event: name }: Hook, cwd: string) {
  return { name, payload: { cwd, project_dir: cwd, session_id: '' }, depth: 0, synthetic: true } as never
}
