import * as z from 'zod/mini'
import { type BuiltinKit, HookFailure } from '../../core/index.ts'
import { text } from '../args.ts'
import { absolute } from '../judge.ts'

/** Where the truth is kept: what was really published, posted or scheduled. */
export const registry = z.union([
  z.strictObject({ json: text.check(z.describe('A file.')) }),
  z.strictObject({ http: text.check(z.describe('A URL.')), allow_local: z.optional(z.boolean()) }),
  z.strictObject({
    command: z.array(text).check(z.minLength(1), z.describe('A program and its arguments; its output counts.')),
  }),
])
export type Registry = z.infer<typeof registry>

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
