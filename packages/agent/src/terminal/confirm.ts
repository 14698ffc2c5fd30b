import {
  analyseCommand,
  type Colour,
  type Desk,
  homeDirectory,
  indent,
  type Paint,
  printable,
  stakesOfCall,
} from 'hookline/internal'
import type { ApprovalRequest, Person } from '../core/index.ts'
import { changeOf, type FileChange } from '../tools/index.ts'
import type { Activity, Asker } from './activity.ts'
import type { Lasting } from './always.ts'
import { showChange } from './diff.ts'
import { reasonLines } from './reasons.ts'
import { showInput } from './show.ts'

export interface AskingOptions {
  say(lines: readonly string[]): void
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  paint: Paint
  activity: Activity
  cwd: string
  /** What a yes for the session would cover, in words. */
  describeGrant(call: { name: string; input: Record<string, unknown>; category: string }): string | undefined
  lastingFor(request: ApprovalRequest, change: FileChange | undefined, askers: readonly Asker[]): Lasting | undefined
  /** Where the person proves to be one. */
  desk: Desk
}

/** The person at the terminal: sees what will run, who asks and how far it reaches, and decides. */
export function personAt(options: AskingOptions): Person {
  const { say, ask, paint, activity, cwd, describeGrant, lastingFor, desk } = options
  return {
    async approve(given, signal) {
      const request = await withStakes(given, cwd)
      const { call, category } = request
      const askers = activity.askers(call.id)
      const change = await changeOf(call, cwd)
      const offer: Offer = {
        // A hook that asks decides about every call: an answer for the session would not count.
        grant: askers.length === 0 ? describeGrant({ ...call, category }) : undefined,
        lasting: lastingFor(request, change, askers),
        editable: editableKey(call.input),
      }
      say(['', ...showRequest(request, change, askers, paint)])
      const question = `  ${paint.bold('Run it?')} ${choices(offer, paint)} `
      for (;;) {
        const typed = await ask(question, signal)
        if (typed === undefined) return { answer: 'no', reason: 'Nobody answered.' }
        const { answer, reason } = readAnswer(typed, offer)
        if (answer === 'no') return reason === undefined ? { answer } : { answer, reason }
        if (answer === 'once' || answer === 'tool') return { answer }
        if (answer === 'edit') {
          const command = (await ask('  Which command instead? ', signal))?.trim()
          if (command) return { answer, input: { ...call.input, [offer.editable!]: command } }
        }
        if (answer === 'always') {
          const { written, line } = await offer.lasting!.write(desk)
          say([`  ${written ? paint.green('✓') : paint.yellow('!')} ${line}`])
          if (written) return { answer: 'once' }
        }
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

export function showRequest(
  request: ApprovalRequest,
  change: FileChange | undefined,
  askers: readonly Asker[],
  paint: Paint,
): string[] {
  const { call, agent, metadata } = request
  const badge = badgeOf(request, paint)
  const why = whyAsked(request, askers, paint)
  const others = Object.entries(metadata).filter(([key]) => !dressed.has(key))
  const names = [...new Set(askers.map(({ hook }) => hook))].map((name) => paint.yellow(printable(name)))
  return [
    `${paint.yellow('?')} ${printable(agent)} wants to call ${paint.bold(printable(call.name))}${badge && `  ${badge}`}`,
    ...indent(change ? showChange(change, paint) : showInput(call.input), 4),
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

/** What can be answered beside yes and no. */
export interface Offer {
  /** What a yes for the session would cover. */
  grant: string | undefined
  lasting: Lasting | undefined
  /** The argument that holds a command which fits on one line. */
  editable: string | undefined
}

export const editableKey = (input: Readonly<Record<string, unknown>>): string | undefined =>
  ['command', 'cmd'].find((key) => typeof input[key] === 'string' && !(input[key] as string).includes('\n'))

/** The same letters as in the box of the screen. */
function choices({ grant, lasting, editable }: Offer, paint: Paint): string {
  const all = [
    ['y', 'es, once'],
    ...(grant === undefined ? [] : [['s', `ession: ${printable(grant)}`]]),
    ...(lasting ? [['a', `lways: ${lasting.words}`]] : []),
    ...(editable === undefined ? [] : [['e', 'dit']]),
    ['n', 'o, or say why not'],
  ]
  return all.map(([letter = '', rest]) => `${paint.cyan(`[${letter}]`)}${rest}`).join('  ')
}

interface Answer {
  /** None: it has to be asked again. */
  answer?: 'once' | 'tool' | 'always' | 'edit' | 'no'
  reason?: string
}

/** An empty line, and an answer that was not offered, is none. Anything but a plain yes is a no, and its reason. */
function readAnswer(typed: string, { grant, lasting, editable }: Offer): Answer {
  const text = typed.trim()
  if (text === '') return {}
  const said = answers.find(({ words }) => words.includes(text.toLowerCase()))?.answer
  const isOffered = {
    once: true,
    tool: grant !== undefined,
    always: lasting !== undefined,
    edit: editable !== undefined,
  }
  if (said) return isOffered[said] ? { answer: said } : {}
  const reason = text.replace(/^(no?)\b[\s,:.]*/i, '')
  return reason === '' ? { answer: 'no' } : { answer: 'no', reason }
}

const answers: readonly { answer: 'once' | 'tool' | 'always' | 'edit'; words: readonly string[] }[] = [
  { answer: 'once', words: ['y', 'yes'] },
  { answer: 'tool', words: ['s', 'session'] },
  { answer: 'always', words: ['a', 'always'] },
  { answer: 'edit', words: ['e', 'edit'] },
]
