/** Programs that search trees: what they read on the way down, by their options. */
import { type Field, isKnown } from '../../guards/shell/index.ts'
import type { Arguments } from '../../shell/index.ts'
import type { Search } from '../types.ts'
import { type Doing, type Effect, hasFlag, type Program, parse, touch, values, word } from './effect.ts'

interface Searcher {
  options: string
  /** Options that give what is looked for; without one, the first operand does. */
  pattern: string
  /** Options whose value is a file that is read. */
  reads?: string
  /** Options that make it go down; absent: it always does. */
  recursive?: string
  /** With one of these it prints names or numbers and nothing that is in the files, unless it has one of `content`. */
  names: string
  content?: string
  search(args: Arguments<Field>, doing: Doing): Search
}

const searcher =
  ({ options, pattern, reads, recursive, names, content, search }: Searcher): Program =>
  (doing): Effect[] => {
    const args = parse(doing.args, options)
    const down = recursive === undefined || hasFlag(args, recursive)
    const operands = args.operands.slice(hasFlag(args, pattern) ? 0 : 1)
    const files = operands.length === 0 && down ? [word('.')] : operands
    const shows = !hasFlag(args, names) || (content !== undefined && hasFlag(args, content))
    const extra = reads === undefined ? [] : touch('read', values(args, reads))
    // Of names and numbers, only what the command itself names is worth a rule.
    if (!shows) return [...touch('read', files.filter(isNamed)), ...extra]
    const how = search(args, doing)
    const found = touch('read', files, down)
    return [...found.map((each) => (Object.keys(how).length > 0 ? { ...each, search: how } : each)), ...extra]
  }

const isNamed = ({ text, glob, listed }: Field): boolean =>
  isKnown(text) && listed === undefined && !(glob && text.includes('**'))

/** In the order they are given, because the last one that matches decides. */
function namesIn(args: Arguments<Field>, only: string, without: string): Pick<Search, 'names'> {
  const names = args.flags.flatMap(({ name, value }) => {
    if (value === undefined || !isKnown(value.text)) return []
    if (hasFlag({ flags: [{ name, value }] }, only)) return [value.text]
    return hasFlag({ flags: [{ name, value }] }, without) ? [`!${value.text}`] : []
  })
  return names.length > 0 ? { names } : {}
}

/**
 * `rg` goes past hidden names, unless an option says otherwise. A glob or a type that a name matches outweighs that
 * (ripgrep's GUIDE.md, "Manual filtering"), and a line may define types of its own, or name settings that do.
 */
function searchOfRipgrep(args: Arguments<Field>, doing: Doing): Search {
  const names = namesIn(args, 'g|--glob|--iglob', '')
  const types = values(args, 't|--type')
  const shown =
    hasFlag(args, '.|u|--hidden|--unrestricted|--no-ignore|--type-add|--type-clear|--ignore-file') ||
    types.some(({ text }) => !CODE_TYPES.has(text)) ||
    doing.assigned.includes('RIPGREP_CONFIG_PATH')
  return shown ? names : { visible: true, ...names }
}

/** Types of ripgrep that no file of settings or credentials has. */
const CODE_TYPES = new Set(
  (
    'c cpp cs css csharp dart elixir elm erlang fsharp go graphql groovy haskell html java jl js json julia kotlin less lua make markdown ' +
    'md nix objc ocaml perl php prisma proto protobuf ps py python r ruby rust sass scala solidity sql svelte swift tex toml ts ' +
    'typescript vue xml yaml zig'
  ).split(' '),
)

const grepOptions =
  '-e:f:m:A:B:C:d:D: --regexp= --file= --max-count= --after-context= --before-context= --context= --include= --exclude= --exclude-dir= --exclude-from= --color= --binary-files= --label= --directories='

export const search: Readonly<Record<string, Program>> = {
  'grep egrep fgrep zgrep ggrep pcregrep': searcher({
    options: grepOptions,
    pattern: 'e|f|--regexp|--file',
    reads: 'f|--file',
    recursive: 'r|R|d|--recursive|--dereference-recursive|--directories',
    names: 'l|L|c|q|--files-with-matches|--files-without-match|--count|--quiet|--silent',
    search: (args) => namesIn(args, '--include', '--exclude'),
  }),
  'rg ripgrep': searcher({
    options:
      '-e:f:g:t:T:A:B:C:m:j:M:r:E:d: --regexp= --file= --glob= --iglob= --type= --type-not= --type-add= --type-clear= --ignore-file= --max-count= --context= --after-context= --before-context= --max-depth= --max-columns= --max-filesize= --threads= --replace= --color= --colors= --sort= --sortr= --encoding= --engine= --pre= --pre-glob=',
    pattern: 'e|f|--regexp|--file|--files|--type-list',
    reads: 'f|--file|--ignore-file',
    names: 'l|c|q|--files|--files-with-matches|--files-without-match|--count|--count-matches|--quiet|--type-list',
    // The last of these decides, and both mean that lines are printed.
    content: '--json|--no-json',
    search: searchOfRipgrep,
  }),
  ag: searcher({
    options:
      '-A:B:C:G:g:m:p:W: --after= --before= --context= --depth= --ignore= --ignore-dir= --path-to-ignore= --pager=',
    pattern: 'g',
    reads: 'p|--path-to-ignore',
    names: 'l|L|c|g|--files-with-matches|--files-without-matches|--count',
    search: (args) => (hasFlag(args, 'u|p|--hidden|--unrestricted|--path-to-ignore') ? {} : { visible: true }),
  }),
  // Hidden files are files like others to it.
  ack: searcher({
    options:
      '-A:B:C:g:m:x: --after-context= --before-context= --context= --ignore-dir= --ignore-file= --ignore-directory= --match= --type= --type-add= --type-set= --pager= --files-from=',
    pattern: 'f|g|x|--match',
    names: 'l|L|c|f|g|--files-with-matches|--files-without-matches|--count',
    search: () => ({}),
  }),
  'ugrep ug': searcher({
    options: `${grepOptions} -g:t:O:J:K: --glob= --iglob= --file-type= --include-dir= --ignore-files= --config= --filter=`,
    pattern: 'e|f|--regexp|--file',
    reads: 'f|--file',
    names: 'l|L|c|q|--files-with-matches|--files-without-match|--count|--quiet|--silent',
    search: (args) =>
      hasFlag(args, '.|g|t|O|--hidden|--glob|--iglob|--include|--file-type|--config|--ignore-files')
        ? namesIn(args, 'g|--glob|--iglob|--include', '--exclude')
        : { visible: true },
  }),
}
