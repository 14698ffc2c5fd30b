import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { bundles } from '../../builtins/bundles/index.ts'
import { muteDownwards, readConfig } from '../../config/index.ts'
import type { Note } from '../../core/index.ts'
import { dialectNames, loadDialect } from '../../dialects/index.ts'
import { bridgeHooks, type Converted, convertHooks } from '../../hooks/index.ts'
import { defineCommand, text, UsageError } from '../command.ts'
import { printable } from '../text/inspection.ts'
import { count, indent, wrap } from '../text/layout.ts'
import { showNote } from '../text/notes.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'convert',
  summary: 'Convert a config from one system to another, and list what changes meaning.',
  usage: 'convert --to <dialect> [--from <dialect>] <file> [-o <file>]',
  doc: [
    'Prints the converted config, and on standard error what changes meaning on the way. The hooks themselves are not',
    'touched: a script still reads the payload of the system it was written for, and answers as that system expects.',
    'Rewrite it, or convert with --bridge: the other system then calls Hookline, and Hookline runs the hooks of the original',
    'file in their own dialect, so that only what the other system cannot do changes meaning.',
  ].join('\n'),
  options: {
    from: {
      value: 'dialect',
      doc: 'The dialect of the config. Default: recognised by name and shape.',
      choices: dialectNames,
    },
    to: { value: 'dialect', doc: 'The dialect to convert to.', choices: dialectNames },
    bridge: { doc: 'Let the other system run the hooks of this file through `hookline dispatch`.' },
    output: { value: 'file', short: 'o', doc: 'Write it to a file; an existing one is kept.' },
    force: { doc: 'Replace an existing file.' },
    format: {
      value: 'yaml|json',
      doc: 'How it is written. Default: by the name of the output, or as that system has it.',
      choices: ['yaml', 'json'],
    },
    lossy: { doc: 'Write hooks that would mean something else there, too.' },
    lenient: { doc: 'Leave out broken entries, instead of refusing the file.' },
    json: { doc: 'Print one JSON object instead: from, to, hooks, config (as a value), notes.' },
  },
  examples: [
    'hookline convert --to native .claude/settings.json -o hookline.yaml',
    'hookline convert --from crush --to claude-code crush.json --bridge',
  ],
  exits: {
    1: 'The file could not be read, has broken entries, a hook would mean something else, or the output exists; nothing was written.',
    64: 'Wrong usage.',
  },
  async run({ values, positionals, output, errors }) {
    const [file, more] = positionals
    const target = text(values['to'])
    const out = text(values['output'])
    if (file === undefined || more !== undefined) throw new UsageError('Name one file to convert.')
    if (target === undefined) throw new UsageError(`Name the system it is for: \`--to\` ${dialectNames.join(', ')}.`)
    if (values['bridge'] && target === 'native')
      throw new UsageError(`Hookline needs no bridge: it reads ${file} as it is. Name it with \`--config\`.`)
    const to = await loadDialect(target)
    const named = text(values['from'])
    const read = await readConfig(file, { layer: 'session', bundles, ...(named !== undefined && { dialect: named }) })
    const { hooks, notes } = muteDownwards([read])
    const config = { ...read, hooks, notes: [...read.notes, ...notes] }
    const paint = paintFor(errors)
    const say = (lines: readonly string[]) => lines.length > 0 && errors.write(`${lines.join('\n')}\n`)
    say(config.problems.flatMap((problem) => showNote(problem, 'error', paint, widthOf(errors))))
    if (config.dialect === undefined || (config.problems.length > 0 && !values['lenient'])) return 1
    if (out !== undefined && existsSync(out) && !values['force']) {
      errors.write(`${out} exists already; pass \`--force\` to replace it.\n`)
      return 1
    }
    const from = await loadDialect(config.dialect)
    const converted = values['bridge'] ? bridgeHooks(config, from, to) : await convertHooks(config, from, to)
    if (converted.refused.length > 0 && !values['lossy']) {
      say(converted.refused.flatMap((each) => showNote(each, 'error', paint, widthOf(errors))))
      return 1
    }
    const written = await write(converted.value, text(values['format']) ?? formatOf(out, to.name))
    if (out !== undefined) await writeFile(out, written)
    if (values['json']) output.write(`${JSON.stringify(asJson(converted, from.name, to.name), null, 2)}\n`)
    else {
      if (out === undefined) output.write(written)
      const title = values['bridge']
        ? `${to.name} now calls Hookline on ${count(converted.hooks, 'event')}, for ${count(config.hooks.length, 'hook')} of ${file}. They run once they are approved: \`hookline approve --config ${file}\`.`
        : `${converted.hooks} of ${count(config.hooks.length, 'hook')} converted from ${from.name} to ${to.name}${out === undefined ? '' : `, in ${out}`}.`
      say([
        ...wrap(title, widthOf(errors)),
        ...showChanges([...converted.refused, ...converted.notes], paint, widthOf(errors)),
      ])
    }
    return 0
  },
})

/** Systems whose config is YAML; the others have JSON. */
const inYaml = new Set(['native', 'docker-agent', 'starchild'])

function formatOf(out: string | undefined, dialect: string): string {
  if (out !== undefined && /^\.(?:ya?ml|jsonc?)$/.test(extname(out))) return /y/.test(extname(out)) ? 'yaml' : 'json'
  return inYaml.has(dialect) ? 'yaml' : 'json'
}

async function write(value: unknown, format: string): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`
  if (format !== 'yaml') throw new UsageError('`--format` is `yaml` or `json`.')
  const { stringify } = await import('yaml')
  return stringify(value, { lineWidth: 0 })
}

/** The same change is listed once, with all the hooks that it concerns. */
function showChanges(notes: readonly Note[], paint: Paint, width: number): string[] {
  if (notes.length === 0) return ['Nothing changes meaning.']
  const changes = new Map<string, Note[]>()
  for (const note of notes) {
    const key = `${note.message}\n${note.remedy}`
    changes.set(key, [...(changes.get(key) ?? []), note])
  }
  return [
    '',
    paint.bold('What changes meaning:'),
    ...[...changes.values()].flatMap((same) => {
      const { message, remedy } = same[0]!
      const hooks = [...new Set(same.flatMap(({ hook }) => hook ?? []))]
      const [first = '', ...rest] = wrap(printable(message), width - 4)
      return [
        `  • ${first}`,
        ...indent(rest, 4),
        ...indent(wrap(printable(`→ ${remedy}`), width - 4), 4),
        ...(hooks.length > 0 ? indent(wrap(printable(hooks.join(', ')), width - 4).map(paint.dim), 4) : []),
      ]
    }),
  ]
}

function asJson({ value, hooks, notes }: Converted, from: string, to: string) {
  return {
    from,
    to,
    hooks,
    config: value,
    notes: notes.map(({ code, message, remedy, hook = null, where = null }) => ({
      code,
      message,
      remedy,
      hook,
      where,
    })),
  }
}
