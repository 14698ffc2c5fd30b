import { createHash } from 'node:crypto'
import { isRecord } from 'hookline/internal'

/** A tool as a server describes it. */
export interface ToolDescription extends Record<string, unknown> {
  name: string
}

/** What is remembered of a tool: the description that was approved, and one that waits for approval. */
export interface Pin {
  digest: string
  description: string
  /** What the server says now, or since when another server has a tool of this name; the tool is withheld meanwhile. */
  waiting?: { digest: string; description: string; why: 'changed' | 'shadows'; other?: string }
}

export type Pins = Readonly<Record<string, Pin>>

/** Where pins are kept. `pins` of a server that nobody has seen are empty. */
export interface PinStore {
  read(server: string): Promise<Pins>
  /** Changes the pins of a server; others wait meanwhile. */
  update(server: string, change: (pins: Pins) => Pins): Promise<void>
  servers(): Promise<readonly string[]>
}

export function memoryPins(): PinStore {
  const all = new Map<string, Pins>()
  return {
    read: async (server) => all.get(server) ?? {},
    update: async (server, change) => void all.set(server, change(all.get(server) ?? {})),
    servers: async () => [...all.keys()],
  }
}

/** Everything of a tool that a model or a client acts on, in an order of its own. */
export function digestOf(tool: ToolDescription): string {
  const { _meta: _, icons: __, ...said } = tool
  return createHash('sha256').update(canonical(said)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

/** For a person who decides: what the tool says of itself. */
export const describe = ({ name: _, ...rest }: ToolDescription): string => JSON.stringify(rest, undefined, 2)
