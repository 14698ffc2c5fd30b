import { readFile } from 'node:fs/promises'
import { renderRehearsalSchema } from '../packages/agent/src/commands.ts'
import { conditionSchema, scriptSchema, turnSchema } from '../packages/agent/src/models/rehearsal/script.ts'
import { channelKinds } from '../packages/agent/src/outbound/index.ts'
import { agentShape, modelShape, unsupported } from '../packages/agent/src/team/shape.ts'
import { toolsets } from '../packages/agent/src/tools/index.ts'
import { documentBuiltins } from '../packages/hookline/src/builtins/document.ts'
import { caseSections, renderCaseSchema } from '../packages/hookline/src/cli/cases/schema.ts'
import { commands } from '../packages/hookline/src/cli/commands/index.ts'
import { renderReference } from '../packages/hookline/src/cli/text/topics.ts'
import {
  configSections,
  fieldTable,
  fillSections,
  renderErrors,
  renderEvents,
  renderSchema,
  table,
} from '../packages/hookline/src/config/document.ts'
import { dialectSections } from '../packages/hookline/src/dialects/document.ts'
import { dialectNames, loadDialect, ourDialects } from '../packages/hookline/src/dialects/index.ts'
import { createExecutors, executorTypes } from '../packages/hookline/src/executors/index.ts'
import { renderClientTable } from '../packages/hookline/src/hosts/client-table.ts'
import { hostSections } from '../packages/hookline/src/hosts/document.ts'
import { hostNames, installable, loadHost } from '../packages/hookline/src/hosts/index.ts'
import { providers } from '../packages/hookline/src/platform/providers.ts'
import { routes } from '../packages/server/src/routes/index.ts'
import { renderClientApi } from './client-types.ts'

/** Every file that is made from the tables: its path from the root, and what it should hold. */
export async function makeArtefacts(root: URL): Promise<Record<string, string>> {
  const executors: Awaited<ReturnType<typeof createExecutors>> = {}
  // One after the other: the TypeScript loader hands out modules that are still being evaluated.
  for (const type of executorTypes) Object.assign(executors, await createExecutors([type]))
  try {
    const members = Object.values(executors)
    const config = await readFile(new URL('docs/config.md', root), 'utf8')
    const testing = await readFile(new URL('docs/testing.md', root), 'utf8')
    const rehearsal = await readFile(new URL('docs/rehearsal.md', root), 'utf8')
    const agentFiles = await readFile(new URL('docs/agent-files.md', root), 'utf8')
    const agentTools = await readFile(new URL('docs/agent-tools.md', root), 'utf8')
    const dialectsPage = await readFile(new URL('docs/dialects.md', root), 'utf8')
    const dialects = await Promise.all(dialectNames.map(loadDialect))
    const hosts = await Promise.all(hostNames.map(async (name) => (await loadHost(name))!))
    const hostsPage = await readFile(new URL('docs/hosts.md', root), 'utf8')
    const serverPage = await readFile(new URL('docs/server.md', root), 'utf8')
    const runs = JSON.parse(await readFile(new URL('docs/hosts-runs.json', root), 'utf8'))
    const agents = await Promise.all(installable.map(async (name) => (await loadHost(name))!))
    return {
      'packages/hookline/schema/hookline.schema.json': `${JSON.stringify(renderSchema(members), null, 2)}\n`,
      'packages/hookline/schema/hookline-test.schema.json': `${JSON.stringify(renderCaseSchema(), null, 2)}\n`,
      'packages/hookline/schema/rehearsal.schema.json': `${JSON.stringify(renderRehearsalSchema(), null, 2)}\n`,
      'packages/hookline/client/hosts.table': await renderClientTable(ourDialects),
      'docs/rehearsal.md': fillSections(rehearsal, rehearsalSections()),
      'docs/agent-files.md': fillSections(agentFiles, agentSections()),
      'docs/agent-tools.md': fillSections(agentTools, await toolSections()),
      'docs/events.md': renderEvents(),
      'docs/errors.md': renderErrors(),
      'docs/builtins.md': documentBuiltins(),
      'docs/cli.md': renderReference(await allCommands()),
      'docs/dialects.md': fillSections(dialectsPage, dialectSections(dialects, hosts)),
      'docs/hosts.md': fillSections(hostsPage, hostSections(agents, runs)),
      'packages/server/src/client/api.ts': renderClientApi(),
      'docs/server.md': fillSections(serverPage, { routes: routeTable() }),
      'docs/testing.md': fillSections(testing, caseSections()),
      'docs/config.md': fillSections(config, configSections(members)),
    }
  } finally {
    await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  }
}

const routeTable = (): string =>
  table(
    ['request', 'role', 'does'],
    Object.values(routes).map(({ method, path, needs, person, summary }) => [
      `\`${method.toUpperCase()} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}\``,
      needs === 'nobody' ? '–' : `${needs}${person ? ', a person' : ''}`,
      summary,
    ]),
  )

function rehearsalSections(): Record<string, string> {
  return {
    turn: fieldTable(turnSchema.shape),
    condition: fieldTable(conditionSchema.shape),
    script: fieldTable(scriptSchema.shape),
  }
}

async function toolSections(): Promise<Record<string, string>> {
  const sets: string[] = []
  for (const [type, load] of Object.entries(toolsets)) {
    const { doc, options, tools = [], sandboxed = [], outsideOnly } = await load()
    const rows = [...tools, ...sandboxed].map(({ name, description }) => [`\`${name}\``, description])
    const only = sandboxed.length > 0 ? `In the sandbox: ${sandboxed.map(({ name }) => `\`${name}\``).join(', ')}.` : ''
    const absent = outsideOnly === undefined ? '' : `Not in the sandbox: ${outsideOnly}.`
    const parts = [
      `### ${type}`,
      `${doc} ${only}${absent}`.trim(),
      rows.length > 0 ? table(['tool', 'does'], rows) : '',
    ]
    sets.push(...parts, Object.keys(options.shape).length > 0 ? fieldTable(options.shape) : '')
  }
  const channels = Object.entries(channelKinds).flatMap(([type, { doc, options }]) => [
    `### ${type}`,
    doc,
    Object.keys(options.shape).length > 0 ? fieldTable(options.shape) : '',
  ])
  const joined = (blocks: string[]) => `\n${blocks.filter((block) => block !== '').join('\n\n')}\n`
  return { toolsets: joined(sets), channels: joined(channels) }
}

function agentSections(): Record<string, string> {
  return {
    providers: table(
      ['provider', 'key', 'server'],
      Object.entries(providers).map(([name, { keyVariable, keyAliases = [], baseURL, protocol }]) => [
        `\`${name}\``,
        [keyVariable, ...keyAliases].flatMap((key) => (key ? [`\`${key}\``] : [])).join(', or ') || '–',
        baseURL ?? (protocol ? 'its own' : 'named by `base_url`'),
      ]),
    ),
    agent: fieldTable(agentShape.shape),
    model: fieldTable(modelShape.shape),
    unsupported: table(
      ['key', 'instead'],
      Object.entries(unsupported).flatMap(([place, keys]) =>
        Object.entries(keys).map(([key, instead]) => [`\`${key}\` of the ${place}`, instead]),
      ),
    ),
  }
}

/** One after the other: jiti gives half-loaded modules to whoever imports them meanwhile. */
async function allCommands() {
  const loaded = []
  for (const entry of Object.values(commands)) loaded.push((await entry.load()).command)
  return loaded
}
