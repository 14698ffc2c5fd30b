/** The files that a line would read out, by their full paths: for whoever can look where links lead. */
import { lookup, programName } from '../../shell/index.ts'
import { isPrinter } from './outputs.ts'
import { resolvePath } from './places.ts'
import type { Trace } from './seen.ts'
import { isKnown } from './text.ts'
import type { State } from './types.ts'

/** Programs that carry the content of a file on, and do not print it. */
const CARRIERS = new Set(
  'cp scp rsync tar zip gzip bzip2 xz zstd curl wget nc ncat dd install python node ruby perl source .'.split(' '),
)

export function filesRead({ seen }: Trace, state: State): string[] {
  return seen.flatMap((each) => {
    if (each.elsewhere || each.kind === 'host') return []
    const words =
      each.kind === 'file'
        ? each.access === 'read'
          ? [each.word]
          : []
        : readsFiles(programName(each.words[0]?.text ?? ''))
          ? each.words.slice(1)
          : []
    return words.flatMap(({ text, content }) => {
      // `<(…)` is no file: what it prints is made by commands of the line.
      if (content) return []
      // `--file=name`, `@name`, `user:name`: whatever of it may be a path.
      const parts = [text, ...text.split(/[=@:]/).slice(1)].filter((part) => part !== '' && !part.startsWith('-'))
      return parts.flatMap((part) => (isKnown(part) ? (resolvePath(part, { ...state, cwd: each.cwd }) ?? []) : []))
    })
  })
}

/** Options with which a reader of trees follows the links in them; `true`: it always does. */
const FOLLOWS: Readonly<Record<string, RegExp | true>> = {
  ...Object.fromEntries(
    ['grep', 'egrep', 'fgrep', 'zgrep'].map((name) => [name, /^-[a-zA-Z]*R|^--dereference-recursive$/]),
  ),
  ...{ rg: /^-[a-zA-Z]*L|^--follow$/, ag: /^-[a-zA-Z]*f|^--follow$/, diff: /^-[a-zA-Z]*r|^--recursive$/, zip: true },
  ...Object.fromEntries(['tar', 'gtar', 'bsdtar'].map((name) => [name, /^-?[a-zA-Z]*h|^--dereference$/])),
  ...Object.fromEntries(['cp', 'rsync'].map((name) => [name, /^-[a-zA-Z]*L|^--(?:dereference|copy-links)$/])),
}

/** Whether something that the line runs goes through trees, and follows the links in them. */
export const followsLinks = ({ seen }: Trace): boolean =>
  seen.some((each) => {
    if (each.kind !== 'command' || each.elsewhere) return false
    const option = lookup(FOLLOWS, programName(each.words[0]?.text ?? ''))
    return option === true || (option !== undefined && each.words.slice(1).some(({ text }) => option.test(text)))
  })

const readsFiles = (program: string): boolean =>
  (isPrinter(program) && !PRINTS_ITS_WORDS.has(program)) || CARRIERS.has(program)

/** `echo notes.txt` opens no file. */
const PRINTS_ITS_WORDS = new Set(['echo', 'printf', 'type'])
