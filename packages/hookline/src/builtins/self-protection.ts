import * as z from 'zod/mini'
import { type BuiltinKit, defineBuiltin } from '../core/index.ts'
import { agentPlaces } from '../guards/paths/index.ts'
import { absolute, judgePaths, judgeShell, unreadable, wordsOf } from './judge.ts'
import { argument, ask, deny, texts } from './parts.ts'
import { loosensThrough } from './protection/our-program.ts'
import { isAbove, takenAway } from './protection/places.ts'
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
    return refusal(payload, files, kit).then((reason) => {
      if (reason !== undefined) return { decision: deny(`${reason} Ask the user to change it.`) }
      const unread = unreadable(judgeShell(payload, kit))
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
  return (judged !== undefined && judged.verdict !== 'safe') || pathsOf(call, kit).length > 0
}

async function refusal(call: ToolCall, files: readonly string[], kit: BuiltinKit): Promise<string | undefined> {
  const protectedPaths = [...files, ...kit.protectedFiles, kit.dataDir, ...usual.map((place) => `${kit.home}/${place}`)]
  let resolved: Promise<string[]> | undefined
  const own = () => {
    resolved ??= Promise.all(protectedPaths.map((path) => kit.realpath(absolute(path, kit))))
    return resolved
  }
  return (
    (await writingRefusal(call, own, kit)) ??
    (await shellRefusal(call, own, kit)) ??
    (await effectsRefusal(call, own, kit))
  )
}

/** Where hooks, approvals and the journal are, wherever a variable may have led this process. */
const usual = ['.config/hookline', '.local/state/hookline', '.local/share/hookline']

/** What is taken away with a directory above it, and what our own command line would loosen. */
async function effectsRefusal(
  call: ToolCall,
  own: () => Promise<readonly string[]>,
  kit: BuiltinKit,
): Promise<string | undefined> {
  const { command = '', cwd = call.cwd ?? kit.cwd } = shellOf(call, kit) ?? {}
  const effects = await kit.effectsOf?.({ tool: call.tool_name, input: call.tool_input }, { cwd, home: kit.home })
  if (!effects) return undefined
  const taken = takenAway(effects, { paths: await own(), cwd })
  if (taken !== undefined) return `It takes away ${taken}, which watches over the agent.`
  const loosens = await loosensThrough(effects, command, kit, cwd)
  return (
    loosens && `It changes the rules that watch over the agent, which only a person may do. The command: ${loosens}`
  )
}

/** Tools that make a directory be elsewhere, or nowhere: what lies in it goes with it. */
const movesAway = /move|rename|delete|remove|trash|unlink|symlink|chmod/i

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
  return undefined
}

async function shellRefusal(
  call: ToolCall,
  own: () => Promise<readonly string[]>,
  kit: BuiltinKit,
): Promise<string | undefined> {
  const judged = judgeShell(call, kit)
  if (!judged || judged.verdict === 'safe') return undefined
  if (judged.verdict === 'destructive' && judged.categories.includes('self-protection'))
    return `${judged.reason} The command: ${judged.blamed}`
  const { command = '', cwd = kit.cwd } = shellOf(call, kit) ?? {}
  for (const word of wordsOf(command)) {
    const real = await kit.realpath(absolute(word, { cwd, home: kit.home }))
    const found = (await own()).find((path) => isAbove(path, real))
    if (found) return `It names ${found}, which watches over the agent.`
  }
  return undefined
}
