import { createTwoFilesPatch } from 'diff'
import { type Invocation, paintFor, printable, requirePerson, stateDirectory, UsageError } from 'hookline/internal'
import type { Pin, PinStore } from './pins.ts'

/** Shows what waits, and takes it over once a person agrees. */
export async function approveTools(invocation: Invocation, store: PinStore, words: readonly string[]): Promise<number> {
  const [server, ...named] = words
  if (server === undefined)
    throw new UsageError('Name the server: `hookline mcp approve <server> [tool …]`. `hookline mcp tools` lists them.')
  const pins = await store.read(server)
  const waiting = Object.entries(pins).filter(
    ([tool, pin]) => pin.waiting && (named.length === 0 || named.includes(tool)),
  )
  const missing = named.filter((tool) => !Object.hasOwn(pins, tool))
  if (missing.length > 0) throw new UsageError(`The server ${server} has no tool ${missing.join(', ')}.`)
  const { output } = invocation
  if (waiting.length === 0) {
    output.write(`Nothing of ${server} waits for approval.\n`)
    return 0
  }
  for (const [tool, pin] of waiting) output.write(`${shown(server, tool, pin)}\n`)
  await requirePerson(invocation, stateDirectory())
  await store.update(server, (now) => ({
    ...now,
    ...Object.fromEntries(waiting.map(([tool, pin]) => [tool, approved(pin)])),
  }))
  output.write(
    `✓ Approved: ${waiting.map(([tool]) => printable(tool)).join(', ')}. The agent sees them when it lists tools again.\n`,
  )
  return 0
}

const approved = ({ waiting, ...pin }: Pin): Pin =>
  waiting ? { digest: waiting.digest, description: waiting.description } : pin

function shown(server: string, tool: string, { description, waiting }: Pin): string {
  const title = `${printable(tool)} of ${printable(server)}`
  const why =
    waiting?.why === 'shadows'
      ? ` has the name of a tool of ${printable(waiting.other ?? 'another server')}`
      : ' is described in another way'
  const patch = createTwoFilesPatch('before', 'now', description, waiting?.description ?? '', '', '', { context: 2 })
  const lines = patch
    .split('\n')
    .slice(4)
    .filter((line) => !line.startsWith('\\'))
  return `${title}${why}:\n${lines.map((line) => `  ${printable(line)}`).join('\n')}`
}

export async function listTools(invocation: Invocation, store: PinStore, words: readonly string[]): Promise<number> {
  const { output, values } = invocation
  const servers = words.length > 0 ? words : [...(await store.servers())].sort()
  const rows = (
    await Promise.all(
      servers.map(async (server) =>
        Object.entries(await store.read(server)).map(([tool, pin]) => ({
          server,
          tool,
          digest: pin.digest,
          waits: pin.waiting?.why ?? null,
        })),
      ),
    )
  ).flat()
  if (values['json']) output.write(`${JSON.stringify(rows)}\n`)
  else if (rows.length === 0)
    output.write('No tools of MCP servers have been seen yet. Start one behind the guard: hookline mcp -- <command>\n')
  else {
    const paint = paintFor(output)
    for (const { server, tool, waits } of rows)
      output.write(
        `${waits ? paint.yellow(`! ${waits === 'changed' ? 'changed ' : 'same name'}`) : '✓ pinned  '}  mcp__${printable(server)}__${printable(tool)}\n`,
      )
  }
  return 0
}
