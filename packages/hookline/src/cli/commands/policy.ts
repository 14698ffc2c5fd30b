import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { fleetDirectory, policyName } from '../../fleet/index.ts'
import type { ListSigned, RootSigned, Signer, TargetsSigned } from '../../fleet/publish/index.ts'
import { defineCommand, type Invocation, text, texts, UsageError } from '../command.ts'
import { usable } from '../policy/follow.ts'
import { passphraseFor } from '../policy/passphrase.ts'
import { columns } from '../text/layout.ts'
import { paintFor } from '../text/paint.ts'

const load = () => import('../../fleet/publish/index.ts')
const settings = () => import('../policy/settings.ts')

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
    const passphrase = await newPassphrase(invocation)
    for (const place of [join(directory, 'default'), parts.keys]) mkdirSync(place, { recursive: true, mode: 0o700 })
    put(parts.settings, firstSettings)
    put(join(directory, 'default', policyName), firstPolicy)
    put(join(directory, '.gitignore'), 'keys/\n')
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
      'Next: `hookline policy sign`, then `hookline policy publish`.',
    ])
    return 0
  },

  async sign(invocation, directory) {
    const { sign } = await load()
    const { readFleetSettings } = await settings()
    const fleet = await readFleetSettings(directory)
    await mustWork(directory)
    const staged = sign(directory, fleet, await signersFor(invocation, directory, ['policy', 'root']))
    const missing = staged.filter((each) => each.missing !== undefined)
    say(invocation, { staged }, [
      ...(staged.length === 0 ? ['Nothing has changed since it was published.'] : []),
      ...staged.map(({ kind, version, missing }) =>
        missing === undefined
          ? `${kind === 'root' ? 'The root' : 'The policy'} ${version} is signed. Next: \`hookline policy publish\`.`
          : `${kind === 'root' ? 'The root' : 'The policy'} ${version} waits for more signatures: ${missing}. Others sign with \`hookline policy sign --key <file>\`.`,
      ),
    ])
    return missing.length > 0 ? 1 : 0
  },

  async publish(invocation, directory) {
    const { freshen, partsOf, publish } = await load()
    const { readFleetSettings } = await settings()
    const fleet = await readFleetSettings(directory)
    const [online] = await signersFor(invocation, directory, ['online'])
    if (invocation.values['refresh']) {
      freshen(partsOf(directory).public, online!, fleet.expires.freshness)
      say(invocation, { refreshed: true }, [`Renewed, for ${fleet.expires.freshness} days.`])
      return 0
    }
    await mustWork(directory)
    const published = publish(directory, fleet, online!)
    say(invocation, published, [`Published: policy ${published.policy}, in ${partsOf(directory).public}.`])
    return 0
  },

  async rotate(invocation, directory, [role, ...more]) {
    if ((role !== 'root' && role !== 'policy' && role !== 'online') || more.length > 0)
      throw new UsageError('`hookline policy rotate` takes `root`, `policy` or `online`.')
    const { partsOf, rotate } = await load()
    const { readFleetSettings } = await settings()
    const count = role === 'online' ? 1 : numberOf(invocation, `${role}-keys`)
    const passphrase = role === 'online' ? undefined : await newPassphrase(invocation)
    const made = await make(invocation, partsOf(directory).keys, role, count, passphrase)
    rotate(directory, await readFleetSettings(directory), role, made.signers, made.threshold)
    say(invocation, { role, keys: made.signers.map(({ id }) => id) }, [
      `New ${role} keys are in ${partsOf(directory).keys}. The old ones count until this is published.`,
      'Next: `hookline policy sign` with the root keys, then `hookline policy publish`.',
    ])
    return 0
  },

  async status(invocation, directory) {
    const { mustHaveRoot, newest, partsOf, readMetadata } = await load()
    const { public: place, staged } = partsOf(directory)
    const root = mustHaveRoot(directory)
    const parts = {
      root: root.signed,
      policy: newest<TargetsSigned>(place, 'targets')?.signed,
      freshness: readMetadata<ListSigned>(join(place, 'timestamp.json'))?.signed,
    }
    const waiting = existsSync(staged) ? readdirSync(staged).map((name) => name.replace(/\.json$/, '')) : []
    const rows = Object.entries(parts).map(([name, signed]) => [
      name,
      signed ? `version ${signed.version}` : 'never published',
      signed ? `${Date.parse(signed.expires) < Date.now() ? 'EXPIRED' : 'good until'} ${signed.expires}` : '',
      signersOf(root.signed, name as keyof typeof roleOf),
    ])
    const shown = Object.fromEntries(
      Object.entries(parts).map(([name, signed]) => [
        name,
        signed ? { version: signed.version, expires: signed.expires } : null,
      ]),
    )
    say(invocation, { ...shown, waiting, root_sha256: digestOfRoot(place) }, [
      ...columns(rows),
      `root digest  sha256:${digestOfRoot(place)}`,
      ...(waiting.length > 0 ? [`Waiting to be signed or published: ${waiting.join(', ')}.`] : []),
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
      if (!(error instanceof Unreachable)) throw error
      throw wrong(error.message, 'Check the network and the server; the policy before stays in force.')
    }
  },
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
  const { groupsIn } = await load()
  for (const group of groupsIn(directory)) {
    const file = join(directory, group, policyName)
    if (existsSync(file)) await usable(file)
  }
}

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

/** Those that are named; else those of these roles that lie in keys/. One passphrase for all, until one does not fit. */
async function signersFor(invocation: Invocation, directory: string, roles: readonly string[]): Promise<Signer[]> {
  const { openKey, partsOf, wrong } = await load()
  const { keys } = partsOf(directory)
  const isOf = (name: string) => roles.some((role) => name.startsWith(`${role}-`)) && name.endsWith('.json')
  const lying = existsSync(keys) ? readdirSync(keys).filter(isOf).sort().reverse() : []
  const named = texts(invocation.values['key']).map((file) => resolve(file))
  const files = named.length > 0 ? named : lying.map((name) => join(keys, name))
  if (files.length === 0) throw wrong(`There is no ${roles.join(' or ')} key in ${keys}.`, 'Name one: `--key <file>`.')
  let typed: string | undefined
  const passphrase = async (file: string) => {
    typed ??= await passphraseFor(invocation, `The passphrase of ${file}`)
    return typed
  }
  const signers: Signer[] = []
  for (const file of files) signers.push(await openKey(file, passphrase))
  return newestFirst(files, signers)
}

/** After a rotation several keys of a role lie there: the newest file goes first. */
function newestFirst(files: readonly string[], signers: readonly Signer[]): Signer[] {
  const times = files.map((file) => statSync(file).mtimeMs)
  return signers
    .map((signer, at) => ({ signer, at: times[at]! }))
    .sort((a, b) => b.at - a.at)
    .map(({ signer }) => signer)
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
