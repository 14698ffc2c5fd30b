import { existsSync } from 'node:fs'
import { type NamedRule, type RuleTarget, rulingOf } from '../../core/index.ts'
import { createHooks } from '../../hooks/index.ts'
import type { Invocation } from '../command.ts'
import type { Target } from '../edit/target.ts'
import { editable } from '../edit/target.ts'

/** A rule that denies what a person wants to allow. */
export interface Denial {
  rule: NamedRule
  /** The file that it is written in, or that uses the bundle it comes with. */
  file: Target
  bundled: boolean
}

/** A call that does what the target says, for each of its values. */
const callsFor: Readonly<Record<string, (value: string) => { tool: string; input: Record<string, unknown> }>> = {
  run: (command) => ({ tool: 'shell', input: { command } }),
  read: (path) => ({ tool: 'read_file', input: { path } }),
  write: (path) => ({ tool: 'write_file', input: { path, content: '' } }),
  delete: (path) => ({ tool: 'delete_file', input: { path } }),
  fetch: (host) => ({ tool: 'fetch', input: { urls: [host.includes('://') ? host : `https://${host}/`] } }),
  send: (to) => ({ tool: 'send_message', input: { to, text: '' } }),
  spawn: (agent) => ({ tool: 'transfer_task', input: { agent, task: '' } }),
  call: (name) => ({ tool: name.startsWith('mcp__') ? name : `mcp__${name.replace('/', '__')}`, input: {} }),
  tool: (tool) => ({ tool, input: {} }),
}

/** Rules of the files that a person may change here which deny this: an `allow` alone would change nothing. */
export async function denialsOf(target: RuleTarget, values: Invocation['values'], cwd: string): Promise<Denial[]> {
  const denials = new Map<string, Denial>()
  for (const file of editable(values).filter(({ dialect }) => dialect === undefined || dialect === 'native')) {
    if (!existsSync(file.file)) continue
    const hooks = await createHooks({ files: [file], cwd, journal: false, strict: false })
    const lists = hooks.hooks.filter(({ run, event }) => run.type === 'rules' && event === 'pre_tool_use')
    const rules = new Map(lists.flatMap(({ run }) => (run['rules'] as NamedRule[]).map((rule) => [rule.id, rule])))
    for (const { tool, input } of callsOf(target)) {
      const verdict = await hooks.raise(
        'pre_tool_use',
        { session_id: '', tool_name: tool, tool_input: input, cwd },
        { synthetic: true },
      )
      for (const id of verdict.reports.flatMap((report) => report.rules ?? [])) {
        const rule = rules.get(id)
        if (rule && rulingOf(rule).ruling === 'deny')
          denials.set(`${file.file} ${id}`, { rule, file: { ...file, exists: true }, bundled: id.includes(':') })
      }
    }
    await hooks.close()
  }
  return [...denials.values()]
}

function callsOf(target: RuleTarget): ReturnType<NonNullable<(typeof callsFor)[string]>>[] {
  return Object.entries(target).flatMap(([kind, values]) => {
    const make = callsFor[kind]
    return make ? [values].flat().map((value) => make(String(value))) : []
  })
}
