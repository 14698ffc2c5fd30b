import { bundles, usualStarters } from '../../builtins/bundles/index.ts'
import { didYouMean, type Hook, HooklineError, type Profile, profiles } from '../../core/index.ts'
import { createHooks } from '../../hooks/index.ts'
import { openTrust } from '../../trust/index.ts'
import { defineCommand, type Invocation, texts, UsageError } from '../command.ts'
import { workingDirectory } from '../configured.ts'
import { approveNow, hooksOf, unapproved, writeWhole } from '../edit/save.ts'
import { type Target, targetOf, targetOptions } from '../edit/target.ts'
import { groundOf } from '../hosts/choose.ts'
import { installFound, type Placed, showPlaced } from '../hosts/place.ts'
import { type Import, importInto } from '../import/into.ts'
import { isPerson, requirePerson } from '../person.ts'
import { count, wrap } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'init',
  summary: 'Start: rules in a first config, installed in the agents on this machine and proved.',
  usage: 'init [--yes] [--user] [--use <bundle>…] [--profile <name>] [--rules-only]',
  doc: [
    'Asks where the config goes and which guards you want; with --yes, takes the usual answers. Writes a config with comments',
    'for you to edit, approves it, and shows what the guards decide on a few commands. Never changes an existing config.',
    '',
    'Then it installs Hookline in every agent that it finds here, for you, and proves each with a call that is always refused.',
    'What their permission lists deny or ask about becomes rules; what they allow, only a person at a terminal can let in. What rules cannot',
    'say is listed.',
    '',
    'It writes only guards that come with Hookline and rules that tighten, so it approves them itself.',
  ].join('\n'),
  options: {
    yes: { doc: 'Do not ask: the project, with the usual guards.' },
    use: {
      value: 'bundle',
      multiple: true,
      doc: 'A bundle to use, as often as you like, in place of the usual ones. Does not ask.',
      choices: Object.keys(bundles),
    },
    profile: {
      value: 'name',
      doc: 'How strict the bundles are: `strict` blocks what others share, `ci` has nobody to ask, `watch` only watches.',
      choices: [...profiles],
    },
    user: targetOptions.user,
    cwd: targetOptions.cwd,
    'rules-only': { doc: 'Only the config: import nothing, and install it in no agent.' },
    json: { doc: 'Print one JSON object: file, hooks, shown, imported, lost, agents. Does not ask.' },
  },
  examples: [
    'hookline init',
    'hookline init --yes',
    'hookline init --user',
    'hookline init --use git-safe --use cloud --profile strict',
  ],
  exits: {
    1: 'There is a config already, or it could not be written; or an agent does not run the entry, and it says why.',
    64: 'Wrong usage.',
  },
  async run(invocation) {
    const { values, output, errors } = invocation
    const named = texts(values['use'])
    for (const name of named)
      if (!Object.hasOwn(bundles, name))
        throw new UsageError(`There is no bundle \`${name}\`.${didYouMean(name, Object.keys(bundles))}`)
    const profile = profiles.find((each) => each === values['profile'])
    if (values['profile'] !== undefined && profile === undefined)
      throw new UsageError(`\`--profile\` takes one of ${profiles.join(', ')}.`)
    const asks = !values['yes'] && !values['json'] && named.length === 0
    if (asks && !isPerson(invocation.input, output))
      throw new UsageError('There is no terminal to ask on: pass `--yes` to take the usual answers.')
    const chosen = asks
      ? await ask(invocation)
      : { user: values['user'] === true, bundles: named.length > 0 ? named : usual }
    if (!chosen) {
      output.write('Nothing was written.\n')
      return 0
    }
    const target = targetOf({ ...values, user: chosen.user })
    if (target.exists) {
      errors.write(`${target.file} is there already, and stays as it is. \`hookline add\` adds to it.\n`)
      if (!values['rules-only']) errors.write('To install it in agents: `hookline install --all`.\n')
      return 1
    }
    const ground = groundOf(values)
    const bare = written(chosen.bundles, profile)
    const found: Import = values['rules-only']
      ? { text: bare, rules: [], allowed: [], lost: [] }
      : await importInto(target, bare, ground, false)
    const imported =
      asks && found.allowed.length > 0 && (await letsIn(invocation))
        ? await importInto(target, bare, ground, true)
        : found
    const { text } = imported
    const hooks = await hooksOf(target, text)
    await writeWhole(target.file, text)
    try {
      await approveOwn(target, workingDirectory(values))
    } catch (error) {
      if (!(error instanceof HooklineError)) throw error
      errors.write(`${target.file} is written, but not approved: until it is, its guards refuse.\n${error.message}\n`)
      return 1
    }
    const shown = await tryOut(target, workingDirectory(values))
    const agents: Placed[] = values['rules-only'] ? [] : await installFound(ground)
    if (values['json']) {
      const { rules, allowed, lost } = imported
      const said = { file: target.file, hooks: hooks.map(({ id }) => id), shown, imported: rules, allowed, lost }
      output.write(`${JSON.stringify({ ...said, agents: agents.map(({ json }) => json) }, null, 2)}\n`)
    } else {
      const [paint, width] = [paintFor(output), widthOf(output)] as const
      const lines = [
        ...report(target, hooks.length, shown, paint),
        ...importLines(imported, paint, width),
        ...(values['rules-only'] ? [] : showPlaced(agents, paint, width)),
        ...next(target, paint, width),
      ]
      output.write(`${lines.join('\n')}\n`)
    }
    return agents.every(({ ok }) => ok) ? 0 : 1
  },
})

/** What is on by default. */
const usual = ['security', 'secrets', ...usualStarters]

interface Chosen {
  user: boolean
  bundles: readonly string[]
}

async function ask({ values }: Invocation): Promise<Chosen | undefined> {
  const { intro, isCancel, multiselect, select } = await import('@clack/prompts')
  intro('Hookline: rules for AI agents that hold every time')
  const where = values['user']
    ? 'user'
    : await select({
        message: 'Where should they hold?',
        options: [
          { value: 'project', label: 'In this project', hint: 'hookline.yaml, for everybody who works on it' },
          { value: 'user', label: 'In everything I do', hint: '~/.config/hookline/hooks.yaml' },
        ],
      })
  if (isCancel(where)) return undefined
  const picked = await multiselect({
    message: 'Which guards? (space to choose, enter to go on)',
    options: Object.values(bundles).map(({ name, doc }) => ({ value: name, label: name, hint: doc.split('\n')[0]! })),
    initialValues: [...usual],
    required: false,
  })
  return isCancel(picked) ? undefined : { user: where === 'user', bundles: picked }
}

/** What agents allow already loosens here: a person must want it, and show that they are one. */
async function letsIn(invocation: Invocation): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const said = await confirm({
    message: 'Also take over what the permission lists of your agents allow?',
    initialValue: false,
  })
  if (isCancel(said) || !said) return false
  await requirePerson(invocation, openTrust().store.directory)
  return true
}

function written(chosen: readonly string[], profile: Profile | undefined): string {
  const uses = chosen.flatMap((name) => [`  # ${bundles[name]!.doc.split('\n')[0]}`, `  - ${name}`])
  return [
    '# Hooks: rules that hold every time an agent acts. `hookline docs` explains every word;',
    '# `hookline check` finds mistakes, `hookline approve` lets a change run.',
    'version: 1',
    '',
    ...(profile === undefined
      ? []
      : ['# How strict they are: default, strict, ci or watch.', `profile: ${profile}`, '']),
    '# Sets of hooks that come with Hookline; `hookline add` lists more.',
    ...(uses.length > 0 ? ['use:', ...uses] : ['use: []']),
    '',
    '# Hooks to mute, by id or pattern, such as security:final-check or security:*.',
    'disabled: []',
    '',
    '# Rules of your own: what is denied, asked about or allowed. `hookline deny "git push --force"` adds one; more, such as:',
    '#',
    "#  - ask: { write: 'infra/**' }",
    '#    because: Somebody should look first.',
    'rules: []',
    '',
    '# Hooks of your own, where a rule is not enough: `hookline docs pre_tool_use` shows what one reads and answers.',
    'hooks: []',
    '',
  ].join('\n')
}

/** Only what is Hookline's own code: whoever else could have had a hand in it, a person must look at. */
async function approveOwn(target: Target, cwd: string): Promise<void> {
  const isOwn = ({ run, origin }: Hook) => run.type === 'builtin' || run.type === 'rules' || origin.ours !== undefined
  await approveNow(await unapproved(target, cwd, isOwn))
}

interface Shown {
  command: string
  verdict: string
  reason: string
}

const samples = ['ls -la', 'rm -rf /', 'rm -rf ~/projects', 'git push --force', 'cat .env']

/** What the new hooks make of a few commands. Nothing is run but the guards. */
async function tryOut(target: Target, cwd: string): Promise<Shown[]> {
  const hooks = await createHooks({ files: [target], cwd, journal: false, sealed: true })
  try {
    const shown: Shown[] = []
    for (const command of samples) {
      const payload = { session_id: 'init', tool_name: 'shell', tool_input: { command } }
      const { decision } = await hooks.raise('pre_tool_use', payload, { synthetic: true })
      shown.push({ command, verdict: decision?.ruling ?? 'no opinion', reason: decision?.reason.split('\n')[0] ?? '' })
    }
    return shown
  } finally {
    await hooks.close()
  }
}

function report({ file }: Target, hooks: number, shown: readonly Shown[], paint: Paint): string[] {
  const words: Record<string, string> = {
    deny: paint.red('✗ blocked'),
    ask: paint.yellow('? asked'),
    allow: paint.green('✓ allowed'),
  }
  const longest = Math.max(...shown.map(({ command }) => command.length))
  return [
    `${paint.green('✔')} Wrote ${paint.bold(file)}: ${count(hooks, 'hook')}, approved as ${hooks === 1 ? 'it is' : 'they are'}.`,
    '',
    paint.bold('When an agent runs'),
    ...shown.map(({ command, verdict }) => `  ${command.padEnd(longest)}  ${words[verdict] ?? paint.dim('· runs')}`),
  ]
}

function importLines({ rules, allowed, lost }: Import, paint: Paint, width: number): string[] {
  if (rules.length + allowed.length + lost.length === 0) return []
  const detail = lost.flatMap(({ host, said, why }) => wrap(`not expressible, ${host}: ${said} (${why})`, width - 2))
  return [
    '',
    `${paint.bold('Imported')} ${count(rules.length, 'rule')} from the permission lists of your agents`,
    ...(allowed.length > 0
      ? wrap(
          `${count(allowed.length, 'rule')} that ${allowed.length === 1 ? 'allows stands' : 'allow stand'} in the file as a comment: only you can let them in, at a terminal.`,
          width - 2,
        ).map((line) => `  ${line}`)
      : []),
    ...detail.map((line) => paint.dim(`  ${line}`)),
  ]
}

function next({ file }: Target, paint: Paint, width: number): string[] {
  return [
    '',
    paint.bold('Next'),
    ...wrap(
      `Edit ${file}; \`hookline check\` finds mistakes, and \`hookline approve\` lets a change run.`,
      width - 2,
    ).map((line) => `  ${line}`),
    '  hookline deny "npm publish"       add a rule',
    '  hookline explain "rm -rf build"   what would happen, and why',
    '  hookline list                     every hook, and whether it may run',
    '  hookline add                      more guards and builtins',
    '  hookline log                      what every agent was allowed and denied',
  ]
}
