import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type AutocompleteItem, type AutocompleteProvider, fuzzyFilter } from '@mariozechner/pi-tui'
import { homeDirectory, printable } from 'hookline/internal'

/** A command at the prompt, as it is offered. */
export interface Offered {
  name: string
  usage?: string
  doc: string
}

const mostOffered = 50

/** Tab, `/` and `@`: commands at the beginning of a line, files anywhere. */
export function completion(commands: () => readonly Offered[], cwd: string): AutocompleteProvider {
  let files: Promise<string[]> | undefined

  return {
    async getSuggestions(lines, row, column, { force = false }) {
      const before = (lines[row] ?? '').slice(0, column)
      if (row === 0 && /^\/[\w-]*$/.test(before)) {
        files = undefined
        return found(commandItems(commands(), before.slice(1)), before)
      }
      const word = /\S*$/.exec(before)![0]
      if (word.startsWith('@')) {
        files ??= projectFiles(cwd)
        const names = fuzzyFilter(await files, word.slice(1), (name) => name).slice(0, mostOffered)
        return found(
          names.map((name) => ({ value: `@${name}`, label: name })),
          word,
        )
      }
      if (!force) return null
      return found(await pathItems(word, cwd), word)
    },
    applyCompletion(lines, row, column, item, prefix) {
      const text = lines[row] ?? ''
      // Whoever types faster than suggestions arrive means none of those that are still shown.
      if (!text.slice(0, column).endsWith(prefix)) return { lines, cursorLine: row, cursorCol: column }
      const isWhole = !item.value.endsWith('/')
      const start = text.slice(0, column - prefix.length) + item.value + (isWhole ? ' ' : '')
      const next = [...lines]
      next[row] = start + text.slice(column).replace(/^ /, isWhole ? '' : ' ')
      return { lines: next, cursorLine: row, cursorCol: start.length }
    },
    shouldTriggerFileCompletion: () => true,
  }
}

const found = (items: AutocompleteItem[], prefix: string) => (items.length === 0 ? null : { items, prefix })

function commandItems(commands: readonly Offered[], typed: string): AutocompleteItem[] {
  const beginning = commands.filter(({ name }) => name.startsWith(typed))
  const fitting = beginning.length > 0 ? beginning : fuzzyFilter([...commands], typed, ({ name }) => name)
  return fitting.map(({ name, usage = '', doc }) => ({
    value: `/${name}`,
    label: printable(`/${name} ${usage}`.trim()),
    description: printable(doc),
  }))
}

/** What lies where the word leads to: like a shell does it. */
async function pathItems(word: string, cwd: string): Promise<AutocompleteItem[]> {
  const place = word.startsWith('~/') ? join(homeDirectory(), word.slice(1)) : word
  const folder = place.endsWith('/') || place === '' ? place : dirname(place) === '.' ? '' : `${dirname(place)}/`
  const begun = place.slice(folder.length)
  const shown = word.slice(0, word.length - begun.length)
  const entries = await readdir(folder.startsWith('/') ? folder : join(cwd, folder), { withFileTypes: true }).catch(
    () => [],
  )
  return entries
    .filter(({ name }) => name.startsWith(begun) && isPlain(name) && (begun.startsWith('.') || !name.startsWith('.')))
    .sort((one, other) => Number(other.isDirectory()) - Number(one.isDirectory()) || (one.name < other.name ? -1 : 1))
    .slice(0, mostOffered)
    .map((entry) => {
      const name = entry.isDirectory() ? `${entry.name}/` : entry.name
      return { value: shown + name, label: name }
    })
}

/** A name that shows as it is, and stays one word. */
const isPlain = (name: string): boolean => printable(name) === name && !/\s/.test(name)

/** The files of the repository, as git sees it; else those in this directory. */
async function projectFiles(cwd: string): Promise<string[]> {
  const listed = await promisify(execFile)(
    'git',
    ['-c', 'core.fsmonitor=false', 'ls-files', '-co', '--exclude-standard', '-z'],
    {
      cwd,
      maxBuffer: 16 * 1024 * 1024,
    },
  ).catch(() => undefined)
  if (listed) return listed.stdout.split('\0').filter((name) => name !== '' && isPlain(name))
  const entries = await readdir(cwd, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isFile() && isPlain(entry.name) ? [entry.name] : []))
}
