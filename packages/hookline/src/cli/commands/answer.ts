import {
  answerWords,
  connectDaemon,
  type DaemonConnection,
  type GivenAnswer,
  type PendingQuestion,
} from '../../daemon/index.ts'
import { stateDirectory } from '../../platform/index.ts'
import { defineCommand, type Invocation, text, UsageError } from '../command.ts'
import { onInterrupt } from '../interrupt.ts'
import { askOn, personAt, requirePerson } from '../person.ts'
import { lastingAnswer } from '../questions/always.ts'
import { answered, harmless, refusalOf, showLasting, showQuestion, whoAnswers } from '../questions/show.ts'
import { addRule } from '../rules/add-rule.ts'
import { paintFor } from '../text/paint.ts'
import { shownPath } from '../text/path.ts'

export const command = defineCommand({
  name: 'answer',
  summary: 'Answer a question that waits: yes, no, for the session, or for always.',
  usage: 'answer <id> yes|no|session|always [--reason <text>]',
  doc: [
    '`yes`: this call runs. `session`: and the same call in the rest of the session. `always`: a rule is added to your',
    'config, so that the same call is never asked about again; it is shown before it is written. `no`: the call is refused.',
    '',
    'Only a person answers: at a terminal, with the code that it shows or your passphrase, and never under an agent.',
  ].join('\n'),
  options: { reason: { value: 'text', doc: 'With `no`: what the agent is told.' } },
  choices: answerWords,
  examples: ['hookline answer k3f9a yes', 'hookline answer k3f9a no --reason "Use a branch."'],
  exits: {
    1: 'Nothing was answered: there is no such question, somebody has answered it, it is too late, or you are not a person at a terminal.',
    2: 'You did not confirm it; the question goes on waiting.',
    64: 'Wrong usage.',
  },
  async run(invocation) {
    const [id, word, ...rest] = invocation.positionals
    const answer = answerWords.find((each) => each === word)
    if (id === undefined || !answer || rest.length > 0)
      throw new UsageError(
        'Name the question and the answer: `hookline answer k3f9a yes`, `no`, `session` or `always`.',
      )
    const because = text(invocation.values['reason'])
    if (because !== undefined && answer !== 'no') throw new UsageError('`--reason` goes with `no`.')
    // Before anything is looked at: who may not answer learns nothing.
    personAt(invocation, stateDirectory())
    const daemon = await connectDaemon()
    if (!daemon) return nothing(id, invocation)
    try {
      const given = { answer, by: whoAnswers(), ...(because !== undefined && { because }) }
      return await give(id, given, daemon, invocation)
    } finally {
      daemon.close()
    }
  },
})

async function give(id: string, given: GivenAnswer, daemon: DaemonConnection, invocation: Invocation): Promise<number> {
  const { output, errors } = invocation
  const paint = paintFor(output)
  const { pending } = await daemon.request('pending', {})
  const question = pending.find((each) => each.id === id)
  if (question) output.write(`${showQuestion(question, paint).join('\n')}\n`)
  if (question && given.answer === 'always') {
    const wrote = await writeRule(question, invocation)
    if (wrote !== undefined) return wrote
  } else if (question) await requirePerson(invocation, stateDirectory())
  const refusal = refusalOf(await daemon.answer(id, given), id)
  if (refusal !== undefined) {
    errors.write(`${refusal}\n`)
    return 1
  }
  const tone = given.answer === 'no' ? paint.red('✗') : paint.green('✓')
  output.write(`${tone} ${answered[given.answer]}: ${harmless(question?.what ?? '')}\n`)
  return 0
}

/** Undefined: the rule is there. It holds also when the answer comes too late for this call. */
async function writeRule(question: PendingQuestion, invocation: Invocation): Promise<number | undefined> {
  const { input, output, errors } = invocation
  const lasting = await lastingAnswer(question)
  const screen = output.isTTY ? output : errors
  screen.write(`  ${showLasting(lasting)}\n`)
  if ('impossible' in lasting) return 1
  const person = personAt(invocation, stateDirectory())
  const interrupt = onInterrupt()
  const asker = askOn(input, screen, interrupt.signal)
  const yes = (await asker.ask('  Add this rule? [y/N] ')) && (await person.confirm(asker))
  asker.close()
  interrupt.release()
  if (!yes) {
    screen.write('Nothing was written; the question goes on waiting.\n')
    return 2
  }
  const added = await addRule(lasting.target, lasting.rule, question.cwd)
  const where = shownPath(added.file)
  output.write(added.already ? `  ${where} has this rule already.\n` : `  added to ${where} as ${added.rule.id}\n`)
  return undefined
}

function nothing(id: string, { errors }: Invocation): number {
  errors.write(`${refusalOf({ ok: false, reason: 'unknown' }, id)}\n`)
  return 1
}
