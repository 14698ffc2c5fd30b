import { analyseCommand, type Colour, homeDirectory, indent, type Paint, printable } from 'hookline/internal'
import type { Approval, ApprovalRequest, Person } from '../core/index.ts'
import type { Activity, Asker } from './activity.ts'
import { showInput } from './show.ts'

export interface AskingOptions {
  say(lines: readonly string[]): void
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  paint: Paint
  activity: Activity
  cwd: string
  /** What a yes for longer would cover, in words. */
  describeGrant(call: { name: string; input: Record<string, unknown>; category: string }): string | undefined
}

/** The person at the terminal: sees what will run, who asks and how far it reaches, and decides. */
export function personAt({ say, ask, paint, activity, cwd, describeGrant }: AskingOptions): Person {
  return {
    async approve(request, signal) {
      const askers = activity.askers(request.call.id)
      // A hook that asks decides about every call, so its question has no lasting answer.
      const lasting = askers.length === 0
      const grant = describeGrant({ ...request.call, category: request.category })
      say(['', ...showRequest(withRadius(request, cwd), askers, paint)])
      const question = `  ${paint.bold('Run it?')} ${choices(lasting ? lastingChoices(grant) : [], paint)} `
      for (;;) {
        const typed = await ask(question, signal)
        if (typed === undefined) return { answer: 'no', reason: 'Nobody answered.' }
        const approval = readApproval(typed)
        if (approval) return lasting || approval.answer === 'no' ? approval : { answer: 'once' }
      }
    },
    async answer(question, options, signal) {
      const numbered = options.map((option, at) => `  ${paint.cyan(String(at + 1))} ${printable(option)}`)
      say(['', `${paint.yellow('?')} ${printable(question)}`, ...numbered])
      const typed = (await ask(`${paint.cyan('answer ›')} `, signal)) ?? ''
      return options[Number(typed.trim()) - 1] ?? typed
    },
    async goOn(limit, signal) {
      say(['', `${paint.yellow('?')} The agent has called its model ${limit} times, which is its limit.`])
      return /^\s*y(es)?\s*$/i.test((await ask('  Go on? [y/N] ', signal)) ?? '')
    },
  }
}

/** Colours of the blast radius, as in docker-agent; an unknown radius is not shown as harmless. */
export const radii: Readonly<Record<string, Colour>> = {
  safe: 'green',
  low: 'green',
  medium: 'yellow',
  high: 'red',
  unknown: 'dim',
}
const dressed = new Set(['blast_radius', 'category', 'reason'])

export function showRequest(
  { call, agent, reason, metadata }: ApprovalRequest,
  askers: readonly Asker[],
  paint: Paint,
): string[] {
  const radius = metadata['blast_radius']
  const badge = radius === undefined ? [] : [paint[radii[radius] ?? 'dim'](`[${printable(radius)} blast radius]`)]
  const tag = metadata['category'] === undefined ? [] : [paint.dim(printable(metadata['category']))]
  const reasons = [...new Set([reason, metadata['reason'] ?? ''])].filter(
    (text) => text !== '' && !text.split('\n').every((line) => askers.some((asker) => asker.reason.includes(line))),
  )
  const others = Object.entries(metadata).filter(([key]) => !dressed.has(key))
  return [
    [
      `${paint.yellow('?')} ${printable(agent)} wants to call ${paint.bold(printable(call.name))}`,
      ...badge,
      ...tag,
    ].join('  '),
    ...indent(showInput(call.input), 4),
    ...askers.map(
      ({ hook, reason }) =>
        `  asked by ${paint.yellow(printable(hook))}${reason === '' ? '' : `: ${printable(reason)}`}`,
    ),
    ...reasons.map((text) => `  ${printable(text)}`),
    ...others.map(([key, value]) => paint.dim(`  ${printable(key)}: ${printable(value)}`)),
  ]
}

/** Adds the blast radius of a command where no hook has. */
export function withRadius(request: ApprovalRequest, cwd: string): ApprovalRequest {
  const command = request.call.input['command'] ?? request.call.input['cmd']
  if (request.category !== 'shell' || typeof command !== 'string' || request.metadata['blast_radius']) return request
  const { verdict, radius, categories, reason } = analyseCommand({ command, cwd, home: homeDirectory() })
  const known = verdict === 'destructive' ? { blast_radius: radius, reason } : { blast_radius: verdict }
  return {
    ...request,
    metadata: { ...known, ...(categories[0] ? { category: categories[0] } : {}), ...request.metadata },
  }
}

const lastingChoices = (grant: string | undefined): [string, string][] => [
  ['a', `lways${grant === undefined ? '' : `: ${printable(grant)}`}`],
  ['s', 'ession: everything'],
]

function choices(lasting: readonly [string, string][], paint: Paint): string {
  const all = [['y', 'es'], ...lasting, ['n', 'o, or say why not']]
  return all.map(([letter = '', rest]) => `${paint.cyan(`[${letter}]`)}${rest}`).join('  ')
}

/** Undefined for an empty line. Anything but a plain yes is a no, and its reason. */
export function readApproval(typed: string): Approval | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  const granted = grants.find(({ words }) => words.includes(text.toLowerCase()))
  if (granted) return { answer: granted.answer }
  const reason = text.replace(/^(no?)\b[\s,:.]*/i, '')
  return reason === '' ? { answer: 'no' } : { answer: 'no', reason }
}

const grants: readonly { answer: 'once' | 'tool' | 'session'; words: readonly string[] }[] = [
  { answer: 'once', words: ['y', 'yes'] },
  { answer: 'tool', words: ['a', 'always'] },
  { answer: 'session', words: ['s', 'session'] },
]
