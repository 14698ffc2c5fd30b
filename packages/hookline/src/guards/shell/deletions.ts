/** What programs that delete take away: what is dear is named by losses.ts, the rest is sized here. */
import { judgeDelete } from './losses.ts'
import { type Place, placeOf } from './places.ts'
import { isRevealing, isSecret, isStartup } from './sensitive.ts'
import { type Field, isKnown, NAME, PATH } from './text.ts'
import type { Danger, State } from './types.ts'

/** Everything that deleting this word means; never empty, so that a deletion is never merely "not known". */
export function judgeDeletion(word: Field, recursive: boolean, force: boolean, state: State): Danger[] {
  const place = placeOf(word, state)
  if (isScratchBelow(place, word)) return [SCRATCH]
  // Where everything is dear, force only answers a question that nobody can be asked here.
  const dear = DEAR.has(place) || (place === 'outside' && word.text.startsWith(`${state.home}/`))
  const severe = judgeDelete(word, recursive, recursive && (force || dear), state)
  if (severe.length > 0) return severe
  const personal = place === 'home-child' || /(?:^|\/)\.(?:ssh|aws|gnupg|kube|config)\//.test(word.text)
  if (personal && (isSecret(word, state) || isStartup(word, state) || isRevealing(word, state))) return [PERSONAL]
  if (word.taints.includes('listed') && place !== 'temp' && place !== 'artefact') return [UNSEEN]
  return [sized(place, recursive)]
}

/** Found by a name that only what is made again has: `find . -name __pycache__`. */
function isScratchBelow(place: Place, word: Field): boolean {
  const last = word.listed?.split(/[/\uE003]/).at(-1)
  if (word.spare) return !FIXED.has(place)
  return last !== undefined && !FIXED.has(place) && isScratchName(last.replaceAll(NAME, '*'))
}

const DEAR: ReadonlySet<Place> = new Set(['home-child', 'start'])
const FIXED: ReadonlySet<Place> = new Set(['root', 'system', 'device', 'home'])

/** Names, and globs of names, of what tools leave behind and make again. */
export const isScratchName = (name: string): boolean => SCRATCH_NAME.test(name)

const SCRATCH_NAME =
  /^(?:node_modules|bower_components|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.venv|htmlcov|\.coverage|\.nyc_output|coverage|\.eggs|\*?\.egg-info|\.ipynb_checkpoints|dist|build|out|target|obj|\.next|\.nuxt|\.output|\.turbo|\.parcel-cache|\.cache|\.gradle|\.svelte-kit|\.vite|\.angular|\.dart_tool|deriveddata|\.terraform|\.serverless|\.aws-sam|\.ds_store|thumbs\.db|desktop\.ini|\._\*|\*~|#\*#|core\.\*|npm-debug\.log\*?|\*?\.(?:py\[?[co]+\]?|pyc|pyo|pyd|py\[co\]|o|obj|a|so|lo|la|class|elc|beam|hi|tsbuildinfo|map|tmp|temp|swp|swo|sw\?|bak|orig|rej|old|log|pid|cache|gcda|gcno|profraw|stackdump|dSYM)(?:\*|\.\*|\.\d+)?)$/i

function sized(place: Place, recursive: boolean): Danger {
  if (place === 'temp' || place === 'artefact') return SCRATCH
  if (place === 'unknown') return UNKNOWN
  return recursive ? TREE : FILE
}

/** Whether a search finds only such names: every branch of it names some, and none is turned around. */
export function findsScratch(args: readonly Field[]): boolean {
  const branches: string[][] = [[]]
  for (const { text } of args) {
    if (/^(?:-o|-or|,)$/.test(text)) branches.push([])
    else branches.at(-1)?.push(text)
  }
  return branches.every((branch) =>
    branch.some((text, at) => {
      const turned = /^(?:!|-not)$/.test(branch[at - 1] ?? '')
      if (turned) return false
      if (text === '-empty') return true
      return /^-i?name$/.test(text) && isKnown(branch[at + 1] ?? PATH) && isScratchName(branch[at + 1] ?? '')
    }),
  )
}

const mild = (radius: Danger['radius'], reason: string): Danger => ({
  category: 'fs-delete',
  radius,
  reason,
  mild: true,
})
export const SCRATCH = mild('low', 'It deletes scratch, or what is made again.')
const FILE = mild('low', 'It deletes single files.')
export const TREE = mild('medium', 'It deletes a directory of the project and everything in it.')
const UNKNOWN = mild('unknown', 'It deletes something that is only known when it runs.')
const UNSEEN: Danger = {
  category: 'fs-delete',
  radius: 'medium',
  reason: 'It deletes whatever another command lists, unseen.',
}
const PERSONAL: Danger = {
  category: 'fs-delete',
  radius: 'high',
  reason: 'It deletes keys, settings or records of the person.',
}
