import { readFileSync } from 'node:fs'

export interface Case {
  /** The heading it stands under. */
  family: string
  command: string
}

/** Lists of commands, one a line (`⏎` for a line break inside), under `## ` headings. */
export function readCorpus(name: 'dangerous' | 'ordinary'): Case[] {
  const text = readFileSync(new URL(`../guards/corpora/${name}.txt`, import.meta.url), 'utf8')
  const cases: Case[] = []
  let family = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) family = line.slice(3)
    else if (line !== '') cases.push({ family, command: line.replaceAll('⏎', '\n') })
  }
  return cases
}
