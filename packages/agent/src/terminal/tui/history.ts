import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRedactor, dataDirectory, makeDirectory, printable } from 'hookline/internal'

/** What was typed in this and in earlier sessions, latest last. */
export interface History {
  all(): readonly string[]
  add(text: string): void
}

/** So many are kept; the file is cut when it holds twice as much. */
const most = 500
const largest = 1024 * 1024

/** One JSON text per line, readable by its owner alone. Secrets are not kept, nor texts too long to be typed again. */
export function openHistory(file = join(dataDirectory(), 'history.jsonl')): History {
  const known = read(file)
  return {
    all: () => known,
    add(text) {
      if (text.trim() === '' || text.length > 10_000) return
      const kept = redacted(text)
      if (known.at(-1) === kept) return
      known.push(kept)
      try {
        makeDirectory(dataDirectory())
        if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largest)
          writeFileSync(file, known.slice(-most).map(line).join(''), { mode: 0o600 })
        else appendFileSync(file, line(kept), { mode: 0o600 })
      } catch {
        // Without a place to keep it, it lasts as long as the session.
      }
    },
  }
}

const line = (text: string): string => `${JSON.stringify(text)}\n`

function read(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .slice(-most - 1)
    return lines.flatMap((each) => {
      const text = parsed(each)
      return text === undefined ? [] : [printable(text)]
    })
  } catch {
    return []
  }
}

/** Undefined for a line that is torn or was edited. */
function parsed(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function redacted(text: string): string {
  const redactor = createRedactor()
  return redactor.push(text) + redactor.end()
}
