import { isRecord, type RuleEntry } from '../../core/index.ts'
import { analyseCommand, readCommands } from '../../guards/index.ts'
import { type Entry, queryJournal } from '../../journal/index.ts'

/** A rule that the person's own answers speak for. */
export interface Suggestion {
  rule: RuleEntry
  approved: number
  refused: number
}

/** What the person decided about one kind of command, and the lines it was. */
interface Answers {
  approved: number
  refused: number
  lines: Set<string>
}

/** So often the same answer, and never the other one. */
const enoughApproved = 3
const enoughRefused = 2

/**
 * Rules that would have spared questions, from the answers in the journal. Only lines of one simple, fully understood
 * command count, and nothing destructive is ever suggested for `allow`.
 */
export async function suggestRules(
  parts: readonly string[],
  filter: { since?: Date; within?: readonly string[] },
): Promise<Suggestion[]> {
  const answers = new Map<string, Answers>()
  const asked = new Map<string, string>()
  for await (const entry of queryJournal(parts, { synthetic: false, ...filter })) collect(entry, asked, answers)
  return [...answers]
    .flatMap(([prefix, given]) => suggestionFor(prefix, given) ?? [])
    .sort((one, other) => other.approved + other.refused - one.approved - one.refused)
}

function collect(entry: Entry, asked: Map<string, string>, answers: Map<string, Answers>): void {
  const { event, tool_use_id: id = '', outcome } = entry
  const payload = isRecord(entry.payload) ? entry.payload : {}
  const input = payload['tool_input']
  const line = isRecord(input) && typeof input['command'] === 'string' ? input['command'].trim() : undefined
  if (event === 'on_tool_approval_decision') {
    const source = String(payload['approval_source'] ?? '')
    asked.delete(id)
    if (line === undefined || !source.startsWith('user_')) return
    answer(answers, line, source === 'user_rejected' ? 'refused' : 'approved')
    return
  }
  if (line === undefined || id === '') return
  // Other hosts only show that a call ran after a hook had asked: then the person said yes.
  if (event === 'pre_tool_use' && outcome === 'ask') asked.set(id, line)
  else if (event === 'post_tool_use' && asked.delete(id)) answer(answers, line, 'approved')
}

function answer(answers: Map<string, Answers>, line: string, given: 'approved' | 'refused'): void {
  const prefix = prefixOf(line)
  if (prefix === undefined) return
  const known = answers.get(prefix) ?? { approved: 0, refused: 0, lines: new Set<string>() }
  known[given]++
  known.lines.add(line)
  answers.set(prefix, known)
}

/** `npm test` of `npm test --silent`; undefined for lines that no simple rule could be about. */
function prefixOf(line: string): string | undefined {
  const { commands, certain, more } = readCommands({ command: line })
  const [only, another] = commands
  if (!only || another || !certain || more) return undefined
  const [program = '', second] = only.text.split(' ')
  if (!/^[\w.+-]+$/.test(program)) return undefined
  return second !== undefined && /^[a-z][\w:-]*$/.test(second) ? `${program} ${second}` : program
}

function suggestionFor(prefix: string, { approved, refused, lines }: Answers): Suggestion | undefined {
  const run = lines.size === 1 ? [...lines][0]! : `${prefix} *`
  if (refused >= enoughRefused && approved === 0)
    return { rule: { deny: { run: lines.size === 1 ? run : prefix } }, approved, refused }
  const harmless = [...lines].every((command) => analyseCommand({ command }).verdict !== 'destructive')
  if (approved >= enoughApproved && refused === 0 && harmless) return { rule: { allow: { run } }, approved, refused }
  return undefined
}
