import { resolve } from 'node:path'
import { type Layer, layerRank, type RuleEntry, type RuleTarget } from '../../core/index.ts'
import type { PendingQuestion } from '../../daemon/index.ts'
import { readCommands, redactValue } from '../../guards/index.ts'
import { createHooks } from '../../hooks/index.ts'
import { type Target, targetOf } from '../edit/target.ts'
import { waitingRules } from '../rules/add-rule.ts'
import { idOf } from '../rules/entry.ts'

/** The rule by which a call is never asked about again, and the file that it is added to; or why there is none. */
export type Lasting = { rule: RuleEntry; target: Target } | { impossible: string }

/**
 * An allow covers a call that can be read whole, and answers what its own layer and weaker ones ask, once it is approved.
 * So it is written where the question comes from, or above, and only where it will really answer it.
 */
export async function lastingAnswer({ call, cwd, layers }: PendingQuestion): Promise<Lasting> {
  const strongest = Math.min(...(layers.length > 0 ? layers : (['user'] as const)).map(layerRank))
  const above = places.filter(({ layer }) => layerRank(layer) <= strongest).reverse()
  if (above.length === 0) return { impossible: 'The administrator asks, and a rule of yours does not answer that.' }
  if (call.parts > 1) return { impossible: 'It is several calls in one, and a rule is about one.' }
  if (redactValue(call.input).found > 0)
    return { impossible: 'It holds a secret, which must not be written into a rule.' }
  for (const allow of targetsFor(call, cwd)) {
    if (!(await covers(allow, call, cwd))) continue
    for (const { values } of above) {
      const target = targetOf({ ...values, cwd })
      if ((await waitingRules(target, cwd)).length === 0) return { rule: { id: idOf('allow', allow), allow }, target }
    }
    return { impossible: 'Your config holds rules that nobody has approved: run `hookline approve` first.' }
  }
  return { impossible: 'What it does is only known when it runs, so no rule covers it.' }
}

/** Where a person writes what a layer says, the strongest first. The administrator's files are not theirs. */
const places: readonly { layer: Layer; values: Record<string, boolean> }[] = [
  { layer: 'user', values: { user: true } },
  { layer: 'project', values: {} },
  { layer: 'local', values: { local: true } },
]

type Call = PendingQuestion['call']

/** What a rule about exactly this call could say, the plainest first. */
function* targetsFor({ tool, input }: Call, cwd: string): Generator<RuleTarget> {
  const { command, path, urls } = input
  if (typeof command === 'string') {
    const { commands, certain, more } = readCommands({ command })
    const texts = commands.map(({ text }) => text)
    if (certain && !more && texts.length > 0 && !texts.some((text) => /[*?[\]{}]/.test(text)))
      yield { run: oneOrAll([...new Set(texts)]) }
  } else if (typeof path === 'string') {
    for (const kind of ['write', 'delete', 'read'] as const) yield { [kind]: resolve(cwd, path) }
  } else if (Array.isArray(urls)) {
    const hosts = urls.flatMap((url) => (URL.canParse(String(url)) ? [new URL(String(url)).hostname] : []))
    if (hosts.length > 0) yield { fetch: oneOrAll([...new Set(hosts)]) }
  }
  const plain = Object.entries(input).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  if (plain.length === Object.keys(input).length)
    yield { tool, ...(plain.length > 0 && { where: Object.fromEntries(plain) as NonNullable<RuleTarget['where']> }) }
}

const oneOrAll = (all: readonly string[]): string | readonly string[] => (all.length === 1 ? all[0]! : all)

/** Whether the rule alone allows the call. */
async function covers(allow: RuleTarget, { tool, input }: Call, cwd: string): Promise<boolean> {
  const hooks = await createHooks({ journal: false, cwd })
  try {
    hooks.rule({ allow })
    const payload = { session_id: '', tool_name: tool, tool_input: input, cwd }
    const { decision } = await hooks.raise('pre_tool_use', payload, { synthetic: true })
    return decision?.ruling === 'allow'
  } finally {
    await hooks.close()
  }
}
