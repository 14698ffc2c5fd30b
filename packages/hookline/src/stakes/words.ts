import { printable } from '../core/index.ts'

/** So many are named; the rest is counted. */
const mostNames = 5
const longestName = 60

export interface Lost {
  changed: readonly string[]
  untracked: readonly string[]
  ignored: readonly string[]
  more: boolean
}

/** `It throws away changes in 3 files that are not committed: a, b, c; git cannot bring them back.` */
export function sentenceAboutChanges(changed: readonly string[], more: boolean, root: string): string {
  const count = more ? `at least ${changed.length}` : String(changed.length)
  const files = `${count} ${changed.length === 1 ? 'file' : 'files'}`
  return `It throws away changes that are not committed, in ${files}: ${named(changed, root)}; git cannot bring them back.`
}

/** `It deletes 3 untracked files: a, b, c; git cannot bring them back.` */
export function sentenceAbout(verb: string, { changed, untracked, ignored, more }: Lost, root: string): string {
  const kinds = [
    {
      files: changed,
      one: 'file with changes that are not committed',
      many: 'files with changes that are not committed',
    },
    { files: untracked, one: 'untracked file', many: 'untracked files' },
    { files: ignored, one: 'ignored file that nothing makes again', many: 'ignored files that nothing makes again' },
  ].filter(({ files }) => files.length > 0)
  const parts = kinds.map(({ files, one, many }) => {
    const count = more ? `at least ${files.length}` : String(files.length)
    return `${count} ${files.length === 1 ? one : many}: ${named(files, root)}`
  })
  const all = changed.length + untracked.length + ignored.length
  return `It ${verb} ${parts.join('; and ')}; git cannot bring ${all === 1 ? 'it' : 'them'} back.`
}

function named(files: readonly string[], root: string): string {
  const shown = files.slice(0, mostNames).map((file) => nameIn(file, root))
  const rest = files.length - shown.length
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ')
}

/** Files can be called anything, and who reads this may be a model: a name that is a sentence is left out. */
export function nameIn(file: string, root: string, home = root): string {
  const fromHome = file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file
  const inside = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : fromHome
  const plain = printable(inside)
  if ((plain.match(/[\s\u00a0]+/g)?.length ?? 0) > 3) return '…'
  return plain.length > longestName ? `…${plain.slice(-longestName)}` : plain
}
