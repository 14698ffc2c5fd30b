import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ConfigFile, inOrder } from '../../config/index.ts'
import { formatNote, type Hook, type Note } from '../../core/index.ts'
import { policyName } from '../../fleet/current.ts'
import type { JournalFilter } from '../../journal/index.ts'
import { defineCommand, type Invocation, text, texts, UsageError } from '../command.ts'
import { configOptions, configured, workingDirectory } from '../configured.ts'
import { journalToRead, partsToRead, sizeOf } from '../journal-for.ts'
import { readingOptions } from '../journal-options.ts'
import { filterFrom, filterOptions, projectAt, readLimit } from '../log/filters.ts'
import { trustBy } from '../prepare-hooks.ts'
import type { Replayed } from '../replay/replay.ts'
import { replayFiles } from '../replay/run.ts'
import { replayAsJson, showReplay } from '../replay/show.ts'
import { paintFor, widthOf } from '../text/paint.ts'
import { shareOn } from '../text/progress.ts'

/** So many of each kind are shown; --json has all. */
const shownOfEach = 10

export const command = defineCommand({
  name: 'replay',
  summary: 'Show what would change with this config, from the journal, without running anything.',
  usage:
    'replay [--config <candidate>|--policy <directory> [--fleet <url>]] [filters] [--run <hook>|all] [--fail-on-change] [--json]',
  doc: [
    'Replays the events of the journal against the current config or a candidate, and lists what would change: what would',
    'be blocked, asked about, allowed, rewritten or added as context; with the numbers for `hookline log show`. Only what',
    'happened in this project is replayed, unless you pass --everywhere or name a journal.',
    '',
    'Nothing happens again. Rules, and built-ins that only look at the event, run again. For hooks that act or look at the world',
    '(commands, HTTP, models, residents, built-ins that read files or start programs), the answer in the journal is used,',
    'if the hook is still defined the same; otherwise they are listed as not replayed. --run runs hooks for real; only',
    'approved ones, unless you pass --trust.',
    '',
    'The journal has no secrets, and long texts may be clipped. Where that could matter, the recorded answer is used as',
    'long as the hook is the same; where it is not, the result is marked as uncertain.',
  ].join('\n'),
  options: {
    ...configOptions,
    policy: {
      value: 'directory',
      doc: 'Replay this policy of a fleet, signed or not, in place of the one in force; see `hookline policy`.',
    },
    group: { value: 'name', doc: 'With --policy: the policy of this group. Default: default.' },
    fleet: {
      value: 'url',
      doc: 'With --policy: on what the machines of this server have sent, instead of the journal here. Needs HOOKLINE_SERVER_TOKEN; of the filters, --since, --until and --limit.',
    },
    run: { value: 'hook|all', multiple: true, doc: 'Let this hook run for real, whatever it does; or all of them.' },
    trust: { value: 'all|digest', multiple: true, doc: 'With --run: you trust these files, or that hook.' },
    limit: { value: 'number', doc: 'Only the last so many. Default: all.' },
    everywhere: {
      doc: 'Also what happened outside this project; without it, only a journal that is named is taken whole.',
    },
    'fail-on-change': { doc: 'Exit with 1 if anything would change.' },
    ...filterOptions,
    ...readingOptions,
    json: { doc: 'Print one JSON object: replayed, unchanged, changes, not_replayed, impossible, slower.' },
  },
  examples: [
    'hookline replay --since 7d',
    'hookline replay --config candidate.yaml --decision none --tool shell',
    'hookline replay --policy policy --everywhere --since 7d',
    'hookline replay --policy policy --fleet https://hooks.example.com --since 7d',
    'hookline replay --config candidate.yaml --fail-on-change --json | jq .changes',
  ],
  exits: {
    1: 'With --fail-on-change: something would change. Or the config could not be read.',
    64: 'Wrong usage.',
  },
  async run(invocation) {
    const { values, output, errors } = invocation
    if (values['fleet'] !== undefined) return onFleet(invocation)
    const runs = runsOf(texts(values['run']))
    const isNamed = values['journal'] !== undefined || values['project'] !== undefined
    const isWhole = values['everywhere'] === true || isNamed
    const within = isWhole ? {} : { within: projectAt(workingDirectory(values)) }
    const filter = { synthetic: false, ...within, ...filterFrom(values) }
    const limit = readLimit(values) ?? Number.POSITIVE_INFINITY
    const file = await journalToRead(invocation)
    const result = await replayAll(invocation, file, { runs, filter, limit })
    if (values['json']) output.write(`${JSON.stringify(replayAsJson(result), null, 2)}\n`)
    else for (const line of showReplay(result, file, paintFor(output), widthOf(output))) output.write(`${line}\n`)
    if (result.replayed === 0) errors.write(`${nothingReplayed(result, file, isWhole)}\n`)
    return values['fail-on-change'] && result.counts.size > 0 ? 1 : 0
  },
})

async function onFleet(invocation: Invocation): Promise<number> {
  const { values, output } = invocation
  const { replayOnFleet, showFleetReplay } = await import('../replay/fleet.ts')
  const directory = text(values['policy'])
  if (directory === undefined) throw new UsageError('`--fleet` goes with `--policy`: which policy shall be tried?')
  const [url, group] = [text(values['fleet'])!, text(values['group'])]
  const file = candidateIn(directory, group)
  const { since, until } = filterFrom(values)
  const limit = readLimit(values)
  const result = await replayOnFleet(invocation, {
    ...{ url, policy: { text: readFileSync(file, 'utf8'), ...(group !== undefined && { group }) } },
    ...{ since, until, ...(limit !== undefined && Number.isFinite(limit) && { limit }) },
  })
  if (values['json']) output.write(`${JSON.stringify(result, null, 2)}\n`)
  else output.write(`${showFleetReplay(result, url, paintFor(output), shownOfEach).join('\n')}\n`)
  return values['fail-on-change'] && Object.keys(result.counts).length > 0 ? 1 : 0
}

function nothingReplayed({ impossible, payloads }: ReplayedAll, file: string, isWhole: boolean): string {
  if (payloads !== 'full' || [...impossible.keys()].some((why) => why.includes('kept')))
    return [
      `Nothing in ${file} can be replayed: events were recorded without their payloads, so neither what happened nor in which project is known.`,
      'Set `journal: { payload: full }` in your own config, which is the default; what is recorded from then on can be replayed.',
    ].join(' ')
  if (impossible.size > 0) return 'Nothing was replayed.'
  const scope = isWhole ? '' : ' Only this project was searched; `--everywhere` takes all.'
  return `Nothing was replayed: no entry in ${file} matches.${scope}`
}

/** As if it were published and in force, whatever its mode: what it would block is what one wants to see. */
function withCandidate(files: readonly ConfigFile[], values: Invocation['values']): ConfigFile[] {
  const [directory, group] = [text(values['policy']), text(values['group'])]
  if (directory === undefined) {
    if (group !== undefined) throw new UsageError('`--group` goes with `--policy`.')
    return [...files]
  }
  const others = files.filter(({ layer }) => layer !== 'fleet')
  const file = candidateIn(directory, group)
  return inOrder([...others, { file, layer: 'fleet', dialect: 'native', candidate: true }])
}

/** The policy of a group as it lies there, which is the default one where the group has none. */
function candidateIn(directory: string, group = 'default'): string {
  const own = resolve(directory, group, policyName)
  const file = existsSync(own) ? own : resolve(directory, 'default', policyName)
  if (!existsSync(file)) throw new UsageError(`There is no policy in ${directory}: ${own} is missing.`)
  return file
}

interface ReplayedAll extends Replayed {
  /** What the journal keeps of payloads, as it is set now. */
  payloads: 'full' | 'digest' | 'none'
}

interface What {
  runs: (hook: Hook) => boolean
  filter: JournalFilter
  limit: number
}

async function replayAll(invocation: Invocation, file: string, { runs, filter, limit }: What): Promise<ReplayedAll> {
  const { values, errors } = invocation
  const {
    files: found,
    cwd,
    settings,
  } = await configured(invocation, [], {
    quiet: true,
    mayBeNone: values['policy'] !== undefined,
  })
  const files = withCandidate(found, values)
  const { payload: payloads = 'full' } = settings.journal || {}
  const { trust } = await trustBy(texts(values['trust']))
  const parts = partsToRead(file)
  const progress = shareOn(errors, 'Replaying', sizeOf(parts))
  const warn = (note: Note) => void errors.write(`${formatNote(note)}\n`)
  try {
    const replayed = await replayFiles({
      ...{ files, cwd, parts, filter, limit, runs, onNote: warn, onRead: progress.add },
      ...(trust && { trust }),
      most: values['json'] ? Number.POSITIVE_INFINITY : shownOfEach,
      onHooks(hooks) {
        for (const id of texts(values['run'])) if (id !== 'all') mustExist(id, hooks.hooks)
        for (const note of hooks.notes) warn(note)
      },
    })
    return { ...replayed, payloads }
  } finally {
    progress.end()
  }
}

function runsOf(named: readonly string[]): (hook: Hook) => boolean {
  const ids = new Set(named)
  return ids.has('all') ? () => true : ({ id }) => ids.has(id)
}

function mustExist(id: string, hooks: readonly Hook[]): void {
  if (!hooks.some((hook) => hook.id === id))
    throw new UsageError(`\`--run\`: no hook here is called \`${id}\`. \`hookline list\` shows their names.`)
}
