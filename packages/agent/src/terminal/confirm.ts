import {
  analyseCommand,
  type Colour,
  homeDirectory,
  indent,
  type Paint,
  printable,
  stakesOfCall,
} from 'hookline/internal'
import type { Approval, ApprovalRequest, Person } from '../core/index.ts'
import type { Activity, Asker } from './activity.ts'
import { reasonLines } from './reasons.ts'
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
      say(['', ...showRequest(await withStakes(request, cwd), askers, paint)])
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
/** What of the metadata has a place of its own in a question. */
export const dressed: ReadonlySet<string> = new Set(['blast_radius', 'category', 'reason', 'at_stake'])

const signs: Readonly<Record<string, string>> = { high: '▲', medium: '◆', low: '●', safe: '●' }

/** `▲ HIGH · fs-delete`, in the colour of how far it reaches; empty where nobody knows anything of it. */
export function badgeOf({ metadata }: ApprovalRequest, paint: Paint): string {
  const { blast_radius: radius, category } = metadata
  if (radius === undefined) return ''
  // What is not known is of no kind; the guard's word for that says nothing to a person.
  const tag = category === undefined || radius === 'unknown' ? '' : ` · ${printable(category)}`
  return paint[radii[radius] ?? 'dim'](`${signs[radius] ?? '?'} ${printable(radius.toUpperCase())}${tag}`)
}

/** Why it is asked: what hooks say of it, who they are, and what else is known. */
export function whyAsked({ call, reason, metadata }: ApprovalRequest, askers: readonly Asker[], paint: Paint) {
  // The command stands right above.
  const besides = Object.values(call.input).map(String)
  const isSaid = (text: string) => askers.some((asker) => asker.reason.includes(text))
  const others = [reason, metadata['reason'] ?? ''].flatMap((text) => text.split('\n')).filter((text) => !isSaid(text))
  return {
    ofAskers: reasonLines(
      askers.map((asker) => asker.reason),
      paint,
      besides,
    ),
    others: reasonLines(others, paint, besides),
  }
}

export function showRequest(request: ApprovalRequest, askers: readonly Asker[], paint: Paint): string[] {
  const { call, agent, metadata } = request
  const badge = badgeOf(request, paint)
  const why = whyAsked(request, askers, paint)
  const others = Object.entries(metadata).filter(([key]) => !dressed.has(key))
  const names = [...new Set(askers.map(({ hook }) => hook))].map((name) => paint.yellow(printable(name)))
  return [
    `${paint.yellow('?')} ${printable(agent)} wants to call ${paint.bold(printable(call.name))}${badge && `  ${badge}`}`,
    ...indent(showInput(call.input), 4),
    ...(names.length > 0 ? [`  asked by ${names.join(', ')}`] : []),
    ...indent([...why.ofAskers, ...why.others], 2),
    ...others.map(([key, value]) => paint.dim(`  ${printable(key)}: ${printable(value)}`)),
  ]
}

/** Adds what the call puts at stake, and how far that reaches, where no hook has. */
export async function withStakes(request: ApprovalRequest, cwd: string): Promise<ApprovalRequest> {
  const { call, category, metadata } = request
  const { blast_radius: known } = metadata
  if (known !== undefined && known !== 'unknown') return request
  const command = call.input['command'] ?? call.input['cmd']
  const line = typeof command === 'string' ? { command } : {}
  const [gravest] = await stakesOfCall({ tool_name: call.name, tool_input: { ...call.input, ...line }, cwd }, cwd)
  const found = gravest
    ? { blast_radius: gravest.radius, category: gravest.about, reason: gravest.reason }
    : category === 'shell' && typeof command === 'string'
      ? radiusOf(command, cwd)
      : {}
  return { ...request, metadata: { ...metadata, ...found } }
}

/** What the words of a command alone tell. */
function radiusOf(command: string, cwd: string): Record<string, string> {
  const { verdict, radius, categories, reason } = analyseCommand({ command, cwd, home: homeDirectory() })
  const known = verdict === 'destructive' ? { blast_radius: radius, reason } : { blast_radius: verdict }
  return { ...known, ...(categories[0] ? { category: categories[0] } : {}) }
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
