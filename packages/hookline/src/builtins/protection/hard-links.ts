/** Other names of the same file: no link leads there, so what is written to one of them is written to all. */
import { join, resolve } from 'node:path'
import type { BuiltinKit, CallEffects } from '../../core/index.ts'
import { checkPath } from '../../guards/paths/index.ts'
import { programName } from '../../shell/index.ts'
import { directoriesOf, isAbove, type Watched } from './places.ts'

/** What is watched, and gets other names with all that lies beside it: `cp -al ~/.config x`. */
export function namedAgain({ runs }: CallEffects, { paths, cwd }: Watched): string | undefined {
  const makers = runs.filter(([program = '', ...rest]) =>
    rest.some((word) => linking[programName(program)]?.test(word)),
  )
  const operands = makers.flatMap((words) => words.slice(1).map((word) => word.replace(/^--link-dest=/, '')))
  const sources = operands.flatMap((word) =>
    word.startsWith('-') ? [] : directoriesOf(runs, cwd).map((base) => resolve(base, word)),
  )
  return paths.find((kept) => sources.some((source) => isAbove(source, kept)))
}

const linking: Readonly<Record<string, RegExp>> = {
  cp: /^(?:-[a-zA-Z]*l[a-zA-Z]*|--link)$/,
  gcp: /^(?:-[a-zA-Z]*l[a-zA-Z]*|--link)$/,
  rsync: /^--link-dest/,
  pax: /^-[a-zA-Z]*l/,
  cpio: /^(?:-[a-zA-Z]*l[a-zA-Z]*|--link)$/,
}

/** Which file that watches over the agent is also called like one of these; undefined: none. `steers` says it of settings of agents. */
export async function otherNameOf(
  written: readonly string[],
  own: readonly string[],
  kit: BuiltinKit,
  steers: (why: string) => boolean,
): Promise<string | undefined> {
  const { identity } = kit
  if (!identity) return undefined
  const found = new Set<string>()
  for (const path of written) {
    const id = await identity(path)
    if (id !== undefined) found.add(id)
  }
  // Nearly every file has one name.
  if (found.size === 0) return undefined
  for await (const path of watchedFiles(own, kit, steers)) {
    const id = await identity(path)
    if (id !== undefined && found.has(id)) return path
  }
  return undefined
}

const mostLooks = 3_000

/** Files of ours, and settings of agents where they usually lie. */
async function* watchedFiles(
  own: readonly string[],
  kit: BuiltinKit,
  steers: (why: string) => boolean,
): AsyncGenerator<string> {
  let looks = 0
  const below = async function* (path: string, depth: number): AsyncGenerator<string> {
    if (++looks > mostLooks) return
    const entries = depth > 0 ? await kit.list(path) : undefined
    if (!entries) return yield path
    for (const { name, directory } of entries) yield* below(join(path, name), directory ? depth - 1 : 0)
  }
  for (const path of own) yield* below(path, 4)
  for (const base of new Set([kit.cwd, kit.home])) {
    const hidden = (await kit.list(base))?.filter(({ name }) => name.startsWith('.')) ?? []
    for (const { name } of hidden)
      for await (const path of below(join(base, name), 2)) {
        const { verdict, why } = checkPath({ path, access: 'write', cwd: kit.cwd, home: kit.home })
        if (verdict === 'sensitive' && steers(why)) yield path
      }
  }
}
