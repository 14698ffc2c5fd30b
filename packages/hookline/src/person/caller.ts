import { agentRunning, agentSetting } from '../core/index.ts'
import {
  connectionsNow,
  drawsWindows,
  holdersOf,
  lineageOf,
  processAt,
  processesCalled,
  type RunningProcess,
} from '../platform/index.ts'
import { loginFromHere } from './logins.ts'
import { hasPassphrase } from './passphrase.ts'

/** Who started us, where that is no person, and what shows it. */
export interface Caller {
  agent: string
  sign: string
}

/**
 * The agent that this process runs under: by the variables that agents set for what they run, here or in a process
 * above, and by the programs above. The session that the terminal belongs to and whoever holds its other end count
 * too: leaving one's parents (a double fork) is easier than leaving all three.
 */
export function callingAgent(): Caller | undefined {
  const agent = markingAgent()
  if (agent !== undefined) return { agent, sign: 'a variable that it sets' }
  return agentAround(process.pid, process.ppid)
}

/** Why another process is not one that a person answers from; undefined: it may be. `directory`: where a passphrase would be. */
export function noPersonAt(pid: number, directory: string): string | undefined {
  const found = processAt(pid)
  if (found?.terminal === undefined) return 'Only a person answers, at a terminal.'
  const agent = agentAbove(pid)
  if (agent !== undefined) return `Only a person answers, and this runs under ${agent}.`
  const typist = typistAt(found.terminal, lineageOf(pid))
  if (!typist || typist.above !== undefined || hasPassphrase(directory)) return undefined
  return `Only a person answers, and \`${typist.program}\` types into this terminal.`
}

/** The agent that another process runs under. */
export function agentAbove(pid: number): string | undefined {
  const found = processAt(pid)
  const marked = found && agentSetting((name) => found.variables.get(name))
  return marked ?? (found && agentAround(pid, found.parent)?.agent)
}

const agentAround = (pid: number, parent: number): Caller | undefined =>
  [...lineageOf(parent), ...around(pid)].map(agentIn).find((found) => found !== undefined)

/** The same by the variables of this process alone: quick, and enough where nothing is loosened. */
export const markingAgent = (): string | undefined => agentSetting((name) => process.env[name])

function agentIn({ pid, name, words, variables }: RunningProcess): Caller | undefined {
  const running = agentRunning(name, words)
  if (running !== undefined) return { agent: running, sign: `process ${pid}` }
  const setting = agentSetting((each) => variables.get(each))
  return setting === undefined ? undefined : { agent: setting, sign: `a variable of process ${pid}` }
}

function around(of: number): RunningProcess[] {
  const own = processAt(of)
  if (!own) return []
  const holders = own.terminal === undefined ? [] : holdersOf(own.terminal)
  return [own.session, ...holders.map(({ pid }) => pid)]
    .filter((pid) => pid > 0 && pid !== of)
    .flatMap((pid) => lineageOf(pid))
}

/** A program that types and reads in the place of a person, and the terminal above it, if there is one. */
export interface Scripted {
  program: string
  above?: string
}

/** Terminals that these hold are made for programs. Where one is used for recording, the person sits at the terminal above it. */
const scripting =
  /^(?:script|expect|unbuffer|socat|empty|sexpect|ttyrec|asciinema|faketty|reptyr|python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|tclsh[\d.]*|wish[\d.]*|guile|racket|sbcl|julia|Rscript|R)$/

/** What draws no window and yet holds the terminals of people: logins, other users, containers, editors, keepers of sessions. */
const holding =
  /^(?:sshd(?:-session)?|dropbear|mosh-server|(?:in\.)?telnetd|login|agetty|sudo(?:-rs)?|su|doas|run0|systemd.*|machinectl|containerd-shim.*|conmon|dockerd?|podman|lxc.*|incus.*|qemu.*|code.*|codium.*|cursor.*|windsurf.*|zed.*|java|emacs.*|n?vim|dtach|abduco|zellij|wezterm.*|ptyxis.*)$/

/** What holds the terminals of editors that run elsewhere, or in a page: a file of theirs, run by their Node.js. */
const editorsHolder = /\/out\/bootstrap-fork(?:\.m?js)?$/
const isEditorsHolder = ({ words }: RunningProcess): boolean =>
  editorsHolder.test(words.slice(1).find((word) => !word.startsWith('-')) ?? '') && words.includes('--type=ptyHost')

/** Any program may type into a window of these, and read it: the person sits at the terminal of a client. */
const multiplexers = [
  { called: 'tmux', server: /^tmux: server$/, client: /^tmux: client$/ },
  { called: 'screen', server: /^(?:SCREEN|screen)$/, client: /^screen$/ },
]

export function scriptedTerminal(): Scripted | undefined {
  const own = processAt(process.pid)?.terminal
  return own === undefined ? undefined : typistAt(own, lineageOf(process.pid))
}

/** What types at a terminal in the place of a person; `lineage` begins with a process that belongs to the terminal. */
function typistAt(own: string, lineage: readonly RunningProcess[]): Scripted | undefined {
  const holders = holdersOf(own)
  const multiplexer = multiplexerOf(holders)
  if (multiplexer) return shownAt(multiplexer.called, clientTerminal(own, multiplexer.client))
  const holder = holders.find(isScripting) ?? (holders.some(isWindow) ? undefined : holders[0])
  if (holder) return shownAt(holder.name || baseName(holder.words[0]), outerTerminal(own, lineageOf(holder.pid)))
  const login = loginFromHere(lineage, connectionsNow())
  if (login) return shownAt('ssh', login.clients.map(processAt).find((each) => each && isPersons(each))?.terminal)
  // Who became another user has a terminal in front of the one that they sit at: what types there types here.
  const at = lineage.findIndex(({ terminal }) => terminal !== undefined && terminal !== own)
  if (at === -1 || !holders.every(isPassing)) return undefined
  return typistAt(lineage[at]!.terminal!, lineage.slice(at))
}

const shownAt = (program: string, above: string | undefined): Scripted => ({
  program,
  ...(above !== undefined && { above }),
})

/** The terminal of the outermost process above that has another. */
const outerTerminal = (own: string, above: readonly RunningProcess[]): string | undefined =>
  above.findLast(({ terminal }) => terminal !== undefined && terminal !== own)?.terminal

/** What makes a terminal for another user, and passes on what is typed. The system hides most of them. */
const isPassing = (each: RunningProcess): boolean =>
  trueNames(each).some((name) => /^(?:sudo(?:-rs)?|su|doas|run0|runuser|pkexec)$/.test(name))

const isScripting = (each: RunningProcess): boolean => namesOf(each).some((name) => scripting.test(name))

/** Any program can make a terminal, in any language and under any name: only what is known to be for people is. */
const isWindow = (each: RunningProcess): boolean =>
  trueNames(each).some((name) => holding.test(name)) || isEditorsHolder(each) || drawsWindows(each.pid)

/** Names that a process gives itself are enough to be suspected, and never to be trusted. */
const namesOf = ({ name, words, program }: RunningProcess): string[] => [name, baseName(words[0]), baseName(program)]
const trueNames = (each: RunningProcess): string[] =>
  each.program === undefined ? [each.name, baseName(each.words[0])] : [baseName(each.program)]

const multiplexerOf = (holders: readonly RunningProcess[]) =>
  multiplexers.find(({ server }) => holders.some(({ name }) => server.test(name)))

/** The terminal at which somebody is attached. */
const clientTerminal = (own: string, client: RegExp): string | undefined =>
  processesCalled(client).find((each) => each.terminal !== own && isPersons(each))?.terminal

/** A person sits at the terminal of this process: no program or agent holds it, nor is it a window of a multiplexer. */
function isPersons({ pid, terminal }: RunningProcess): boolean {
  if (terminal === undefined) return false
  const [holders, lineage] = [holdersOf(terminal), lineageOf(pid)]
  if (typistAt(terminal, lineage) !== undefined) return false
  const above = [...lineage, ...holders.flatMap((each) => lineageOf(each.pid))]
  return above.every((each) => agentIn(each) === undefined)
}

const baseName = (word = ''): string => word.replace(/^.*\//, '')
