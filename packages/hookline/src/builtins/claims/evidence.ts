import * as z from 'zod/mini'
import { type BuiltinKit, type Deed, HookFailure } from '../../core/index.ts'
import { absolute } from '../judge.ts'
import { text } from '../parts.ts'
import { matchesName } from '../patterns.ts'
import { shellOf, type ToolCall } from '../tools.ts'

/** What happened in the session, as far as it was seen. */
export interface Deeds {
  tools: string[]
  commands: string[]
}

/** What counts as having done it. */
export interface Proof {
  tools: readonly string[]
  commands: RegExp
}

const most = 500

/** Marks that deeds are being recorded, so that none means none. */
export const beginDeeds = (kit: BuiltinKit): Promise<Deeds> =>
  kit.update<Deeds>('deeds', (deeds) => deeds ?? { tools: [], commands: [] })

export async function recordDeed(
  call: ToolCall & { tool_error?: boolean | undefined; success?: boolean | undefined },
  kit: BuiltinKit,
): Promise<void> {
  if (call.tool_error === true || call.success === false) return void (await beginDeeds(kit))
  const command = shellOf(call, kit)?.command
  await kit.update<Deeds>('deeds', (deeds = { tools: [], commands: [] }) => ({
    tools: [...new Set([...deeds.tools, call.tool_name])].slice(-most),
    commands: command === undefined ? deeds.commands : [...deeds.commands, command.slice(0, 2_000)].slice(-most),
  }))
}

/** Undefined when nobody recorded anything and the host does not say: then nothing can be concluded. */
export async function deedsOf(
  payload: { tool_names?: readonly string[] | undefined },
  kit: BuiltinKit,
): Promise<Deeds | undefined> {
  const recorded = await kit.recall<Deeds>('deeds')
  if (!recorded && !payload.tool_names) return undefined
  return { tools: [...(recorded?.tools ?? []), ...(payload.tool_names ?? [])], commands: recorded?.commands ?? [] }
}

export function wasDone(deeds: Deeds, proof: Proof): boolean {
  return (
    deeds.tools.some((tool) => matchesName(proof.tools, tool)) ||
    deeds.commands.some((command) => proof.commands.test(command))
  )
}

/** Where the truth is kept: what was really published, posted or scheduled. */
export const registry = z.union([
  z.strictObject({ json: text.check(z.describe('A file.')) }),
  z.strictObject({ http: text.check(z.describe('A URL.')), allow_local: z.optional(z.boolean()) }),
  z.strictObject({
    command: z.array(text).check(z.minLength(1), z.describe('A program and its arguments; its output counts.')),
  }),
])
export type Registry = z.infer<typeof registry>

/** A file is only read, and nobody sees what it says. */
export function deedsOfRegistry(registry: Registry): readonly Deed[] {
  if ('json' in registry) return []
  return 'http' in registry ? ['sends'] : ['runs']
}

/** Everything the registries say, in one text. One that cannot be read is a failure: silence is no proof. */
export async function readRegistries(registries: readonly Registry[], kit: BuiltinKit): Promise<string> {
  return (await Promise.all(registries.map((each) => readRegistry(each, kit)))).join('\n')
}

async function readRegistry(registry: Registry, kit: BuiltinKit): Promise<string> {
  if ('json' in registry) {
    const found = await kit.read(absolute(registry.json, kit), 16 * 1024 * 1024)
    // Nothing was ever published, so nothing is written yet.
    return found ?? ''
  }
  if ('http' in registry) {
    const { status, body } = await kit.request({
      url: registry.http,
      allowLocal: registry.allow_local === true && kit.ownLayer,
    })
    if (status >= 400) throw new HookFailure('http', `The registry answered ${status}.`)
    return body
  }
  const [program = '', ...args] = registry.command
  const done = await kit.exec(program, args)
  if (done?.exit !== 0) throw new HookFailure('exit', `The registry command ${program} failed.`)
  return done.stdout
}

/** Whether a registry knows a URL: by itself, without its protocol, or by what its path ends with. */
export function isKnown(url: string, truth: string): boolean {
  const plain = url.replace(/^https?:\/\//i, '').replace(/\/+$/, '')
  if (truth.includes(plain)) return true
  const slug = plain.split(/[?#]/)[0]!.split('/').slice(1).at(-1) ?? ''
  return (
    slug.length >= 4 && new RegExp(`(?<![\\w-])${slug.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`).test(truth)
  )
}

/**
 * How often a session is sent back: after that the user only sees a message, because an agent that cannot comply would go
 * round for ever. Forgotten after two hours.
 */
export async function mayInsist(kit: BuiltinKit, most: number): Promise<boolean> {
  const now = kit.now().getTime()
  let insist = false
  await kit.update<number[]>('blocks', (blocks = []) => {
    const recent = blocks.filter((at) => at > now - 2 * 60 * 60 * 1_000)
    insist = recent.length < most
    return insist ? [...recent, now] : recent
  })
  return insist
}
