/** Which files git would print: as they are, as they were, and those outside of any repository. */
import { parseArguments, readOptions } from '../../shell/index.ts'
import { spend } from './budget.ts'
import { resolvePath } from './places.ts'
import { isSecret } from './sensitive.ts'
import type { Field } from './text.ts'
import type { Call } from './types.ts'

/** Verbs that print what is in the files they name; the options with which they do not, or without which. */
const PRINTING: Readonly<Record<string, { unless?: RegExp; only?: RegExp }>> = {
  show: { unless: /^--(?:stat|name-only|name-status|numstat|shortstat|summary|no-patch)|^-s$/ },
  diff: { unless: /^--(?:stat|name-only|name-status|numstat|shortstat|summary|quiet|check|no-patch)|^-[qs]$/ },
  log: { only: /^-[a-zA-Z]*[puLUcm]|^--(?:patch|full-diff|word-diff|cc)/ },
  grep: { unless: /^-[a-zA-Z]*[lLcq]|^--(?:name-only|files-with|files-without|count|quiet)/ },
  config: { only: /^(?:-f|--file)/ },
  ...Object.fromEntries(
    ['difftool', 'whatchanged', 'blame', 'annotate', 'cat-file', 'archive', 'diff-index', 'diff-files'].map((verb) => [
      verb,
      {},
    ]),
  ),
}

/** What it takes to read the words of git: in front of the verb, those of the verb, and by every guard of it. */
const STEPS_OF_GIT = 24

export function gitPrintsSecret(call: Call, options: string): boolean {
  spend(call.run, STEPS_OF_GIT)
  const { operands, flags } = parseArguments(call.args, readOptions(options), true)
  const [verb, ...words] = operands
  const row = verb && Object.hasOwn(PRINTING, verb.text) ? PRINTING[verb.text] : undefined
  if (!row || words.some(({ text }) => row.unless?.test(text))) return false
  if (row.only && !words.some(({ text }) => row.only?.test(text))) return false
  // Each word is looked for among the places that hold credentials, in several ways.
  spend(call.run, 8 + words.length * 6)
  const cwd = flags
    .filter(({ name }) => name === 'C')
    .reduce<string | undefined>(
      (at, { value }) => resolvePath(value?.text ?? '', { ...call.state, cwd: at }),
      call.state.cwd,
    )
  const state = { ...call.state, cwd }
  return words.flatMap(namesIn).some((word) => isSecret(word, state))
}

/** `.env`, `HEAD:.env`, `--contents=.env`, `-L1,5:.env`. */
const namesIn = (word: Field): Field[] =>
  [word.text, ...word.text.split(/[:=]/).slice(1)]
    .filter((text) => text !== '' && !text.startsWith('-'))
    .map((text) => ({ ...word, text }))
