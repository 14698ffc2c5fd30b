import * as z from 'zod/mini'
import { type BuiltinKit, defineBuiltin } from '../core/index.ts'
import { agentPlaces, checkPath } from '../guards/paths/index.ts'
import { absolute, judgePaths, judgeShell, unreadable, wordsOf } from './judge.ts'
import { argument, ask, deny, texts } from './parts.ts'
import { agentWithoutHooks } from './protection/agents.ts'
import { namedBy, typedText } from './protection/arguments.ts'
import { namedAgain, otherNameOf } from './protection/hard-links.ts'
import { throughLinks } from './protection/links.ts'
import { packageFindings } from './protection/our-package.ts'
import { loosensThrough } from './protection/our-program.ts'
import { isAbove, takenAway } from './protection/places.ts'
import { patchedBy, scriptsOf } from './protection/scripts.ts'
import { namesOurPlaces, namesOurSocket, speaksOfUs } from './protection/speech.ts'
import { undoneBy } from './protection/undone.ts'
import { doubtOf, waysAround } from './protection/ways-around.ts'
import { pathsOf, shellOf, type ToolCall } from './tools.ts'

export const selfProtection = defineBuiltin({
  name: 'self_protection',
  doc: 'Keeps the agent from changing what watches over it: hook configs, settings of agents, approvals, the journal, and files that you name, such as the scripts of your hooks.',
  events: ['pre_tool_use', 'tool_guard', 'permission_request'],
  args: z.strictObject({
    files: argument(texts, 'More files and directories to protect; relative ones from the working directory.', []),
  }),
  answer({ payload }, { files }, kit) {
    if (!couldWrite(payload, kit)) return undefined
    return refusal(payload, files, kit).then(({ reason, doubt }) => {
      if (reason !== undefined) return { decision: deny(`${reason} Ask the user to change it.`) }
      const unread = doubt ?? unreadable(judgeShell(payload, kit))
      return unread === undefined ? undefined : { decision: ask(unread) }
    })
  },
  does: ({ files }) => (files.length === 0 ? [] : ['quotes']),
  examples: [
    {
      title: 'editing the hooks',
      event: 'pre_tool_use',
      payload: { tool_name: 'edit_file', tool_input: { path: 'hookline.yaml', new_string: '' } },
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'the same through the shell',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'sed -i d .claude/settings.json' } },
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'a script that a hook runs',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'echo exit 0 > scripts/guard.sh' } },
      args: { files: ['scripts/guard.sh'] },
      expect: {
        decision: deny('It names {cwd}/scripts/guard.sh, which watches over the agent. Ask the user to change it.'),
      },
    },
    {
      title: 'a command that cannot be read to its end',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: `: ${'{a,b}'.repeat(14)}; rm -rf .hookline` } },
      expect: { decision: { ruling: 'ask' } as never },
    },
    {
      title: 'moving away the directory above them',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'mv ~/.config elsewhere' } },
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'approving in the place of a person',
      event: 'pre_tool_use',
      payload: {
        tool_name: 'shell',
        tool_input: { command: "printf 'y\\n' | script -qec 'npx hookline approve --all' /dev/null" },
      },
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'reading is fine',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'cat hookline.yaml' } },
      expect: undefined,
    },
    {
      title: 'other files are fine',
      event: 'pre_tool_use',
      payload: { tool_name: 'edit_file', tool_input: { path: 'src/a.ts' } },
      expect: undefined,
    },
  ],
  canary: {
    title: 'editing the hooks',
    event: 'pre_tool_use',
    payload: { tool_name: 'write_file', tool_input: { path: 'hookline.yaml', content: 'hooks: []' } },
    expect: { decision: { ruling: 'deny' } as never },
  },
})

/** Most calls neither name a file nor run anything doubtful: then no link need be followed. */
function couldWrite(call: ToolCall, kit: BuiltinKit): boolean {
  const judged = judgeShell(call, kit)
  if ((judged !== undefined && judged.verdict !== 'safe') || pathsOf(call, kit).length > 0) return true
  return namedBy(call).length > 0 || typedText(call) !== ''
}

interface Found {
  reason?: string | undefined
  /** Why the user is asked: it may be harmless. */
  doubt?: string | undefined
}

async function refusal(call: ToolCall, files: readonly string[], kit: BuiltinKit): Promise<Found> {
  const protectedPaths = [...files, ...kit.protectedFiles, kit.dataDir, ...usual.map((place) => `${kit.home}/${place}`)]
  let resolved: Promise<string[]> | undefined
  const own = () => {
    // By the name that leads there, too: who turns that link elsewhere takes away what is behind it.
    const names = protectedPaths.map((path) => absolute(path, kit))
    resolved ??= Promise.all(names.map((path) => kit.realpath(path))).then((real) => [...new Set([...real, ...names])])
    return resolved
  }
  const reason = (await writingRefusal(call, own, kit)) ?? (await shellRefusal(call, own, kit))
  return reason === undefined ? effectsRefusal(call, own, kit) : { reason }
}

/** Where hooks, approvals and the journal are, wherever a variable may have led this process. */
const usual = ['.config/hookline', '.local/state/hookline', '.local/share/hookline']

/** What is taken away with a directory above it, and what our own command line would loosen. */
async function effectsRefusal(call: ToolCall, own: () => Promise<readonly string[]>, kit: BuiltinKit): Promise<Found> {
  const { command = '', cwd = call.cwd ?? kit.cwd } = shellOf(call, kit) ?? {}
  const found = await kit.effectsOf?.({ tool: call.tool_name, input: call.tool_input }, { cwd, home: kit.home })
  if (!found) return {}
  const effects = throughLinks(found, cwd)
  const watched = { paths: await own(), cwd, workspace: kit.cwd }
  const taken = takenAway(effects, watched)
  if (taken !== undefined) return { reason: `It takes away ${taken}, which watches over the agent.` }
  const again = namedAgain(effects, watched)
  if (again !== undefined) return { reason: `It gives ${again} another name, and that watches over the agent.` }
  const undone = await undoneBy(effects, watched, kit)
  if (undone !== undefined) return { reason: `It undoes changes of ${undone}, which watches over the agent.` }
  const patched = await patchedBy(effects, command, kit, cwd)
  for (const path of [...effects.changes.flatMap(({ paths }) => paths), ...patched]) {
    const inside = watched.paths.find((kept) => isAbove(kept, path))
    if (inside !== undefined) return { reason: `It changes ${inside}, which watches over the agent.` }
    const { verdict, why } = checkPath({
      path: absolute(path, { cwd, home: kit.home }),
      access: 'write',
      cwd,
      home: kit.home,
    })
    if (verdict === 'sensitive' && steersAgents(why)) return { reason: why }
  }
  const written = effects.changes.flatMap(({ does, paths }) => (does === 'write' ? paths : []))
  const also = await otherNameOf([...written, ...patched], watched.paths, kit, steersAgents)
  if (also !== undefined) return { reason: `It changes ${also} by another name, and that watches over the agent.` }
  const loosens = await loosensThrough(effects, command, kit, cwd)
  if (loosens !== undefined) return { reason: `${onlyPersons} The command: ${loosens}` }
  const around = waysAround(effects, watched) ?? (await agentWithoutHooks(effects, command, kit, cwd))
  if (around !== undefined) return { reason: around }
  const packages = await packageFindings(effects, kit, cwd)
  if (packages.reason !== undefined) return { reason: packages.reason }
  const scripts = await scriptsOf(effects, command, kit, cwd)
  if (scripts.loosens !== undefined) return { reason: `${onlyPersons} It stands in ${scripts.loosens}.` }
  if (scripts.names !== undefined)
    return { doubt: `${scripts.names} mentions what watches over the agent, and would run.` }
  return { doubt: packages.doubt ?? doubtOf(effects) }
}

const onlyPersons = 'It changes the rules that watch over the agent, which only a person may do.'

/** Tools that make a directory be elsewhere, or nowhere: what lies in it goes with it. */
const movesAway = /move|rename|delete|remove|trash|unlink|symlink|chmod|extract|unpack|unzip|untar|mount|sync/i

/** The path guard ends its sentence with what lies there. */
const steersAgents = (why: string): boolean => agentPlaces.some(({ what }) => why.endsWith(`: ${what}.`))

async function writingRefusal(
  call: ToolCall,
  own: () => Promise<readonly string[]>,
  kit: BuiltinKit,
): Promise<string | undefined> {
  for (const use of await judgePaths(call, kit)) {
    if (use.access !== 'write') continue
    if (use.verdict === 'sensitive' && steersAgents(use.why)) return use.why
    const real = await kit.realpath(use.full)
    if ((await own()).some((path) => isAbove(path, real))) return `${use.path} watches over the agent.`
    if (movesAway.test(call.tool_name) && (await own()).some((path) => isAbove(real, path)))
      return `${use.path} holds what watches over the agent.`
  }
  // Tools that nobody has described name what they change by any key.
  for (const path of namedBy(call)) {
    const real = await kit.realpath(absolute(path, kit))
    const { verdict, why } = checkPath({ path, access: 'write', cwd: kit.cwd, home: kit.home, realpath: real })
    if (verdict === 'sensitive' && steersAgents(why)) return why
    if ((await own()).some((kept) => isAbove(kept, real))) return `${path} watches over the agent.`
    if (movesAway.test(call.tool_name) && (await own()).some((kept) => isAbove(real, kept)))
      return `${path} holds what watches over the agent.`
  }
  const named = [
    ...pathsOf(call, kit)
      .filter(({ access }) => access === 'write')
      .map(({ path }) => path),
    ...namedBy(call),
  ]
  const full = named.map((path) => absolute(path, kit))
  const also = full.length === 0 ? undefined : await otherNameOf(full, await own(), kit, steersAgents)
  if (also !== undefined) return `It changes ${also} by another name, and that watches over the agent.`
  const typed = typedText(call)
  if (speaksOfUs(typed)) return onlyPersons
  return namesOurPlaces(typed) ? 'It names the directory of what watches over the agent.' : undefined
}

async function shellRefusal(
  call: ToolCall,
  own: () => Promise<readonly string[]>,
  kit: BuiltinKit,
): Promise<string | undefined> {
  const judged = judgeShell(call, kit)
  if (namesOurSocket(shellOf(call, kit)?.command ?? '')) return 'It names the socket of what watches over the agent.'
  if (!judged || judged.verdict === 'safe') return undefined
  if (judged.verdict === 'destructive' && judged.categories.includes('self-protection'))
    return `${judged.reason} The command: ${judged.blamed}`
  const { command = '', cwd = kit.cwd } = shellOf(call, kit) ?? {}
  if (namesOurPlaces(command)) return 'It names the directory of what watches over the agent.'
  for (const word of wordsOf(command)) {
    const real = await kit.realpath(absolute(word, { cwd, home: kit.home }))
    const found = (await own()).find((path) => isAbove(path, real))
    if (found) return `It names ${found}, which watches over the agent.`
  }
  return undefined
}
