import { type Command, spelledValue } from '../command.ts'
import { writeTable } from './markdown.ts'

const banner =
  '<!-- Generated from the commands in src/cli by scripts/generate.ts. Change the commands, not this file. -->'

/** docs/cli.md. Pure. */
export function renderReference(all: readonly Command[]): string {
  return `${[
    '# The command line',
    banner,
    'Every command has `--help`. Warnings go to standard error, so that what is printed can be piped. Colours and tables are for terminals only, and `NO_COLOR` turns them off. Exit code 64 is wrong usage everywhere.',
    writeTable(
      ['command', 'what it does'],
      all.map(({ name, summary }) => [`[${name}](#${name})`, summary]),
    ),
    ...all.map(renderCommand),
  ].join('\n\n')}\n`
}

/** One command as a section of it. */
export function renderCommand({ name, summary, usage, doc, options, examples, exits }: Command): string {
  const rows = Object.entries(options).map(([name, option]) => [
    `\`${option.short ? `-${option.short}, ` : ''}--${name}${spelledValue(option)}\``,
    [
      option.doc,
      ...(option.choices ? [`One of ${option.choices.join(', ')}.`] : []),
      ...(option.multiple ? ['May be repeated.'] : []),
    ].join(' '),
  ])
  const codes = Object.entries({ 0: 'Done.', ...exits }).map(([code, means]) => [`\`${code}\``, means])
  return [
    `## ${name}`,
    summary,
    fence(`hookline ${usage}`),
    ...(doc ? [fence(doc)] : []),
    ...(rows.length > 0 ? [writeTable(['option', ''], rows)] : []),
    ...(examples ? ['For example:', fence(examples.join('\n'))] : []),
    writeTable(['exit code', ''], codes),
  ].join('\n\n')
}

const fence = (text: string) => `\`\`\`text\n${text}\n\`\`\``
