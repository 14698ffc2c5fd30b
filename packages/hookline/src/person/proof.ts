import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { HooklineError, type Note, note } from '../core/index.ts'
import { isToken } from '../trust/index.ts'
import { callingAgent, markingAgent, type Scripted, scriptedTerminal } from './caller.ts'
import { hasPassphrase, isPassphrase } from './passphrase.ts'
import { isUnlocked, unlock } from './unlocked.ts'

/** Where a person answers: a terminal; a console and an editor are others. */
export interface Desk {
  /** What was typed; undefined when nothing more comes. */
  line(question: string): Promise<string | undefined>
  /** The same, and nobody sees it. */
  secret(question: string): Promise<string | undefined>
}

/** Somebody who may be asked; what they decide counts once `confirm` says so. */
export interface Person {
  /** Whether a person is there: a passphrase that only they know, or else a code that is shown to them. Asks once. */
  confirm(desk: Desk): Promise<boolean>
}

/**
 * The one door for everything that only a person may do. Throws where nobody could be one: what runs under an agent
 * is refused whatever it knows, and a terminal that a program holds is no terminal of a person.
 */
export function personHere(directory: string, attended: boolean): Person {
  if (!attended) throw refused(note('approval-needs-person', {}))
  const agent = callingAgent()
  if (agent) throw refused(note('person-under-agent', { ...agent }))
  const scripted = scriptedTerminal()
  const knows = hasPassphrase(directory)
  if (scripted && scripted.above === undefined && !knows)
    throw refused(note('person-scripted', { program: scripted.program }))
  let proven = false
  return {
    async confirm(desk) {
      // Where programs can type, a plain yes proves nothing: there it is asked each time.
      proven ||=
        (!scripted && isUnlocked(directory)) || (await (knows ? byPassphrase(directory, desk) : byCode(desk, scripted)))
      if (proven && !scripted) unlock(directory)
      return proven
    },
  }
}

/** Somebody at a page of a server, and whether they alone can have read what its terminal printed. */
export interface PagePerson extends Person {
  readsTerminal: boolean
}

/**
 * The person at a page of a server. What proves them is their passphrase; or a code that the terminal shows in which they
 * started the server, and that they type into the page. Throws as personHere() does.
 */
export function personAtPage(directory: string, show: ((text: string) => void) | undefined): PagePerson {
  const agent = callingAgent()
  if (agent) throw refused(note('person-under-agent', { ...agent }))
  const knows = hasPassphrase(directory)
  const scripted = scriptedTerminal()
  if (!knows && !show) throw refused(note('approval-needs-person', {}))
  if (!knows && scripted && scripted.above === undefined)
    throw refused(note('person-scripted', { program: scripted.program }))
  return {
    // Programs read what a window of tmux shows, and what a script holds.
    readsTerminal: show !== undefined && !scripted,
    confirm: (desk) => (knows ? byPassphrase(directory, desk) : byShownCode(desk, scripted, show)),
  }
}

/** Longer than one that is typed where it is shown: a page can try faster than a person. */
async function byShownCode(
  desk: Desk,
  scripted: Scripted | undefined,
  show: ((text: string) => void) | undefined,
): Promise<boolean> {
  const code = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')
  if (scripted) showAbove(scripted, code)
  else show?.(`The code is ${code.slice(0, 4)}-${code.slice(4)}`)
  const place = scripted ? (scripted.above ?? '') : 'the terminal of `hookline serve`'
  const typed = await desk.line(`Type the code that ${place} shows: `)
  return typed?.toUpperCase().replace(/[^A-Z0-9]/g, '') === code
}

/** None that is taken for another when it is read or typed. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** For what takes guards away and harms nobody else: anybody may, but an agent. */
export function refuseAgents(): void {
  const agent = markingAgent()
  if (agent !== undefined) throw refused(note('person-under-agent', { agent, sign: 'a variable that it sets' }))
}

/** For scripts and CI: whoever has the token that a person made. An agent that was given it may use it. */
export function requireToken(directory: string): void {
  if (!isToken(directory, process.env['HOOKLINE_APPROVE_TOKEN'])) throw refused(note('approval-needs-person', {}))
}

const tries = 3

async function byPassphrase(directory: string, desk: Desk): Promise<boolean> {
  for (let left = tries; left > 0; left--) {
    const typed = await desk.secret('Your passphrase: ')
    if (typed === undefined) return false
    if (isPassphrase(directory, typed)) return true
  }
  return false
}

/** Not to be guessed by who types without looking. Where a program holds this terminal, the one above it shows the code: the program cannot read that. */
async function byCode(desk: Desk, scripted: Scripted | undefined): Promise<boolean> {
  const code = String(randomInt(1_000, 10_000))
  if (scripted?.above === undefined) return (await desk.line(`Type ${code} to confirm: `))?.trim() === code
  showAbove(scripted, code)
  return (await desk.line(`Type the code that ${scripted.above} shows: `))?.trim() === code
}

function showAbove({ above, program }: Scripted, code: string): void {
  try {
    writeFileSync(above ?? '', `\r\nhookline: the code is ${code}\r\n`)
  } catch {
    throw refused(note('person-scripted', { program }))
  }
}

const refused = (problem: Note): HooklineError => new HooklineError(problem)
