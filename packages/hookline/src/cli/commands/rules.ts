import { formatLine, formatNote, formatWhere, type Hook, type NamedRule, type Where, wholes } from '../../core/index.ts'
import { loadHooks } from '../../hooks/index.ts'
import { defineCommand, type Invocation, text, UsageError } from '../command.ts'
import { configOptions, configured, workingDirectory } from '../configured.ts'
import { journalToRead, partsToRead } from '../journal-for.ts'
import { readingOptions } from '../journal-options.ts'
import { projectAt, readTime } from '../log/filters.ts'
import { decidePending } from '../rules/pending.ts'
import { readProposals } from '../rules/proposals.ts'
import { suggestRules } from '../rules/suggest.ts'
import { type RuleUse, usesOf } from '../rules/usage.ts'
import { printable } from '../text/inspection.ts'
import { ago, columns, count } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'
import { commandFor, describeRule, rulingOfEntry, showRuling } from '../text/rules.ts'

export const command = defineCommand({
  name: 'rules',
  summary: 'List rules and how often each matched; decide about proposed ones; suggest new ones.',
  usage: 'rules [suggest|pending] [--config <file>] … [--json]',
  doc: [
    'Lists every rule that counts here: what it decides, about what, where it is written, how often it matched and when',
    'last. A rule that never matched is worth a look: `hookline explain "<command>"` shows why.',
    '',
    'suggest   proposes rules from your own answers in the journal: what you always approved, what you always refused.',
    'pending   shows rules that agents have proposed; at a terminal, you accept or reject each.',
  ].join('\n'),
  options: {
    ...configOptions,
    ...readingOptions,
    since: { value: 'time', doc: 'Count and suggest only from then on: `7d`, `2026-11-01`. Default: all there is.' },
    here: { doc: 'Count only what happened in this project.' },
    accept: { value: 'id', doc: 'With `pending`: accept this one. Needs a terminal, or --yes.' },
    reject: { value: 'id', doc: 'With `pending`: reject this one.' },
    yes: { doc: 'With `--accept`: needs no terminal, but HOOKLINE_APPROVE_TOKEN.' },
    json: { doc: 'Print a list of objects.' },
  },
  choices: ['suggest', 'pending'],
  examples: ['hookline rules', 'hookline rules pending', 'hookline rules suggest --since 30d'],
  exits: { 1: 'A config or the journal could not be read.', 64: 'Wrong usage.' },
  async run(invocation) {
    const [what, more] = invocation.positionals
    if (more !== undefined || (what !== undefined && what !== 'suggest' && what !== 'pending'))
      throw new UsageError('`hookline rules`, `hookline rules suggest` or `hookline rules pending`.')
    if (what === 'pending') return decidePending(invocation)
    return what === 'suggest' ? suggest(invocation) : list(invocation)
  },
})

type Listed = NamedRule & { where?: Where; layer: string }

async function list(invocation: Invocation): Promise<number> {
  const { values, output, errors } = invocation
  const { files, cwd } = await configured(invocation, [], { mayBeNone: true })
  const { hooks, notes, executors } = await loadHooks({ files, strict: false })
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  for (const note of notes) errors.write(`${formatNote(note)}\n`)
  const rules = rulesOf(hooks)
  const within = values['here'] === true ? projectAt(cwd) : undefined
  const uses = await usesOf(partsToRead(await journalToRead(invocation)), sinceOf(values), within)
  if (values['json'])
    output.write(
      `${JSON.stringify(
        rules.map((rule) => asData(rule, uses.get(rule.id))),
        null,
        2,
      )}\n`,
    )
  else output.write(`${show(rules, uses, paintFor(output), widthOf(output)).join('\n')}\n`)
  return 0
}

/** Each rule once, though a layer's rules judge several events. */
function rulesOf(hooks: readonly Hook[]): Listed[] {
  const listed = new Map<string, Listed>()
  for (const { run, origin } of wholes(hooks)) {
    const rules = run.type === 'rules' && Array.isArray(run['rules']) ? (run['rules'] as NamedRule[]) : []
    for (const rule of rules) {
      const where = origin.places?.[rule.id] ?? origin.where
      const key = `${origin.layer} ${rule.id} ${where ? formatWhere(where) : ''}`
      if (!listed.has(key)) listed.set(key, { ...rule, layer: origin.layer, ...(where && { where }) })
    }
  }
  return [...listed.values()]
}

function asData({ where, layer, ...rule }: Listed, use: RuleUse | undefined) {
  return {
    ...rule,
    ruling: rulingOfEntry(rule),
    layer,
    file: where?.file ?? null,
    line: where?.line ?? null,
    matched: use?.matched ?? 0,
    last_matched: use?.last ?? null,
  }
}

function show(rules: readonly Listed[], uses: ReadonlyMap<string, RuleUse>, paint: Paint, width: number): string[] {
  const waiting = readProposals().length
  const pending = waiting > 0 ? [`${count(waiting, 'proposed rule')} waiting for you: hookline rules pending`] : []
  if (rules.length === 0) return ['No config here has any rules. Add one: hookline deny "git push --force"', ...pending]
  const rows = rules.map((rule) => [
    showRuling(rulingOfEntry(rule), paint),
    paint.bold(printable(rule.id)),
    usedWords(uses.get(rule.id), paint),
    paint.dim(printable(rule.where ? formatLine(rule.where) : rule.layer)),
    describeRule(rule),
  ])
  const never = rules.filter(({ id }) => !uses.has(id)).length
  return [
    ...columns(rows, width),
    '',
    `${count(rules.length, 'rule')}, ${never === 0 ? 'all of them matched' : `${never} never matched`}.`,
    ...pending,
  ]
}

function usedWords(use: RuleUse | undefined, paint: Paint): string {
  if (!use) return paint.dim('never')
  return `${use.matched}× ${paint.dim(use.last === undefined ? '' : ago(use.last))}`.trim()
}

async function suggest(invocation: Invocation): Promise<number> {
  const { values, output } = invocation
  const since = sinceOf(values)
  const within = values['here'] === true ? projectAt(workingDirectory(values)) : undefined
  const parts = partsToRead(await journalToRead(invocation))
  const found = await suggestRules(parts, { ...(since && { since }), ...(within && { within }) })
  if (values['json']) {
    const data = found.map((each) => ({ ...each, command: commandFor(each.rule) }))
    output.write(`${JSON.stringify(data, null, 2)}\n`)
    return 0
  }
  if (found.length === 0) {
    output.write('Nothing to suggest yet: the journal holds too few of your answers.\n')
    return 0
  }
  const paint = paintFor(output)
  const rows = found.map(({ rule, approved, refused }) => [
    showRuling(rulingOfEntry(rule), paint),
    approved > 0 ? `you approved it ${approved}×, never refused` : `you refused it ${refused}×, never approved`,
    paint.bold(commandFor(rule)),
  ])
  output.write(`${columns(rows, widthOf(output)).join('\n')}\n`)
  return 0
}

function sinceOf(values: Invocation['values']): Date | undefined {
  const written = text(values['since'])
  return written === undefined ? undefined : readTime('--since', written, new Date())
}
