import { closeSync, constants, openSync, readSync } from 'node:fs'
import { printable } from '../../core/index.ts'
import type { PinnedFile } from '../../trust/index.ts'
import { count } from './layout.ts'

/** As much of a script as a person reads before a yes; the digest covers all of it. */
const mostLines = 40
const mostFiles = 5
const longestLine = 160
const mostBytes = 64 * 1024

/** What the files hold that an approval would let run: bounded, and with everything shown that a terminal would act on. */
export function showContents(files: readonly PinnedFile[]): string[] {
  const there = files.flatMap((file) => ('missing' in file ? [] : [file]))
  const shown = there.slice(0, mostFiles).flatMap((file) => ['', `${printable(file.path)}:`, ...contentOf(file)])
  const more = there.length - mostFiles
  return more > 0 ? [...shown, '', `${count(more, 'further file')} not shown.`] : shown
}

function contentOf({ realpath, size }: { realpath: string; size: number }): string[] {
  const bytes = beginningOf(realpath)
  if (!bytes) return ['  (it cannot be read)']
  if (bytes.includes(0)) return [`  (not a text; ${size} bytes)`]
  const lines = bytes.toString('utf8').replace(/\n$/, '').split('\n')
  const shown = lines.slice(0, mostLines).map((line) => `  │ ${clipped(visible(line))}`)
  const left = lines.length - mostLines
  if (size > bytes.length) return [...shown, `  … and more: ${size} bytes in all. Read the file before you approve it.`]
  return left > 0 ? [...shown, `  … and ${count(left, 'more line')}. Read the file before you approve it.`] : shown
}

/** A carriage return would let the rest of a line cover its beginning; a tab is harmless. */
const visible = (line: string): string => printable(line.replace(/\r$/, '␍'))

function clipped(line: string): string {
  const characters = [...line]
  if (characters.length <= longestLine) return line
  return `${characters.slice(0, longestLine).join('')}… (${count(characters.length - longestLine, 'more character')})`
}

function beginningOf(path: string): Buffer | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const bytes = Buffer.alloc(mostBytes)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, mostBytes, 0))
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
