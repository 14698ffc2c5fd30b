import { existsSync } from 'node:fs'
import { shortened } from '../../config/index.ts'
import type { Layer } from '../../core/index.ts'
import { callingAgent } from '../../person/index.ts'
import { stateDirectory } from '../../platform/index.ts'
import { type Invocation, text, UsageError } from '../command.ts'
import type { Target } from '../edit/target.ts'
import { interrupted, onInterrupt } from '../interrupt.ts'
import { askOn, isPerson, personAt, requirePerson } from '../person.ts'
import { printable } from '../text/inspection.ts'
import { ago } from '../text/layout.ts'
import { type Paint, paintFor } from '../text/paint.ts'
import { showRule } from '../text/rules.ts'
import { addRule } from './add-rule.ts'
import { dropProposal, type Proposal, readProposals } from './proposals.ts'

/** Lists what agents have proposed; a person at a terminal decides about each. */
export async function decidePending(invocation: Invocation): Promise<number> {
  const { values, output } = invocation
  const waiting = readProposals()
  const [accept, reject] = [text(values['accept']), text(values['reject'])]
  if (accept !== undefined || reject !== undefined) return decideNamed(accept, reject, waiting, invocation)
  if (values['json']) {
    output.write(`${JSON.stringify(waiting, null, 2)}\n`)
    return 0
  }
  if (waiting.length === 0) {
    output.write('No rule is waiting for you.\n')
    return 0
  }
  const paint = paintFor(output)
  if (isPerson(invocation.input, invocation.errors) && callingAgent() === undefined)
    return decideEach(waiting, invocation)
  for (const proposal of waiting) output.write(`${show(proposal, paint).join('\n')}\n\n`)
  output.write('Accept or reject them at a terminal: hookline rules pending\n')
  return 0
}

async function decideEach(waiting: readonly Proposal[], invocation: Invocation): Promise<number> {
  const { input, output } = invocation
  const person = personAt(invocation, stateDirectory())
  const paint = paintFor(output)
  const interrupt = onInterrupt()
  const asker = askOn(input, output, interrupt.signal)
  for (const proposal of waiting) {
    output.write(`${show(proposal, paint).join('\n')}\n`)
    const yes = await asker.ask('  Add this rule? [y/N] ')
    if (interrupt.signal.aborted) break
    // Without a proof that a person is there, nothing is decided: the proposal goes on waiting.
    if (yes && !(await person.confirm(asker))) {
      output.write('  Not added: it goes on waiting.\n\n')
      continue
    }
    if (yes) output.write(`  ${await accepted(proposal)}\n\n`)
    else {
      await dropProposal(proposal.id)
      output.write('  Rejected; nothing was written.\n\n')
    }
  }
  asker.close()
  interrupt.release()
  return interrupt.signal.aborted ? interrupted : 0
}

async function decideNamed(
  accept: string | undefined,
  reject: string | undefined,
  waiting: readonly Proposal[],
  invocation: Invocation,
): Promise<number> {
  if (accept !== undefined && reject !== undefined) throw new UsageError('One of `--accept` and `--reject`.')
  const id = accept ?? reject
  const proposal = waiting.find((each) => each.id === id)
  if (!proposal) throw new UsageError(`No proposal \`${id}\` is waiting. \`hookline rules pending\` lists them.`)
  if (reject !== undefined) {
    await dropProposal(proposal.id)
    invocation.output.write('Rejected; nothing was written.\n')
    return 0
  }
  await requirePerson(invocation, stateDirectory())
  invocation.output.write(`${await accepted(proposal)}\n`)
  return 0
}

async function accepted(proposal: Proposal): Promise<string> {
  const { file, layer, cwd, rule } = proposal
  const target: Target = { file, layer: layer as Layer, dialect: 'native', exists: existsSync(file) }
  const added = await addRule(target, rule, cwd)
  await dropProposal(proposal.id)
  const shown = shortened(file, process.cwd())
  return added.already ? `${shown} has this rule already.` : `Added to ${shown} as ${added.rule.id}.`
}

function show(proposal: Proposal, paint: Paint): string[] {
  const { rule, by, at, file, id } = proposal
  return [
    showRule(rule, paint),
    ...[rule.because, rule.instead].flatMap((line) => (line === undefined ? [] : [`  ${printable(line)}`])),
    `  ${paint.dim(`${id} · proposed by ${printable(by)} ${ago(at)} · for ${printable(shortened(file, process.cwd()))}`)}`,
  ]
}
