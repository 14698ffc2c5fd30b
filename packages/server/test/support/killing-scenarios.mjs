/** Comes from a person while the agent works. */
const steering = 'and be quick'

/**
 * What turns are about when their worker dies. `most`: the points at which a process may die, counted in a run that nobody stops.
 * `meanwhile` happens when the worker stands still, before it is killed; `answer`: what the person says who is asked; `next`: a turn
 * that comes after it; `said`: what is in the conversation once, in this order.
 */
export const scenarios = {
  work: { text: 'work', most: 44, calls: ['a', 'b', 'c'] },
  goal: { kind: 'goal', text: 'reach', response: 'done', most: 30, calls: ['a'] },
  steered: {
    ...{ text: 'work', most: 44, calls: ['a', 'b', 'c'], response: /^finished( and be quick)?$/ },
    meanwhile: (worker, { session }) => worker.steer(session, steering),
    // What comes too late for this turn is for the next.
    next: 'short',
    said: [steering],
  },
  followed: {
    ...{ text: 'short', most: 25, calls: ['a'], next: 'work', said: ['short', 'work'] },
    meanwhile: (worker, turn) => worker.begin(nextOf(turn)),
  },
  canceled: {
    ...{ text: 'work', most: 44, calls: ['a', 'b', 'c'], mayStop: true },
    meanwhile: (worker, turn) => worker.cancel(turn),
  },
  delegated: { text: 'delegate', most: 50, calls: ['a'], helped: true },
  approved: { text: 'approve', most: 27, calls: ['a'], answer: { approval: { answer: 'once' } } },
  asked: { text: 'ask', most: 24, calls: [], answer: { text: 'red' }, said: ['red'] },
}

/** The turn behind this one, in its session. */
export const nextOf = ({ id, session, scenario }) => ({
  ...{ id: `${id}next`, session, kind: 'follow-up', text: scenarios[scenario].next },
})

/** What is wrong with a turn that is over, and with the one behind it. */
export async function problemsOf(worker, turn, effects) {
  const { calls, helped, mayStop, said = [], next } = scenarios[turn.scenario]
  const wrong = []
  const records = await worker.records(turn.session)
  const journal = await worker.journal(turn.id)
  for (const name of calls) {
    const call = `${turn.id}.${name}`
    const times = timesOf(effects, helped ? `helper ${call}` : call)
    if (times > 1) wrong.push(`the tool of ${call} ran ${times} times`)
    const results = records.filter(({ message }) => message?.role === 'tool' && message.tool_call_id === call)
    if (results.length > 1 || (results.length === 0 && !mayStop)) wrong.push(`${call} has ${results.length} results`)
    const isUnsure = results[0]?.message.content.includes('may have happened')
    if (times === 0 && !isUnsure && !mayStop && !helped) wrong.push(`the tool of ${call} never ran, and nobody says so`)
    // A helper's call has the same name as the one that called it.
    const judged = helped ? 2 : 1
    for (const event of ['pre_tool_use', 'post_tool_use']) {
      const verdicts = journal.filter((key) => key.endsWith(`/${call}/${event}`)).length
      if (verdicts > judged || (verdicts < judged && !mayStop))
        wrong.push(`${event} of ${call} was written down ${verdicts} times`)
    }
  }
  const spoken = records.flatMap(({ message }) => (said.includes(message?.content) ? [message.content] : []))
  if (spoken.join() !== said.join()) wrong.push(`${turn.id} has heard "${spoken.join()}", and not "${said.join()}"`)
  if (next && timesOf(effects, `${turn.id}next.a`) > 1) wrong.push(`the tool of ${turn.id}next ran twice`)
  if ((await worker.questions.open(turn.session)).length > 0) wrong.push(`${turn.id} is over, and still asks`)
  return wrong.map((each) => `${turn.scenario}: ${each}`)
}

const timesOf = (effects, call) =>
  effects.split('\n').filter((line) => /^(act|risky) /.test(line) && line.includes(` ${call} `)).length
