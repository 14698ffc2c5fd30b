import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const own = fileURLToPath(new URL('../cases', import.meta.url))

/** Ours, or those of the directory that HOOKLINE_CORPORA names: bench/cases/README.md says how they are written. */
export const directory = process.env.HOOKLINE_CORPORA || own
export const origin = directory === own ? 'our own cases' : 'the cases of HOOKLINE_CORPORA'

/** The cases of one kind, without those that reasonable people decide either way. Secrets are put together from their pieces here. */
export function readCases(kind) {
  return readFileSync(join(directory, `${kind}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))
    .filter((each) => !each.debatable)
    .map((each) => ({ ...each, input: kind === 'secrets' ? each.input.replaceAll('§', '') : each.input }))
}

export const share = (cases, passes) => ({ part: cases.filter(passes).length, whole: cases.length })
