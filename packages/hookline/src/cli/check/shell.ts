import { forEachChild, parseShell, type SyntaxNode, type Word, type WordPart } from '../../guards/shell/parse.ts'

/** A program that a shell command names outright, with its arguments as far as they are certain. */
export interface Named {
  name: string
  args: readonly (string | undefined)[]
  /** It is the first thing the command does, so it is always run. */
  first: boolean
}

export interface NamedPrograms {
  programs: Named[]
  /** The command changes its directory or its search path: where things lie is then not known. */
  moves: { directory: boolean; path: boolean }
}

type Variables = Readonly<Record<string, string | undefined>>

/** What a shell command, or a program with its arguments, runs by name. What it defines or looks for first is left out. */
export function namedPrograms(source: string | readonly string[], env: Variables): NamedPrograms {
  const programs: Named[] = []
  const defined = new Set<string>()
  const moves = { directory: false, path: false }
  let seen = 0
  if (typeof source !== 'string') read(source)
  else if (justWords.test(source) && !reserved.test(source)) read(source.split(' '))
  else readShell(source)
  return { programs: programs.filter(({ name }) => !defined.has(name)), moves }

  function readShell(text: string): void {
    const { scripts, broken } = parseShell(text)
    if (!broken) for (const { script } of scripts) visit(script)
  }

  function visit(node: SyntaxNode): void {
    if (node.type === 'Function') defined.add(node.name.value)
    if (node.type === 'Assignment' && /^PATH\+?=/.test(node.text)) moves.path = true
    if (node.type === 'Command' && node.name) {
      const words = [node.name, ...node.args.filter((part): part is Word => part.type === 'Word')]
      read(words.map((word) => textOf(word, env)))
    }
    forEachChild(node, visit)
  }

  function read([name, ...args]: readonly (string | undefined)[]): void {
    if (name === undefined) return
    if (name === 'exec' || (name === 'command' && args[0]?.startsWith('-') === false)) {
      read(args)
      return
    }
    const first = seen++ === 0
    if (/^(?:cd|pushd|chdir)$/.test(name)) moves.directory = true
    // `command -v jq || exit 0` looks before it leaps.
    if (/^(?:command|type|which|hash)$/.test(name)) for (const arg of args) defined.add(arg ?? '')
    if (!ofTheShell.has(name)) programs.push({ name, args, first })
    if (!/(?:^|\/)(?:ba|da|z|k|a)?sh$/.test(name) || args[0] !== '-c' || args[1] === undefined) return
    // What a shell runs first is run whenever the shell is.
    if (first) seen = 0
    readShell(args[1])
  }
}

/** Words without anything that means more to a shell than itself, one blank between them: read without its grammar. */
const justWords = /^[\w./-]+(?: [\w./:,=@%+-]+)*$/
const reserved = /^(?:case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)(?: |$)/

function textOf(word: Word, env: Variables): string | undefined {
  if (!word.parts) return word.value.replace(/^~(?=\/|$)/, env['HOME'] ?? '~')
  const texts = word.parts.map((part) => partText(part, env))
  return texts.some((text) => text === undefined) ? undefined : texts.join('').replace(/^~(?=\/)/, env['HOME'] ?? '~')
}

function partText(part: WordPart, env: Variables): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return part.value
    case 'DoubleQuoted': {
      const texts = part.parts.map((inner) => partText(inner, env))
      return texts.some((text) => text === undefined) ? undefined : texts.join('')
    }
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      const name = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(part.text)?.[1]
      return name === undefined ? undefined : env[name]
    }
    default:
      return undefined
  }
}

/** POSIX and bash: what needs no program. */
const ofTheShell = new Set(
  (
    '. : [ alias bg bind break builtin caller case cd chdir command compgen complete compopt continue coproc declare ' +
    'dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout ' +
    'mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test time times trap ' +
    'true type typeset ulimit umask unalias unset wait'
  ).split(' '),
)
