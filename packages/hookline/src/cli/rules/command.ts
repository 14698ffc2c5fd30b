import { resolve } from 'node:path'
import type { RuleEntry, RuleTarget, Ruling } from '../../core/index.ts'
import { callingAgent, markingAgent } from '../../person/index.ts'
import { stateDirectory } from '../../platform/index.ts'
import { type Command, defineCommand, type Invocation, UsageError } from '../command.ts'
import { workingDirectory } from '../configured.ts'
import { type Target, targetOf, targetOptions } from '../edit/target.ts'
import { onInterrupt } from '../interrupt.ts'
import { askOn, isPerson, personAt, requirePerson } from '../person.ts'
import { printable } from '../text/inspection.ts'
import { paintFor } from '../text/paint.ts'
import { describeRule, showRule } from '../text/rules.ts'
import { addException, addRule, checkRule, takeOver } from './add-rule.ts'
import { type Denial, denialsOf } from './denied-by.ts'
import { entryFrom, ruleOptions } from './entry.ts'
import { propose } from './proposals.ts'

interface Words {
  summary: string
  doc: readonly string[]
  examples: readonly string[]
}

const where = [
  'The rule is added to the config of the project, or with --user to your own, so that it holds everywhere. Everything',
  'else in the file stays as it is, comments included. Run by an agent, the rule is only proposed: `hookline rules pending`.',
]

/** One command for each ruling: they differ in what they write, and in whether that needs a person. */
const words: Record<Ruling, Words> = {
  deny: {
    summary: 'Add a rule that blocks a command, or anything else an agent does.',
    doc: [
      'A command is matched word by word, flags in any order, inside `sudo`, `bash -c` and pipes too: `git push --force`',
      'blocks `git push origin main --force`, and not `git push --force-with-lease`.',
      '',
      ...where,
    ],
    examples: [
      'hookline deny "git push --force" --because "Force pushes are off limits."',
      "hookline deny --read '~/.ssh/**' --user",
      "hookline deny --fetch '*.internal.example.com'",
    ],
  },
  ask: {
    summary: 'Add a rule that asks you before a command, or anything else an agent does.',
    doc: ['The agent waits for your answer. Where nobody can answer, the call is refused.', '', ...where],
    examples: ["hookline ask --write 'infra/**'", 'hookline ask "npm publish"'],
  },
  allow: {
    summary: 'Add a rule that lets a command run without asking.',
    doc: [
      'An allow matches strictly: every command of the line, no extra word without `*`, no redirection, no wrapper. It',
      'answers what this config and weaker ones ask. It never overrides a deny: what a rule of yours blocks becomes an',
      'exception of that rule instead. Because it loosens, it needs you: a terminal, or `--yes` with HOOKLINE_APPROVE_TOKEN.',
      '',
      ...where,
    ],
    examples: ['hookline allow "npm test"', 'hookline allow "git status" "git diff *" --user'],
  },
}

export const ruleCommand = (ruling: Ruling): Command =>
  defineCommand({
    name: ruling,
    summary: words[ruling].summary,
    usage: `${ruling} ["<command>" …] [--write <glob>] … [--because <text>] [--user|--project|--local]`,
    doc: words[ruling].doc.join('\n'),
    options: {
      ...ruleOptions,
      ...targetOptions,
      project: { doc: 'The config of the project. This is the default.' },
      propose: { doc: 'Do not add it: leave it for a person to accept.' },
      ...(ruling === 'allow' && { yes: { doc: 'Do not ask. Needs HOOKLINE_APPROVE_TOKEN.' } }),
      json: { doc: 'Print `{file, rule, approved, proposed}`.' },
    },
    examples: words[ruling].examples,
    exits: {
      1: 'The rule could not be added; nothing was written.',
      2: 'You did not confirm it; nothing was written.',
      3: 'It is not added yet: it waits for a person, see `hookline rules pending`.',
      64: 'Wrong usage.',
    },
    async run(invocation) {
      const { values } = invocation
      if (values['project'] && (values['user'] || values['local']))
        throw new UsageError('One of `--user`, `--project` and `--local`.')
      const rule = entryFrom(ruling, invocation)
      const target = targetOf(values)
      const loosens = ruling === 'allow' || rule.except !== undefined
      const agent = loosens ? callingAgent()?.agent : markingAgent()
      const proven = loosens && values['yes'] === true
      if (proven) await requirePerson(invocation, stateDirectory())
      const alone = !isPerson(invocation.input, invocation.errors)
      if (!proven && (values['propose'] === true || agent !== undefined || (loosens && alone)))
        return fileProposal(target, rule, agent ?? 'a program without a terminal', invocation)
      const denials = ruling === 'allow' ? await denialsOf(rule.allow ?? {}, values, workingDirectory(values)) : []
      if (loosens && !proven && !(await confirm(target, rule, denials, invocation))) return 2
      if (denials.length > 0) return except(denials, rule.allow ?? {}, invocation)
      return add(target, rule, invocation)
    },
  })

async function add(target: Target, rule: RuleEntry, invocation: Invocation): Promise<number> {
  const { values, output } = invocation
  const added = await addRule(target, rule, workingDirectory(values))
  if (values['json']) {
    output.write(`${JSON.stringify({ ...added, proposed: false })}\n`)
    return 0
  }
  const paint = paintFor(output)
  if (added.already) {
    output.write(`${paint.dim('·')} ${added.file} has this rule already.\n`)
    return 0
  }
  output.write(`${showRule(added.rule, paint)}\n  ${paint.dim(`added to ${added.file} as ${added.rule.id}`)}\n`)
  if (!added.approved)
    output.write(
      `  ${paint.yellow('!')} ${added.file} holds other rules that nobody has approved; see \`hookline approve\`.\n`,
    )
  output.write(`  ${paint.dim('See what it does:')}  hookline explain "…"\n`)
  output.write(`  ${paint.dim('Take it back:')}      hookline remove ${added.rule.id}\n`)
  return 0
}

/** Nothing overrides a deny: what is allowed becomes an exception of the rules that deny it. */
async function except(denials: readonly Denial[], target: RuleTarget, { values, output }: Invocation): Promise<number> {
  const paint = paintFor(output)
  const results: { rule: string; file: string; excepted: boolean }[] = []
  for (const { rule, file, bundled } of denials) {
    const cwd = workingDirectory(values)
    const excepted = bundled ? await takeOver(file, rule, target, cwd) : await addException(file, rule.id, target, cwd)
    results.push({ rule: rule.id, file: file.file, excepted })
    if (values['json']) continue
    const name = printable(rule.id)
    output.write(
      excepted
        ? `${paint.green('✓')} ${name} in ${file.file} leaves it alone now.\n${bundled ? `  ${paint.dim('It comes with a bundle: the file now mutes it (`disabled:`), and has a copy of it with the exception.')}\n` : ''}`
        : `${paint.red('✗')} ${name} still blocks it: it is not in ${file.file} any more. Try again.\n`,
    )
  }
  if (values['json']) output.write(`${JSON.stringify({ exceptions: results })}\n`)
  return results.every(({ excepted }) => excepted) ? 0 : 1
}

async function fileProposal(target: Target, rule: RuleEntry, by: string, invocation: Invocation): Promise<number> {
  const { values, output } = invocation
  // What would be refused later is refused now, while whoever proposes it can still correct it.
  await checkRule(target, rule)
  const proposal = await propose({
    by,
    file: resolve(target.file),
    layer: target.layer,
    cwd: workingDirectory(values),
    rule,
  })
  if (values['json']) output.write(`${JSON.stringify({ file: target.file, rule, approved: false, proposed: true })}\n`)
  else
    output.write(
      `? Proposed, not added: ${describeRule(rule)}\n  A person accepts it at a terminal: hookline rules pending (${proposal.id})\n`,
    )
  return 3
}

async function confirm(
  target: Target,
  rule: RuleEntry,
  denials: readonly Denial[],
  invocation: Invocation,
): Promise<boolean> {
  const { input, output, errors } = invocation
  const person = personAt(invocation, stateDirectory())
  const screen = output.isTTY ? output : errors
  const names = denials.map((each) => `${printable(each.rule.id)} (${each.file.file})`)
  const where =
    names.length === 0 ? `goes to ${target.file}` : `becomes an exception of what blocks it now: ${names.join(', ')}`
  screen.write(`${showRule(rule, paintFor(screen))}\n  ${where}\n`)
  const interrupt = onInterrupt()
  const asker = askOn(input, screen, interrupt.signal)
  const yes = (await asker.ask('This loosens what your rules hold. Add it? [y/N] ')) && (await person.confirm(asker))
  asker.close()
  interrupt.release()
  if (!yes) screen.write('Nothing was written.\n')
  return yes
}
