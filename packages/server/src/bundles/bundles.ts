import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ConfigFile,
  HooklineError,
  hooksInText,
  type Inspection,
  isRecord,
  isWaiting,
  openTrust,
  parseConfig,
  unapproved,
  writeWhole,
} from 'hookline/internal'

/** One bundle that somebody has registered. */
export interface Registered {
  name: string
  doc: string
  parameters: Readonly<Record<string, unknown>>
  hooks: readonly string[]
}

/** Which bundles an agent uses, and which of its hooks and rules are muted, by id or pattern. */
export interface Assigned {
  use: readonly { bundle: string; with?: Readonly<Record<string, unknown>> | undefined }[]
  disabled: readonly string[]
}

/**
 * Bundles that are registered once and assigned to agents. They are files like those that people write, of the layer `project`: what only
 * tightens holds at once, what runs or loosens holds once its exact bytes are approved.
 */
export interface RegisteredBundles {
  list(): Promise<Registered[]>
  /** Throws what is wrong with it, and changes nothing then. `mayReplace` throws where the one of that name must stay. */
  register(text: string, mayReplace: () => void): Promise<Registered>
  remove(name: string): boolean
  assignedTo(agent: string): Promise<Assigned>
  /** Throws when the config does not load; gives back what waits for approval. */
  assign(agent: string, assigned: Assigned, project: string): Promise<Inspection[]>
  approve(agent: string, project: string): Promise<Inspection[]>
  /** For the sessions of this agent. */
  configsFor(agent: string): Promise<readonly ConfigFile[]>
}

interface Bundle extends Partial<Omit<Registered, 'hooks'>> {
  name: string
  hooks?: readonly { id: string }[]
  rules?: readonly { id?: string }[]
}

const extension = '.json'
const nothingAssigned: Assigned = { use: [], disabled: [] }

export function openBundles(directory: string): RegisteredBundles {
  const fileOf = (name: string) => join(directory, 'bundles', `${name}${extension}`)
  const configOf = (agent: string): ConfigFile => ({
    ...{ file: join(directory, 'agents', `${agent}${extension}`), layer: 'project', dialect: 'native' },
  })

  async function read(file: string): Promise<Registered> {
    const document = await documentIn(readFileSync(file, 'utf8'), file)
    const { name, doc = '', parameters = {}, hooks = [], rules = [] } = document as unknown as Bundle
    const ids = [...hooks, ...rules].flatMap(({ id }) => id ?? [])
    return { name, doc, parameters, hooks: ids.map((id) => `${name}:${id}`) }
  }

  async function assignedTo(agent: string): Promise<Assigned> {
    const { file } = configOf(agent)
    if (!existsSync(file)) return nothingAssigned
    const { use = [], disabled = [] } = (await documentIn(readFileSync(file, 'utf8'), file)) as unknown as Assigned
    return { use: use.map((each) => ({ ...each, bundle: nameIn(each.bundle) })), disabled }
  }

  const waiting = async (agent: string, project: string) =>
    (await unapproved(configOf(agent), project, () => true)).filter(isWaiting)

  return {
    async list() {
      const files = existsSync(join(directory, 'bundles')) ? readdirSync(join(directory, 'bundles')) : []
      const names = files.filter((name) => /^[\w.-]+\.json$/.test(name) && !name.startsWith('.'))
      return Promise.all(names.map((name) => read(join(directory, 'bundles', name))))
    },
    async register(text, mayReplace) {
      const document = await documentIn(text, 'the bundle.yaml')
      const place = join(directory, 'bundles')
      mkdirSync(place, { recursive: true, mode: 0o700 })
      const draft = join(place, `.${randomUUID()}${extension}`)
      try {
        await writeWhole(draft, `${JSON.stringify(document, null, 2)}\n`)
        // As it would be used, with what its parameters are by default.
        await hooksInText(
          { ...configOf('draft'), file: join(place, 'draft.json') },
          JSON.stringify({ version: 1, use: [{ bundle: draft }] }),
        )
        const registered = await read(draft)
        if (existsSync(fileOf(registered.name))) mayReplace()
        renameSync(draft, fileOf(registered.name))
        return registered
      } finally {
        rmSync(draft, { force: true })
      }
    },
    remove(name) {
      const file = fileOf(name)
      if (!existsSync(file)) return false
      rmSync(file)
      return true
    },
    assignedTo,
    async assign(agent, { use, disabled }, project) {
      const config = configOf(agent)
      mkdirSync(join(directory, 'agents'), { recursive: true, mode: 0o700 })
      const uses = use.map((each) => ({
        ...each,
        bundle: existsSync(fileOf(each.bundle)) ? fileOf(each.bundle) : each.bundle,
      }))
      const text = `${JSON.stringify({ version: 1, use: uses, ...(disabled.length > 0 && { disabled }) }, null, 2)}\n`
      await hooksInText(config, text)
      await writeWhole(config.file, text)
      return waiting(agent, project)
    },
    async approve(agent, project) {
      const found = await waiting(agent, project)
      if (found.length > 0) await openTrust().approve(found, found)
      return found
    },
    configsFor: async (agent) => (existsSync(configOf(agent).file) ? [configOf(agent)] : []),
  }
}

/** Of a bundle of ours, its name; of a registered one, what its file is called. */
const nameIn = (bundle: string): string =>
  /[/\\]/.test(bundle) ? bundle.replace(/^.*[/\\]/, '').replace(/\.json$/, '') : bundle

async function documentIn(text: string, file: string): Promise<Record<string, unknown>> {
  const parsed = await parseConfig(text, file)
  if (!parsed.ok) throw new HooklineError(parsed.problem)
  return isRecord(parsed.document) ? parsed.document : {}
}
