import { readFileSync } from 'node:fs'
import { bundles } from '../../builtins/bundles/index.ts'
import type { ConfigFile } from '../../config/index.ts'
import { parseConfig, readConfig, shortened } from '../../config/index.ts'
import { didYouMean, formatWhere, HooklineError, isRecord, type Note } from '../../core/index.ts'
import { refuseAgents } from '../../person/index.ts'
import { defineCommand, UsageError } from '../command.ts'
import { editorFor, hooksOf, writeWhole } from '../edit/save.ts'
import { editable, targetOptions } from '../edit/target.ts'
import { paintFor } from '../text/paint.ts'

export const command = defineCommand({
  name: 'remove',
  summary: 'Remove a hook, a rule or a bundle from your config.',
  usage: 'remove <id> … [--user] [--config <file>]',
  doc: [
    'Looks for it in your own config and in those of the project; everything else in the file stays as it is. To keep a',
    'hook and only mute it, write its id under `disabled:`.',
  ].join('\n'),
  options: {
    user: targetOptions.user,
    config: targetOptions.config,
    cwd: targetOptions.cwd,
    json: { doc: 'Print a list of `{id, file}` of what was removed.' },
  },
  examples: ['hookline remove no-force-push', 'hookline remove security'],
  exits: { 1: 'It could not be removed; the file is as it was.', 2: 'There is no such hook.', 64: 'Wrong usage.' },
  async run({ values, positionals, output, errors }) {
    if (positionals.length === 0) throw new UsageError('Name what to remove: `hookline list` shows the ids.')
    refuseAgents()
    const removed: { id: string; file: string }[] = []
    const missing: string[] = []
    for (const id of positionals) {
      const files = await Promise.all(editable(values).map(partsOf))
      const known = files.flatMap(({ parts }) => parts)
      const part = known.find((each) => each.id === id)
      const broken = files.flatMap(({ problem }) => problem ?? [])
      if (part) {
        const after = editorFor(part.source.file).remove(readFileSync(part.source.file, 'utf8'), part.path)
        await hooksOf(part.source, after)
        await writeWhole(part.source.file, after)
        removed.push({ id, file: shortened(part.source.file, process.cwd()) })
      } else if (broken[0]) throw new HooklineError(broken[0], broken)
      else {
        const ids = known.map((each) => each.id)
        missing.push(`There is no \`${id}\` to remove.${hint(id, ids)}`)
      }
    }
    const paint = paintFor(output)
    if (values['json']) output.write(`${JSON.stringify(removed)}\n`)
    else
      for (const { id, file } of removed) output.write(`${paint.green('✔')} Removed ${paint.bold(id)} from ${file}.\n`)
    for (const line of missing) errors.write(`${line}\n`)
    return missing.length > 0 ? 2 : 0
  },
})

interface Part {
  id: string
  path: readonly [string, number]
  source: ConfigFile
}

/** What can be taken out of a file: hooks by their ids, also those that were made; rules by theirs; bundles by their names. */
async function partsOf(source: ConfigFile): Promise<{ parts: Part[]; problem?: Note }> {
  const { file, layer, dialect } = source
  const config = await readConfig(file, { layer, bundles, ...(dialect !== undefined && { dialect }) })
  const { text } = config
  if (text === undefined) return { parts: [], ...(config.problems[0] && { problem: config.problems[0] }) }
  const parsed = await parseConfig(text, file)
  if (config.dialect !== 'native' || !parsed.ok || !isRecord(parsed.document)) return { parts: [] }
  const { hooks, use, rules } = parsed.document
  const places = new Map(config.hooks.map((hook) => [hook.origin.where ? formatWhere(hook.origin.where) : '', hook.id]))
  const own = (Array.isArray(hooks) ? hooks : []).map((entry: unknown, index) => ({
    id:
      isRecord(entry) && typeof entry['id'] === 'string'
        ? entry['id']
        : places.get(formatWhere(parsed.locate(['hooks', index]))),
    path: ['hooks', index] as const,
    source,
  }))
  const used = (Array.isArray(use) ? use : []).map((entry: unknown, index) => ({
    id: isRecord(entry) ? String(entry['bundle']) : String(entry),
    path: ['use', index] as const,
    source,
  }))
  const ruled = (Array.isArray(rules) ? rules : []).flatMap((entry: unknown, index) =>
    isRecord(entry) && typeof entry['id'] === 'string'
      ? [{ id: entry['id'], path: ['rules', index] as const, source }]
      : [],
  )
  return {
    parts: [...own.flatMap(({ id, ...rest }) => (id === undefined ? [] : [{ id, ...rest }])), ...ruled, ...used],
  }
}

function hint(id: string, known: readonly string[]): string {
  const bundle = id.includes(':') && known.find((each) => id.startsWith(`${each}:`))
  return bundle
    ? ` It is part of the bundle \`${bundle}\`: remove that, or mute it with \`disabled: [${id}]\`.`
    : didYouMean(id, known)
}
