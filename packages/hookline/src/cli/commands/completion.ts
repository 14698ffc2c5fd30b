import { basename } from 'node:path'
import { didYouMean } from '../../core/index.ts'
import { type CommandTable, defineCommand, UsageError } from '../command.ts'
import { completions } from '../text/completion.ts'

const shells = Object.keys(completions)

/** It completes the commands of this table. */
export const completionCommand = (commands: CommandTable) =>
  defineCommand({
    name: 'completion',
    summary: 'Print the script with which your shell completes commands, options and values.',
    usage: `completion <${shells.join('|')}>`,
    doc: 'The first lines of each script say where to put it.',
    options: {},
    choices: shells,
    examples: [
      'source <(hookline completion bash)',
      'hookline completion fish > ~/.config/fish/completions/hookline.fish',
    ],
    exits: { 64: 'Wrong usage: there is no script for such a shell.' },
    async run({ positionals, output }) {
      const [shell, more] = positionals
      if (shell === undefined) throw new UsageError(`Name a shell: ${shells.join(', ')}.${yours()}`)
      const write = Object.hasOwn(completions, shell) ? completions[shell] : undefined
      if (!write || more !== undefined)
        throw new UsageError(
          `There is no completion for \`${more ?? shell}\`.${didYouMean(more ?? shell, shells)} Known shells: ${shells.join(', ')}.`,
        )
      const all = await Promise.all(Object.values(commands).map((entry) => entry.load()))
      output.write(write(all.map(({ command }) => command)))
      return 0
    },
  })

function yours(): string {
  const shell = basename(process.env['SHELL'] ?? '')
  return shells.includes(shell) ? ` Yours is probably ${shell}.` : ''
}
