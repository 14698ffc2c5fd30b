import { sep } from 'node:path'
import * as z from 'zod/mini'
import { type BuiltinKit, defineBuiltin } from '../core/index.ts'
import { agentPlaces } from '../guards/paths/index.ts'
import { absolute, judgePaths, judgeShell, wordsOf } from './judge.ts'
import { argument, deny, texts } from './parts.ts'
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
    return refusal(payload, files, kit).then((reason) =>
      reason === undefined ? undefined : { decision: deny(`${reason} Ask the user to change it.`) },
    )
  },
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
  return (judged !== undefined && judged.verdict !== 'safe') || pathsOf(call).length > 0
}

async function refusal(call: ToolCall, files: readonly string[], kit: BuiltinKit): Promise<string | undefined> {
  const protectedPaths = [...files, ...kit.protectedFiles, kit.dataDir]
  let resolved: Promise<string[]> | undefined
  const own = () => {
    resolved ??= Promise.all(protectedPaths.map((path) => kit.realpath(absolute(path, kit))))
    return resolved
  }
  return (await writingRefusal(call, own, kit)) ?? (await shellRefusal(call, own, kit))
}

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
    if ((await own()).some((path) => isWithin(path, real))) return `${use.path} watches over the agent.`
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
  const { command = '', cwd = kit.cwd } = shellOf(call) ?? {}
  for (const word of wordsOf(command)) {
    const real = await kit.realpath(absolute(word, { cwd, home: kit.home }))
    const found = (await own()).find((path) => isWithin(path, real))
    if (found) return `It names ${found}, which watches over the agent.`
  }
  return undefined
}

/** Some file systems take no notice of case; a guard must not be passed by it. */
function isWithin(directory: string, path: string): boolean {
  const [outer, inner] = [directory.toLowerCase(), path.toLowerCase()]
  return inner === outer || inner.startsWith(`${outer}${sep}`)
}
