import { dirname, resolve } from 'node:path'
import {
  type Bundle,
  type BundleUse,
  type DecodedConfig,
  type Dialect,
  didYouMean,
  expandBundle,
  type Hook,
  isRecord,
  type Note,
  note,
  renamed,
  type Source,
} from '../core/index.ts'
import { parseConfig } from './parse.ts'
import { markOf, readText } from './read-file.ts'

/** The bundles that can be used by name. */
export type Bundles = Readonly<Record<string, Bundle>>

/** Adds the hooks of the bundles a config uses, before its own. `reads` takes down what was found in which file. */
export async function withBundles(
  config: DecodedConfig,
  dialect: Dialect,
  source: Source,
  bundles: Bundles,
  reads = new Map<string, string>(),
): Promise<DecodedConfig> {
  const { uses = [] } = config
  if (uses.length === 0) return config
  const added = await Promise.all(uses.map((use) => decodeUse(use, dialect, source, bundles, reads)))
  return {
    ...config,
    hooks: [...added.flatMap((each) => each.hooks), ...config.hooks],
    problems: [...added.flatMap((each) => each.problems), ...config.problems],
    notes: [...added.flatMap((each) => each.notes), ...config.notes],
  }
}

/** The hooks of one bundle are read like those of a config; all of them stand where the bundle is used. */
async function decodeUse(
  use: BundleUse,
  dialect: Dialect,
  source: Source,
  bundles: Bundles,
  reads: Map<string, string>,
): Promise<DecodedConfig> {
  const bundle = await findBundle(use, source, bundles, reads)
  if ('code' in bundle) return refused(bundle)
  const expanded = expandBundle(bundle, use.given)
  if (!expanded.ok)
    return refused(
      invalid(use, expanded.detail, `Its parameters: ${Object.keys(bundle.parameters).join(', ') || 'none'}.`),
    )
  const { hooks, rules } = expanded
  const document = { version: 1, hooks, ...(rules.length > 0 && { rules }) }
  const decoded = dialect.config.decode(document, { ...source, locate: () => ({ ...use.where }) })
  const named = (id: string) => (id.startsWith(`${bundle.name}:`) ? id : `${bundle.name}:${id}`)
  const ours = isBundleFile(use.bundle) ? {} : { ours: { bundle: use.bundle, given: use.given } }
  return {
    ...decoded,
    hooks: decoded.hooks.map((hook) => ({ ...renamed(hook, named), origin: { ...hook.origin, ...ours } })),
  }
}

/** A path, not the name of a bundle that comes with Hookline. */
export const isBundleFile = (bundle: string): boolean => /[/\\]|\.(?:ya?ml|jsonc?)$/.test(bundle)

async function findBundle(
  use: BundleUse,
  source: Source,
  bundles: Bundles,
  reads: Map<string, string>,
): Promise<Bundle | Note> {
  if (isBundleFile(use.bundle)) return readBundle(use, resolve(dirname(source.file), use.bundle), reads)
  if (Object.hasOwn(bundles, use.bundle)) return bundles[use.bundle]!
  const known = Object.keys(bundles)
  return note(
    'unknown-bundle',
    { bundle: use.bundle, hint: didYouMean(use.bundle, known), known: known.join(', ') },
    { where: use.where },
  )
}

const shape =
  'A bundle is a file with `name`, perhaps `doc` and `parameters`, a list of `rules`, and a list of `hooks`, each with an `id`.'

async function readBundle(use: BundleUse, file: string, reads: Map<string, string>): Promise<Bundle | Note> {
  const read = await readText(file)
  reads.set(file, markOf(read))
  if (!read.ok) return { ...read.problem, where: use.where }
  const parsed = await parseConfig(read.text, file)
  if (!parsed.ok) return parsed.problem
  const document = isRecord(parsed.document) ? parsed.document : {}
  const { name, doc = '', parameters = {}, rules, hooks = rules && [], ...unknown } = document
  const [stray] = Object.keys(unknown)
  if (stray !== undefined) return invalid(use, `unknown key \`${stray}\`.`, shape)
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]+$/.test(name)) return invalid(use, 'it has no `name`.', shape)
  if (!isRecord(parameters) || !Object.values(parameters).every(isRecord))
    return invalid(
      use,
      '`parameters` must say for each name what it is.',
      'Write `name: { doc: …, default: … }` for each.',
    )
  if (!Object.values(parameters).every((each) => Array.isArray((each as { values?: unknown }).values ?? [])))
    return invalid(use, '`values` of a parameter must be a list.', 'Write `values: [deny, ask]`.')
  if (!Array.isArray(hooks) || !hooks.every((hook) => isRecord(hook) && typeof hook['id'] === 'string'))
    return invalid(use, '`hooks` must be a list, and each hook must have an `id`.', shape)
  if (rules !== undefined && (!Array.isArray(rules) || !rules.every(isRecord)))
    return invalid(use, '`rules` must be a list of rules.', shape)
  return {
    name,
    doc: String(doc),
    parameters: parameters as Bundle['parameters'],
    hooks: hooks as Bundle['hooks'],
    ...(rules !== undefined && { rules: rules as NonNullable<Bundle['rules']> }),
  }
}

function invalid(use: BundleUse, detail: string, fix: string): Note {
  return note('bundle-invalid', { bundle: use.bundle, detail, fix }, { where: use.where })
}

const refused = (problem: Note): { hooks: Hook[]; problems: Note[]; notes: Note[] } => ({
  hooks: [],
  problems: [problem],
  notes: [],
})
