import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { markOf, readText, watchDirectories } from '../config/index.ts'
import { HooklineError, type Note, note } from '../core/index.ts'
import type { Generations } from './generations.ts'

/** How long files must stay the same before they are read: a file that is written in steps is not read halfway. */
const settleMs = 100

export interface Watcher {
  close(): void
}

/**
 * Reloads when what is written has changed since it was loaded. What cannot be loaded leaves the last good generation in
 * place; a note says so once, and another when the files are good again.
 */
export function watchHooks(
  generations: Generations,
  files: () => readonly string[],
  { watch: places, onNote: report = () => {} }: { watch?: boolean | readonly string[]; onNote?(note: Note): void },
): Watcher {
  const stopped = new AbortController()
  let refused: State | undefined
  let looking = false
  let again = false
  const watch = watchDirectories(() => void look())
  aim()
  // Something may have been written before anybody looked.
  void look()

  function aim(): void {
    watch.aim([...(Array.isArray(places) ? places : []), ...read().map((file) => dirname(file))])
  }

  function read(): string[] {
    return [...files(), ...generations.reads.keys()]
  }

  /** One look at a time; whatever happens meanwhile is looked at afterwards. */
  async function look(): Promise<void> {
    again = true
    if (looking) return
    looking = true
    try {
      while (again && !stopped.signal.aborted) {
        again = false
        await followUp()
        // Where something else is written all the time, such as a log, ten looks a second are enough.
        await pause(settleMs, undefined, { ref: false, signal: stopped.signal })
      }
    } catch (error) {
      if (!stopped.signal.aborted) report(note('reload-refused', { ...where(), detail: wordsOf(error) }))
    } finally {
      looking = false
    }
  }

  async function followUp(): Promise<void> {
    let seen = await stateOf(read())
    if (isKnown(seen)) return
    for (let before: State | undefined; !before || !isSame(before, seen); ) {
      before = seen
      await pause(settleMs, undefined, { ref: false, signal: stopped.signal })
      seen = await stateOf(read())
    }
    if (isKnown(seen)) return
    await take(seen)
    aim()
  }

  const isDue = () => generations.until !== undefined && generations.until <= Date.now()
  const isKnown = (seen: State) => !isDue() && isSame(refused ?? generations.reads, seen)

  async function take(seen: State): Promise<void> {
    const before = idsOf(generations)
    try {
      await generations.reload()
    } catch (error) {
      if (refused === undefined) report(note('reload-refused', { ...where(), detail: wordsOf(error) }))
      refused = seen
      return
    }
    const code = refused === undefined ? 'reloaded' : 'reload-whole'
    refused = undefined
    report(note(code, { ...where(), changes: changesBetween(before, idsOf(generations)) }))
  }

  const where = () => ({ generation: generations.current.index.generation })

  return {
    close() {
      stopped.abort()
      watch.close()
    },
  }
}

function isSame(one: State, other: State): boolean {
  return one.size === other.size && [...one].every(([file, content]) => other.get(file) === content)
}

/** What stands in each of these files. */
type State = ReadonlyMap<string, string>

async function stateOf(files: readonly string[]): Promise<State> {
  const state = new Map<string, string>()
  for (const file of new Set(files)) state.set(file, markOf(await readText(file)))
  return state
}

function idsOf({ current }: Generations): Map<string, string> {
  return new Map(current.index.hooks.map(({ hook, identity }) => [hook.id, `${hook.enabled} ${identity}`]))
}

function changesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string {
  const [kept, fresh] = [
    [...after.keys()].filter((id) => before.has(id)),
    [...after.keys()].filter((id) => !before.has(id)),
  ]
  const parts = [
    ['new', fresh],
    ['changed', kept.filter((id) => before.get(id) !== after.get(id))],
    ['gone', [...before.keys()].filter((id) => !after.has(id))],
  ] as const
  const changes = parts.filter(([, ids]) => ids.length > 0).map(([what, ids]) => `${what}: ${ids.join(', ')}`)
  return changes.length > 0 ? changes.join('; ') : 'the same hooks as before'
}

function wordsOf(error: unknown): string {
  if (error instanceof HooklineError) return error.message.split('\n').slice(0, 3).join(' ')
  return error instanceof Error ? error.message : String(error)
}
