import { randomBytes } from 'node:crypto'
import type { Approval, Person } from '@hookline/agent'
import type { GivenAnswer } from 'hookline/internal'
import type { Questions } from '../questions/index.ts'

/** What an agent wants to know in words, not whether it may. */
export interface Ask {
  id: string
  question: string
  options: readonly string[]
}

export interface Asks {
  readonly open: readonly Ask[]
  /** False: nothing of that name waits. */
  answer(id: string, text: string): boolean
}

/**
 * Whoever answers for a session of the server. Whether a call may run is a question like that of every other agent on this
 * machine: it is in the same list, and answered the same way.
 */
export function personElsewhere(
  session: () => string,
  cwd: string,
  questions: Questions,
  onAsk: (ask: Ask) => void,
): { person: Person; asks: Asks } {
  const open = new Map<string, { ask: Ask; settle(text: string | undefined): void }>()

  function ask(question: string, options: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const id = randomBytes(4).toString('hex')
      const settle = (text: string | undefined) => {
        open.delete(id)
        signal.removeEventListener('abort', dismiss)
        resolve(text)
      }
      const dismiss = () => settle(undefined)
      if (signal.aborted) return resolve(undefined)
      signal.addEventListener('abort', dismiss, { once: true })
      open.set(id, { ask: { id, question, options }, settle })
      onAsk({ id, question, options })
    })
  }

  const person: Person = {
    async approve({ call, reason, metadata }, signal) {
      const given = await questions.ask(
        {
          ...{ host: 'hookline', session: session(), cwd, what: describe(call), reason, hooks: [], layers: [] },
          call: { tool: call.name, input: call.input, parts: 1 },
          details: { ...metadata },
        },
        signal,
      )
      return given ? approvalOf(given) : { answer: 'no', reason: 'Nobody answered.' }
    },
    answer: async (question, options, signal) => (await ask(question, options, signal)) ?? 'The user did not answer.',
    async goOn(limit, signal) {
      const question = `The agent has called its model ${limit} times, which is its limit. Go on?`
      return (await ask(question, ['yes', 'no'], signal)) === 'yes'
    },
  }
  return {
    person,
    asks: {
      get open() {
        return [...open.values()].map((each) => each.ask)
      },
      answer(id, text) {
        const found = open.get(id)
        found?.settle(text)
        return found !== undefined
      },
    },
  }
}

/** What an answer to a question means for the agent that waits. */
export function approvalOf({ answer, because }: GivenAnswer): Approval {
  if (answer === 'no') return { answer: 'no', ...(because !== undefined && { reason: because }) }
  return { answer: answer === 'yes' ? 'once' : 'tool' }
}

export function describe({ name, input }: { name: string; input: Record<string, unknown> }): string {
  const { command, path } = input
  if (typeof command === 'string') return command
  return `${name} ${typeof path === 'string' ? path : JSON.stringify(input)}`.slice(0, 2_000)
}
