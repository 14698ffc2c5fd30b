import { literally, type Rule } from './rules.ts'
import { isCommandKey, type Subject } from './subject.ts'

/** Programs whose first word says what they do: a yes to `git status` is none to `git push`. */
const withSubcommands = new Set(
  (
    'git npm pnpm yarn bun deno npx cargo go docker podman kubectl helm terraform make just gh glab aws gcloud az ' +
    'pip pip3 uv poetry composer gem bundle brew apt apt-get dnf systemctl dotnet mvn gradle rails mix flutter'
  ).split(' '),
)

/**
 * What "yes, and don't ask again" covers: the tool; for a command line that is one simple command, that command with
 * other arguments; for any other line, that very line and nothing else.
 */
export function grantedBy({ call, lines }: Subject): Rule {
  const tool = literally(call.name)
  const [line] = lines
  if (!line) return { text: call.name, tool, conditions: [] }
  const key = Object.keys(call.input).find(isCommandKey) ?? 'command'
  const prefix = prefixOf(line.read())
  const glob = prefix === undefined ? literally(line.text.trim()) : `${literally(prefix)}*`
  return { text: `${call.name}:${key}=${prefix ?? line.text.trim()}`, tool, conditions: [{ key, glob }] }
}

/** How a person is told what they would grant. */
export function describeGrant(subject: Subject): string {
  const [line] = subject.lines
  if (!line) return `every call of ${subject.call.name}`
  const prefix = prefixOf(line.read())
  return prefix === undefined ? 'exactly this command line' : `\`${prefix}\` with any arguments`
}

type Reading = ReturnType<Subject['lines'][number]['read']>

function prefixOf({ commands, certain, more }: Reading): string | undefined {
  const [only, another] = commands
  if (!only || another || !certain || more) return undefined
  const [program = '', subcommand] = only.text.split(' ')
  if (/[^\w./+-]/.test(program)) return undefined
  if (!withSubcommands.has(program)) return program
  return subcommand !== undefined && /^[a-z][\w:-]*$/.test(subcommand) ? `${program} ${subcommand}` : undefined
}
