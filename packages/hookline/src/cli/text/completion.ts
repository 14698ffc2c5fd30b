import { quoteAlways } from '../../shell/index.ts'
import type { Command, Option } from '../command.ts'

/** Scripts that complete commands, options and their values. Pure; one function per shell. */
export const completions: Readonly<Record<string, (all: readonly Command[]) => string>> = { bash, zsh, fish }

const help: Option = { doc: 'Show this help.', short: 'h' }
const optionsOf = (command: Command): [string, Option][] => Object.entries({ ...command.options, help })
const wantsDirectory = (option: Option) => option.value === 'directory'

function bash(all: readonly Command[]): string {
  const values = all.flatMap((command) =>
    optionsOf(command).flatMap(([name, option]) => {
      if (!option.value || option.optional) return []
      const spellings = [`--${name}`, ...(option.short ? [`-${option.short}`] : [])]
      const words = option.choices
        ? `-W ${quoteAlways(option.choices.join(' '))}`
        : wantsDirectory(option)
          ? '-d'
          : '-f'
      return [`    ${spellings.map((spelling) => `${command.name}:${spelling}`).join('|')}) __hookline ${words} ;;`]
    }),
  )
  const words = all.map((command) => {
    const options = optionsOf(command).map(([name]) => `--${name}`)
    return `    ${command.name}) options=${quoteAlways(options.join(' '))} choices=${quoteAlways((command.choices ?? []).join(' '))} ;;`
  })
  return `# hookline for bash. To have it always:
#   hookline completion bash > ~/.local/share/bash-completion/completions/hookline
_hookline() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} options='' choices=''
  __hookline() { mapfile -t COMPREPLY < <(compgen "$@" -- "$current"); }
  if [ "$COMP_CWORD" -eq 1 ]; then
    __hookline -W ${quoteAlways([...all.map(({ name }) => name), '--help', '--version'].join(' '))}
    return
  fi
  case "\${COMP_WORDS[1]}:$previous" in
${values.join('\n')}
  *)
    case "\${COMP_WORDS[1]}" in
${words.join('\n')}
    esac
    case "$current" in
    -*) __hookline -W "$options" ;;
    *) if [ -n "$choices" ]; then __hookline -W "$choices"; else __hookline -f; fi ;;
    esac
    ;;
  esac
}
complete -o filenames -F _hookline hookline
`
}

function zsh(all: readonly Command[]): string {
  const described = all.map(({ name, summary }) => `    ${quoteAlways(`${name}:${summary.replaceAll(':', '\\:')}`)}`)
  const branches = all.map((command) => {
    const specs = optionsOf(command).map(([name, option]) => `      ${quoteAlways(zshOption(name, option))}`)
    const rest = command.choices ? `*:word:(${command.choices.join(' ')})` : '*:file:_files'
    return `    ${command.name})\n      _arguments \\\n${[...specs, `      ${quoteAlways(rest)}`].join(' \\\n')}\n      ;;`
  })
  return `#compdef hookline
# hookline for zsh. To have it always, put this file as _hookline into a directory of your fpath:
#   hookline completion zsh > "\${fpath[1]}/_hookline"
_hookline() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${branches.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_hookline" ]; then _hookline "$@"; else compdef _hookline hookline; fi
`
}

function zshOption(name: string, option: Option): string {
  const doc = option.doc.replace(/[[\]:]/g, '\\$&')
  const value = option.choices ? `(${option.choices.join(' ')})` : wantsDirectory(option) ? '_files -/' : '_files'
  const joined = option.optional ? '=-' : option.value ? '=' : ''
  const colons = option.optional ? '::' : ':'
  return `${option.multiple ? '*' : ''}--${name}${joined}[${doc}]${option.value ? `${colons}${option.value}:${value}` : ''}`
}

function fish(all: readonly Command[]): string {
  const names = all.map(({ name }) => name).join(' ')
  const first = all.map(
    ({ name, summary }) => `complete -c hookline -f -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
  )
  const rest = all.flatMap((command) => {
    const here = `complete -c hookline -n '__fish_seen_subcommand_from ${command.name}'`
    const options = optionsOf(command).map(([name, option]) => {
      const values = option.choices
        ? ` -x -a ${fishQuoted(option.choices.join(' '))}`
        : option.value && !option.optional
          ? ' -r'
          : ''
      return `${here} -l ${name}${option.short ? ` -s ${option.short}` : ''}${values} -d ${fishQuoted(option.doc)}`
    })
    return command.choices ? [...options, `${here} -f -a ${fishQuoted(command.choices.join(' '))}`] : options
  })
  return [
    '# hookline for fish. To have it always:',
    '#   hookline completion fish > ~/.config/fish/completions/hookline.fish',
    `# Commands: ${names}`,
    ...first,
    ...rest,
    '',
  ].join('\n')
}

const fishQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
