import { isRecord } from 'hookline/internal'
import { describe, digestOf, type Pin, type PinStore, type Pins, type ToolDescription } from './pins.ts'

/** The tools of one server: which of them the client may know and call. */
export interface Catalogue {
  /** What is left of a page of the list. `begins`: it is the first page of a new list. */
  admit(tools: readonly unknown[], begins: boolean): Promise<readonly unknown[]>
  /** Why a tool must not be called; undefined when it may be. */
  objection(tool: string): string | undefined
  /** Whether the list was seen since the server last said that it changed. */
  isKnown: boolean
}

export function makeCatalogue(server: string, store: PinStore, warn: (text: string) => void): Catalogue {
  const objections = new Map<string, string>()
  const seen = new Map<string, string>()

  const catalogue: Catalogue = {
    isKnown: false,
    objection: (tool) => objections.get(tool),
    async admit(tools, begins) {
      if (begins) {
        seen.clear()
        objections.clear()
      }
      const named = tools.filter(isTool)
      const others = await toolsOfOthers()
      const known = await store.read(server)
      const pins: Record<string, Pin> = {}
      for (const tool of named) {
        const problem = nameProblem(tool.name)
        if (problem !== undefined) {
          object(tool.name, problem)
          continue
        }
        const pin = pinOf(tool, known, others.get(fold(tool.name)))
        if (pin !== known[tool.name]) pins[tool.name] = pin
        if (pin.waiting) object(tool.name, whyWaiting(server, tool.name, pin.waiting))
      }
      if (Object.keys(pins).length > 0) await store.update(server, (now) => ({ ...now, ...pins }))
      return named.filter(({ name }) => !objections.has(name))
    },
  }
  return catalogue

  function object(tool: string, problem: string): void {
    objections.set(tool, problem)
    warn(problem)
  }

  /** A name that can be taken for another of the same list is a trap for whoever approves calls by name. */
  function nameProblem(name: string): string | undefined {
    if (hidden.test(name))
      return `The server ${server} has a tool with invisible characters in its name: ${JSON.stringify(name)}.`
    const folded = fold(name)
    const first = seen.get(folded)
    if (first !== undefined)
      return `The server ${server} has two tools that can be taken for each other: ${first} and ${name}.`
    seen.set(folded, name)
    return undefined
  }

  async function toolsOfOthers(): Promise<Map<string, string>> {
    const others = new Map<string, string>()
    for (const other of await store.servers())
      if (other !== server) for (const tool of Object.keys(await store.read(other))) others.set(fold(tool), other)
    return others
  }
}

/** The pin of a tool that is seen now: the first sight counts as approved, unless another server has that name. */
function pinOf(tool: ToolDescription, known: Pins, other: string | undefined): Pin {
  const digest = digestOf(tool)
  const pin = Object.hasOwn(known, tool.name) ? known[tool.name] : undefined
  if (pin?.digest === digest || (pin?.waiting?.digest === digest && pin.waiting)) return settled(pin as Pin, digest)
  const description = describe(tool)
  if (pin) return { ...pin, waiting: { digest, description, why: 'changed' } }
  if (other === undefined) return { digest, description }
  return { digest: '', description: '', waiting: { digest, description, why: 'shadows', other } }
}

/** Back to what was approved: nothing waits any more. */
function settled(pin: Pin, digest: string): Pin {
  if (pin.digest !== digest || !pin.waiting) return pin
  const { waiting: _, ...rest } = pin
  return rest
}

function whyWaiting(server: string, tool: string, { why, other }: NonNullable<Pin['waiting']>): string {
  const approve = `To look at it and approve it: hookline mcp approve ${server} ${tool}`
  return why === 'changed'
    ? `The server ${server} describes its tool ${tool} in another way than before, so it is withheld. ${approve}`
    : `The tool ${tool} of the server ${server} has the name of a tool of ${other}, so it is withheld. ${approve}`
}

const isTool = (value: unknown): value is ToolDescription => isRecord(value) && typeof value['name'] === 'string'

/** Control, formatting and private-use characters, and blanks. */
const hidden = /[\p{C}\p{Z}]/u

/** What two names look like to somebody who reads quickly. */
const fold = (name: string): string =>
  [...name.normalize('NFKD').toLowerCase()]
    .map((character) => lookAlikes.get(character) ?? character)
    .join('')
    .replace(/\p{M}/gu, '')
    .replace(/[-.]/g, '_')
    .replace(/rn/g, 'm')

/** Letters of other alphabets, and digits, under the letter that they are taken for (Unicode's confusables, UTS 39). */
const taken = {
  ...{ a: 'аαɑ', b: 'ьβ', c: 'сϲ', d: 'ԁ', e: 'еε', g: 'ɡց', h: 'һհ', i: 'іιıl1ǀ', j: 'јȷ', k: 'кκ', m: 'м', n: 'пηո' },
  ...{ o: 'оοσօ0', p: 'рρ', q: 'ԛզ', r: 'г', s: 'ѕ', t: 'тτ', u: 'υս', v: 'ѵν', w: 'ԝω', x: 'хχ', y: 'уγ' },
}
const lookAlikes = new Map(
  Object.entries(taken).flatMap(([letter, others]) => [...others].map((other) => [other, letter])),
)
