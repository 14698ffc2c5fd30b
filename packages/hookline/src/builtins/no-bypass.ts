import { defineBuiltin } from '../core/index.ts'
import { GIT_OPTIONS, type SeenCommand, traceOnce } from '../guards/shell/index.ts'
import { flagValues, parseArguments, programName, readOptions } from '../shell/index.ts'
import { deny, noArgs } from './parts.ts'
import { shellOf } from './tools.ts'

export const noBypass = defineBuiltin({
  name: 'no_bypass',
  doc: 'Refuses to go around the checks of the repository: `--no-verify`, `git commit -n`, another `core.hooksPath`, `HUSKY=0`, `LEFTHOOK=0`, `SKIP=` for pre-commit, and uninstalling them.',
  events: ['pre_tool_use', 'tool_guard', 'permission_request'],
  args: noArgs,
  answer({ payload }, _args, kit) {
    const shell = shellOf(payload, kit)
    // Most lines name none of it, and need not be read.
    if (!shell || !mayBypass.test(shell.command)) return undefined
    const { seen, set } = traceOnce({ command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home })
    const commands = seen.filter((each) => each.kind === 'command')
    const found =
      commands.map(bypassOf).find((each) => each !== undefined) ??
      (commands.some(runsChecks) ? set.map(byVariable).find((each) => each !== undefined) : undefined)
    return found === undefined
      ? undefined
      : {
          decision: deny(
            `${found} The checks of this repository run before every commit and push. Fix what they find.`,
          ),
        }
  },
  does: [],
  examples: [
    {
      title: 'a commit without its checks',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'git commit -am "fix" --no-verify' } },
      expect: {
        decision: deny(
          '`--no-verify` skips the hooks of git. The checks of this repository run before every commit and push. Fix what they find.',
        ),
      },
    },
    {
      title: 'the same in one letter',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'cd app && git commit -nm fix' } },
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'switched off by a variable',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'HUSKY=0 git push' } },
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'hooks from nowhere',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'git -c core.hooksPath=/dev/null commit -m x' } },
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'a dry run of a push is none',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'git push -n origin main' } },
      expect: undefined,
    },
    {
      title: 'a message that mentions it',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'git commit -m "explain --no-verify"' } },
      expect: undefined,
    },
  ],
  canary: {
    title: 'a commit without its checks',
    event: 'pre_tool_use',
    payload: { tool_name: 'shell', tool_input: { command: 'git commit --no-verify -m x' } },
    expect: { decision: { ruling: 'deny' } as never },
  },
})

const mayBypass = /verif|-[a-z]*n|hookspath|husky|lefthook|skip|pre-commit|GIT_CONFIG|overcommit|simple-git-hooks/i

/** Variables that switch checks off. `SKIP` is a word that others use too: it counts in front of what runs checks. */
const variables =
  /^(?:HUSKY|HUSKY_SKIP_HOOKS|LEFTHOOK|LEFTHOOK_EXCLUDE|OVERCOMMIT_DISABLE|SKIP_SIMPLE_GIT_HOOKS|PRE_COMMIT_ALLOW_NO_CONFIG|SKIP)$/
const configs = /^GIT_CONFIG_(?:COUNT|PARAMETERS|KEY_\d+)$/

const byVariable = (name: string): string | undefined =>
  variables.test(name) ? `\`${name}\` switches checks off.` : undefined

const textsOf = ({ words }: SeenCommand): string[] => words.map(({ text }) => text)

const runsChecks = (command: SeenCommand): boolean =>
  /^(?:git|husky|lefthook|pre-commit|npm|npx|pnpm|yarn)$/.test(programName(textsOf(command)[0] ?? ''))

function bypassOf(command: SeenCommand): string | undefined {
  const [program = '', ...args] = textsOf(command)
  const name = programName(program)
  // `env HUSKY=0 git commit`, `export HUSKY=0`
  const given = /^(?:env|export|declare|set)$/.test(name)
    ? args.flatMap((word) => /^([A-Z_]\w*)=/.exec(word)?.[1] ?? [])
    : []
  const assigned = runsChecks(command) || given.length > 0 ? [...command.assigned, ...given] : []
  const switched = assigned.map(byVariable).find((each) => each !== undefined)
  if (switched !== undefined) return switched
  if (name === 'git' && assigned.some((each) => configs.test(each)) && /hookspath/i.test(args.join(' ')))
    return 'It gives git other hooks.'
  if (
    /^(?:husky|lefthook|pre-commit|overcommit)$/.test(name) &&
    args.some((word) => /^(?:uninstall|--uninstall)$/.test(word))
  )
    return `It uninstalls ${name}.`
  return name === 'git' ? bypassOfGit(args) : undefined
}

/** What runs hooks, and the letter that skips them, where there is one. */
const verbs: Readonly<Record<string, string>> = {
  commit:
    '-m:F:C:c:t:S::u:: --message= --file= --author= --date= --template= --fixup= --squash= --reuse-message= --trailer=',
  push: '-o: --repo= --push-option= --receive-pack= --exec=',
  merge: '-m:s:X:F:S:: --message= --strategy= --strategy-option= --file=',
  pull: '-s:X:S:: --strategy= --strategy-option= --depth=',
  rebase: '-x:s:X:S:: --exec= --onto= --strategy= --strategy-option=',
  am: '-p:C:S:: --directory= --exclude= --include=',
  'cherry-pick': '-m:s:X:S:: --mainline= --strategy= --strategy-option=',
}

function bypassOfGit(args: readonly string[]): string | undefined {
  const fields = args.map((text) => ({ text }))
  const before = parseArguments(fields, readOptions(GIT_OPTIONS), true)
  const settings = flagValues(before, 'c|--config-env').map((value) => value?.text ?? '')
  if (settings.some((setting) => /^core\.hookspath=/i.test(setting))) return 'It gives git other hooks.'
  const [verb, ...rest] = before.operands
  const name = verb?.text.toLowerCase() ?? ''
  if (name === 'config' && rest.length > 1 && rest.some(({ text }) => /^core\.hookspath$/i.test(text)))
    return rest.some(({ text }) => /^--get/.test(text)) ? undefined : 'It gives git other hooks.'
  if (!Object.hasOwn(verbs, name)) return undefined
  const { flags } = parseArguments(rest, readOptions(verbs[name] as string))
  const skips = flags.some(
    (flag) => /^--no-v(?:e(?:r(?:i(?:f(?:y)?)?)?)?)?$/.test(flag.name) || (flag.name === 'n' && name === 'commit'),
  )
  return skips ? '`--no-verify` skips the hooks of git.' : undefined
}
