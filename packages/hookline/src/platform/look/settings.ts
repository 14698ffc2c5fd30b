/** The files in which git keeps its settings. */
import { dirname, isAbsolute, join } from 'node:path'

export interface Setting {
  /** Lower case. */
  section: string
  /** `origin` of `[remote "origin"]`. */
  name: string | undefined
  /** Lower case. */
  key: string
  value: string
}

type Read = (path: string) => string | undefined

const deepest = 4
const mostSettings = 5_000

/** In order, those of included files where they are included. What is included only under a condition counts too. */
export function readSettings(file: string, home: string, read: Read, depth = 0): Setting[] {
  const settings: Setting[] = []
  for (const setting of parseSettings(read(file) ?? '')) {
    settings.push(setting)
    if (!/^include(?:if)?$/.test(setting.section) || setting.key !== 'path' || depth >= deepest) continue
    const path = setting.value.replace(/^~(?=\/)/, home)
    settings.push(...readSettings(isAbsolute(path) ? path : join(dirname(file), path), home, read, depth + 1))
    if (settings.length > mostSettings) break
  }
  return settings
}

const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/
const entry = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/s

export function parseSettings(text: string): Setting[] {
  const settings: Setting[] = []
  let [section, name]: [string, string | undefined] = ['', undefined]
  for (const line of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const found = header.exec(line)
    if (found) [section, name] = [found[1]!.toLowerCase(), found[2]?.replace(/\\(.)/g, '$1')]
    const rest = found ? line.slice(found[0].length) : line
    const [, key, value] = entry.exec(rest) ?? []
    if (key !== undefined) settings.push({ section, name, key: key.toLowerCase(), value: plainValue(value ?? 'true') })
    if (settings.length >= mostSettings) break
  }
  return settings
}

/** Quotes taken off, comments cut. */
function plainValue(text: string): string {
  let value = ''
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '\\') value += { n: '\n', t: '\t', b: '\b' }[text[++at] ?? ''] ?? text[at] ?? ''
    else if (char === '"') quoted = !quoted
    else if (!quoted && (char === '#' || char === ';')) break
    else value += char
  }
  return value.trim()
}
