import { flagValues, hasFlag, parseArguments, readOptions } from '../../../shell/index.ts'
import { dangerOf, STOPS_ALL, WEAKENS } from '../dangers.ts'
import { placeOf } from '../places.ts'
import { EVERY, isBroad, PROTECTORS, WATCHES } from '../running.ts'
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

/** What is running, and who stops it. */
export const processes: Family = {
  rows: [
    {
      category: 'process',
      radius: 'high',
      reason: 'It stops every process there is.',
      commands: [
        'killall5',
        'loginctl terminate-user|terminate-session|kill-user|kill-session|terminate-seat',
        'launchctl reboot',
        'xkill -a|-all',
      ],
    },
  ],
  judges: {
    'kill gkill': judgeKill,
    'killall pkill': judgeByName,
    skill: (call) => (call.args.length > 0 ? KILLS_MANY : undefined),
    taskkill: (call) => {
      const at = call.args.findIndex(({ text }) => /^\/{1,2}(?:im|fi)$/i.test(text))
      return at >= 0 && isBroad(call.args[at + 1]?.text.replace(/\.exe$/i, '') ?? '*') ? KILLS_MANY : undefined
    },
    'stop-process spps': (call) => {
      const names = call.args.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text)
      return call.wiring.stdin || names.some(isBroad) ? KILLS_MANY : undefined
    },
    fuser: (call) =>
      call.args.some(({ text }) => /^-[a-zA-Z]*k|^--kill$/.test(text)) &&
      call.args.some((word) => /^(?:root|system|home)$/.test(placeOf(word, call.state)))
        ? STOPS_ALL
        : undefined,
  },
}

const BY_NAME =
  '-s:u:U:g:G:t:P:o:y:n: --signal= --user= --euid= --uid= --group= --pgroup= --parent= --terminal= --ns= --older-than= --younger-than='

function judgeByName(call: Call): Danger | undefined {
  // `-STOP` is a signal, and no letters of options.
  const words = call.args.filter(({ text }) => !/^-(?:SIG)?[A-Z]{2,}\d*$/.test(text))
  const args = parseArguments(words, readOptions(BY_NAME))
  const names = args.operands.map(({ text }) => text)
  if (hasFlag(args, '0|l|L|V|--list|--version') || flagValues(args, 's|--signal')[0]?.text === '0') return undefined
  if (names.some((name) => EVERY.test(name)) || hasFlag(args, '--inverse')) return STOPS_ALL
  if (names.some((name) => PROTECTORS.test(name))) return WEAKENS
  if (names.some((name) => WATCHES.test(name))) return KILLS_GUARD
  if (names.length === 0 && hasFlag(args, 'u|U|g|G|t|--user|--euid|--uid|--group|--pgroup|--terminal')) return STOPS_ALL
  return names.some(isBroad) ? KILLS_MANY : undefined
}

function judgeKill(call: Call): Danger | undefined {
  if (call.args.some(({ taints }) => taints.includes('guard'))) return KILLS_GUARD
  if (call.args.some(({ taints }) => taints.includes('processes'))) return STOPS_ALL
  const words = call.args.map((word) => word.text)
  const [first = ''] = words
  const signalled = /^-(?:s|n|[A-Z0-9]+|SIG\w+|-signal.*)$/i.test(first) && words.length > 1
  const targets = signalled ? words.slice(first === '-s' || first === '-n' ? 2 : 1) : words
  // `kill 0` stops what the shell itself has started.
  return targets.some((text) => /^-?1$/.test(text.trim())) ? STOPS_ALL : undefined
}

const KILLS_MANY = dangerOf(
  'process',
  'medium',
  'It stops every process of that name, among them those of other projects and perhaps the agent itself.',
)
const KILLS_GUARD = dangerOf('self-protection', 'high', 'It stops the process that watches over the agent.')
