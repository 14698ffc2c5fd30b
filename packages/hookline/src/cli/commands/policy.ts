import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fleetDirectory, policyName } from '../../fleet/index.ts'
import type { ListSigned, RootSigned, Signer, Staged, TargetsSigned } from '../../fleet/publish/index.ts'
import { quoteWord } from '../../shell/index.ts'
import { defineCommand, type Invocation, text, UsageError } from '../command.ts'
import { usable } from '../policy/follow.ts'
import { passphraseFor } from '../policy/passphrase.ts'
import { columns } from '../text/layout.ts'
import { paintFor } from '../text/paint.ts'

const load = () => import('../../fleet/publish/index.ts')
const settings = () => import('../policy/settings.ts')
const signersFor = async (...given: Parameters<typeof import('../policy/signers.ts').signersFor>) =>
  (await import('../policy/signers.ts')).signersFor(...given)

export const command = defineCommand({
  name: 'policy',
  summary: 'Write one policy for a fleet: make its keys, sign, publish and rotate; fetch it on a machine.',
  usage: 'policy init|sign|publish|rotate|status|fetch [options]',
  doc: [
    'A policy is a directory: `default/hookline.yaml` for every machine, a directory for each group that has another one, scripts',
    'beside, and `fleet.yaml` for what holds for all. It is signed as TUF has it (theupdateframework.io), and published as plain',
    'files in `repository/`, which `hookline serve --policy <directory>`, any web server, a bucket or a git checkout can serve.',
    '',
    '  init      makes the directory and three keys: root and policy, which stay offline, and online',
    '  sign      signs the policy as it lies there with the policy key; more people add their signatures with --key',
    '  publish   puts what is signed into repository/, and renews its freshness with the online key',
    '  rotate    replaces the keys of root, policy or online; sign it with the root key, then publish',
    '  status    shows versions, keys, thresholds, when each part expires, and what waits for signatures',
    '  fetch     on a machine that is enrolled: fetches its policy now, and says what is wrong',
  ].join('\n'),
  options: {
    dir: { value: 'directory', doc: 'Where the policy lies. Default: here.' },
    key: { value: 'file', multiple: true, doc: 'Sign with this key. Default: those in keys/ that fit.' },
    'root-keys': { value: 'number', doc: 'With `init` and `rotate root`: how many root keys to make. Default: 1.' },
    'policy-keys': { value: 'number', doc: 'With `init` and `rotate policy`: how many policy keys. Default: 1.' },
    threshold: { value: 'number', doc: 'With `init` and `rotate`: how many of the new keys must sign. Default: all.' },
    'passphrase-file': { value: 'file', doc: 'Read the passphrase of the keys there.' },
    'no-passphrase': {
      doc: 'With `init` and `rotate`: whoever reads the key files can sign. For keys that lie in a vault.',
    },
    refresh: { doc: 'With `publish`: only renew the freshness, with the online key alone. For cron.' },
    json: { doc: 'Print one JSON object.' },
  },
  choices: ['init', 'sign', 'publish', 'rotate', 'status', 'fetch'],
  examples: [
    'hookline policy init --dir policy',
    'hookline policy sign --dir policy',
    'hookline policy publish --dir policy',
    'hookline replay --policy policy',
  ],
  exits: { 1: 'Something is wrong with the policy or a key, or signatures are missing.', 64: 'Wrong usage.' },
  async run(invocation) {
    const [action, ...rest] = invocation.positionals
    const known = action !== undefined && Object.hasOwn(actions, action)
    if (!known || (rest.length > 0 && action !== 'rotate'))
      throw new UsageError('`hookline policy` takes `init`, `sign`, `publish`, `rotate`, `status` or `fetch`.')
    return actions[action]!(invocation, resolve(text(invocation.values['dir']) ?? '.'), rest)
  },
})

type Action = (invocation: Invocation, directory: string, rest: readonly string[]) => Promise<number>

const actions: Readonly<Record<string, Action>> = {
  async init(invocation, directory) {
    const { makeRoot, partsOf, wrong } = await load()
    const { firstPolicy, firstSettings, readFleetSettings } = await settings()
    const parts = partsOf(directory)
    if (existsSync(parts.public) || existsSync(parts.keys))
      throw wrong(`There is a policy in ${directory} already.`, 'Choose another directory: `--dir <directory>`.')
    mustHaveKeys(invocation, Math.max(numberOf(invocation, 'root-keys'), numberOf(invocation, 'policy-keys')))
    const passphrase = await newPassphrase(invocation)
    for (const place of [join(directory, 'default'), parts.keys]) mkdirSync(place, { recursive: true, mode: 0o700 })
    put(parts.settings, firstSettings)
    put(join(directory, 'default', policyName), firstPolicy)
    put(join(directory, '.gitignore'), 'keys/\n')
    // Machines refuse what git has spelt otherwise.
    put(join(directory, '.gitattributes'), 'repository/** -text\n')
    const online = await make(invocation, parts.keys, 'online', 1, undefined)
    makeRoot(
      directory,
      {
        root: await make(invocation, parts.keys, 'root', numberOf(invocation, 'root-keys'), passphrase),
        policy: await make(invocation, parts.keys, 'policy', numberOf(invocation, 'policy-keys'), passphrase),
        online: online.signers[0]!,
      },
      await readFleetSettings(directory),
    )
    say(invocation, { directory, root: digestOfRoot(parts.public) }, [
      `A policy is in ${directory}. It only watches at first (\`mode: shadow\` in fleet.yaml).`,
      `Its keys are in ${parts.keys}: keep root and policy keys elsewhere, offline; the server needs the online one alone.`,
      `Machines can pin its root: sha256:${digestOfRoot(parts.public)}`,
      '',
      `Next: ${shown(invocation, 'sign')}, then ${shown(invocation, 'publish')}.`,
    ])
    return 0
  },

  async sign(invocation, directory) {
    const { sign } = await load()
    const { readFleetSettings } = await settings()
    const fleet = await readFleetSettings(directory)
    await mustWork(directory)
    const staged = sign(directory, fleet, await signersFor(invocation, directory, ['policy', 'root']))
    const isWhole = staged.every(({ missing }) => missing === undefined)
    say(invocation, { staged }, [
      ...(staged.length === 0 ? ['Nothing has changed since it was published.'] : []),
      ...staged.map(waits),
      ...(isWhole && staged.length > 0 ? [`Next: ${shown(invocation, 'publish')}.`] : []),
    ])
    return isWhole ? 0 : 1
  },

  async publish(invocation, directory) {
    const { freshen, partsOf, publish } = await load()
    const { readFleetSettings } = await settings()
    const fleet = await readFleetSettings(directory)
    const online = await signersFor(invocation, directory, ['online'])
    if (invocation.values['refresh']) {
      freshen(partsOf(directory).public, online, fleet.expires.freshness)
      say(invocation, { refreshed: true }, [`Renewed, for ${fleet.expires.freshness} days.`])
      return 0
    }
    await mustWork(directory)
    const published = publish(directory, fleet, online)
    say(invocation, published, [`Published: policy ${published.policy}, in ${partsOf(directory).public}.`])
    return 0
  },

  async rotate(invocation, directory, [role, ...more]) {
    if ((role !== 'root' && role !== 'policy' && role !== 'online') || more.length > 0)
      throw new UsageError('`hookline policy rotate` takes `root`, `policy` or `online`.')
    const { partsOf, rotate } = await load()
    const { readFleetSettings } = await settings()
    const count = role === 'online' ? 1 : numberOf(invocation, `${role}-keys`)
    mustHaveKeys(invocation, count)
    const passphrase = role === 'online' ? undefined : await newPassphrase(invocation)
    const made = await make(invocation, partsOf(directory).keys, role, count, passphrase)
    rotate(directory, await readFleetSettings(directory), role, made.signers, made.threshold)
    say(invocation, { role, keys: made.signers.map(({ id }) => id) }, [
      `New ${role} keys are in ${partsOf(directory).keys}. The old ones count until this is published.`,
      `Next: ${shown(invocation, 'sign')} with the root keys, then ${shown(invocation, 'publish')}.`,
    ])
    return 0
  },

  async status(invocation, directory) {
    const { mustHaveRoot, newest, partsOf, readMetadata, waitingIn } = await load()
    const { public: place } = partsOf(directory)
    const root = mustHaveRoot(directory)
    const parts = {
      root: root.signed,
      policy: newest<TargetsSigned>(place, 'targets')?.signed,
      freshness: readMetadata<ListSigned>(join(place, 'timestamp.json'))?.signed,
    }
    const waiting = waitingIn(directory)
    const rows = Object.entries(parts).map(([name, signed]) => [
      name,
      signed ? `version ${signed.version}` : 'never published',
      signed ? goodUntil(signed.expires) : '',
      signersOf(root.signed, name as keyof typeof roleOf),
    ])
    const described = Object.fromEntries(
      Object.entries(parts).map(([name, signed]) => [
        name,
        signed ? { version: signed.version, expires: signed.expires } : null,
      ]),
    )
    say(invocation, { ...described, waiting: waiting.map(({ kind }) => kind), root_sha256: digestOfRoot(place) }, [
      ...columns(rows),
      `root digest  sha256:${digestOfRoot(place)}`,
      ...waiting.map(waits),
    ])
    return 0
  },

  async fetch(invocation) {
    const directory = fleetDirectory()
    const { wrong } = await load()
    if (directory === undefined)
      throw wrong('This machine is enrolled nowhere.', 'Enrol it: `hookline enroll <url> --token …`.')
    if (!isOurs(directory))
      throw wrong(
        'This machine was enrolled by root: its policy is fetched by the daemon of root.',
        'To fetch it now, run this as root.',
      )
    const { fetchPolicy, sourceOf, Unreachable } = await import('../../fleet/fetch/index.ts')
    try {
      const isNew = await fetchPolicy(directory, sourceOf(directory), usable)
      say(invocation, { new: isNew }, [isNew ? 'A new policy is in force.' : 'The policy in force is the newest.'])
      return 0
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException
      if (syscall !== undefined)
        throw wrong(
          `The policy cannot be written to ${directory}: ${code}. The one before stays in force.`,
          'Make room there, or look at its permissions.',
        )
      if (!(error instanceof Unreachable)) throw error
      throw wrong(error.message, 'Check the network and the server; the policy before stays in force.')
    }
  },
}

/** What was signed and is not published, in words. */
function waits({ kind, version, missing }: Staged): string {
  const what = `The ${kind === 'root' ? 'root' : 'policy'} ${version}`
  if (missing === undefined) return `${what} is signed, and waits to be published.`
  const lost =
    kind === 'root'
      ? 'Without enough root keys, only a new policy helps (`hookline policy init`), for which machines enrol anew.'
      : 'If a policy key is lost, the root key replaces it: `hookline policy rotate policy`.'
  return `${what} waits for signatures: ${missing}. Others sign with \`hookline policy sign --key <file>\`. ${lost}`
}

/** A command for the same directory. */
function shown({ values }: Invocation, action: string): string {
  const directory = text(values['dir'])
  return `\`hookline policy ${action}${directory === undefined ? '' : ` --dir ${quoteWord(directory)}`}\``
}

function isOurs(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const roleOf = { root: 'root', policy: 'targets', freshness: 'timestamp' } as const

function goodUntil(expires: string): string {
  const days = Math.floor((Date.parse(expires) - Date.now()) / 86_400_000)
  return days < 0 ? `EXPIRED ${expires}` : `good until ${expires}, ${days === 1 ? 'a day' : `${days} days`}`
}

function signersOf({ roles }: RootSigned, name: keyof typeof roleOf): string {
  const { keyids, threshold } = roles[roleOf[name]]
  return `${threshold} of ${keyids.length} key${keyids.length === 1 ? '' : 's'}: ${keyids.map((id) => id.slice(0, 8)).join(', ')}`
}

const digestOfRoot = (place: string): string =>
  createHash('sha256')
    .update(readFileSync(join(place, 'root.json')))
    .digest('hex')

/** A policy that this version cannot use, no machine gets. */
async function mustWork(directory: string): Promise<void> {
  const { groupsIn, wrong } = await load()
  for (const group of groupsIn(directory)) {
    const file = join(directory, group, policyName)
    if (!existsSync(file)) continue
    await usable(file)
    const lost = scriptsIn(readFileSync(file, 'utf8')).find(({ path }) => !existsSync(join(directory, group, path)))
    if (lost !== undefined)
      throw wrong(
        `${file}:${lost.line} runs ${lost.path}, which is not beside it, so it would block whatever it judges.`,
        `Put it into ${join(directory, group, lost.path)}.`,
      )
  }
}

/** What a policy names of its own files, where that is no pattern. */
const scriptsIn = (policy: string): { path: string; line: number }[] =>
  policy
    .split('\n')
    .flatMap((text, at) =>
      /^\s*#/.test(text)
        ? []
        : [...text.matchAll(/\$(?:HOOKLINE_POLICY|\{HOOKLINE_POLICY\})"?\/([\w@+-][\w./@+-]*)(?![\w./@+$*?{[-])/g)].map(
            ([, path]) => ({ path: path!, line: at + 1 }),
          ),
    )

async function newPassphrase(invocation: Invocation): Promise<string | undefined> {
  if (invocation.values['no-passphrase']) return undefined
  return passphraseFor(invocation, 'A passphrase for the new keys', true)
}

async function make(invocation: Invocation, keys: string, role: string, count: number, passphrase: string | undefined) {
  const { makeKey } = await load()
  mkdirSync(keys, { recursive: true, mode: 0o700 })
  const threshold = Math.min(numberOf(invocation, 'threshold', count), count)
  const signers: Signer[] = []
  for (let at = 1; signers.length < count; at++) {
    const file = join(keys, `${role}-${at}.json`)
    if (!existsSync(file)) signers.push(makeKey(file, passphrase))
  }
  return { signers, threshold: role === 'online' ? 1 : threshold }
}

/** More than there are could never sign. */
function mustHaveKeys(invocation: Invocation, count: number): void {
  if (numberOf(invocation, 'threshold', 1) > count)
    throw new UsageError(`\`--threshold\` is more than the ${count === 1 ? 'one key' : `${count} keys`} of it.`)
}

function numberOf({ values }: Invocation, name: string, usual = 1): number {
  const given = Number(text(values[name]) ?? usual)
  if (Number.isInteger(given) && given >= 1 && given <= 20) return given
  throw new UsageError(`\`--${name}\` takes a number from 1 to 20.`)
}

function put(file: string, content: string): void {
  if (!existsSync(file)) writeFileSync(file, content)
}

function say({ values, output }: Invocation, json: object, lines: readonly string[]): void {
  if (values['json']) output.write(`${JSON.stringify(json)}\n`)
  else
    output.write(`${lines.map((line) => (line.includes('EXPIRED') ? paintFor(output).red(line) : line)).join('\n')}\n`)
}
