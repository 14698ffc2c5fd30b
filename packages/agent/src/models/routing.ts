import type { Message } from '../message.ts'
import type { Model } from '../model.ts'

export interface Route {
  model: Model
  /** What users say who should get this model. */
  examples: readonly string[]
}

/**
 * A model that hands each question to the one whose examples are nearest to what the user said last, by the words they
 * share (BM25); where none is near, it answers itself. docker-agent's `routing`.
 */
export function routed(model: Model, routes: readonly Route[]): Model {
  const nearest = indexOf(routes.map(({ examples }) => examples))
  const route = (messages: readonly Message[]): Model => {
    const said = messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const at = nearest(said)
    return at === undefined ? model : routes[at]!.model
  }
  const limits = [model, ...routes.map((each) => each.model)].map(({ contextLimit }) => contextLimit)
  return {
    id: model.id,
    contextLimit: limits.includes(0) ? 0 : Math.min(...limits),
    ...(model.endpoint ? { endpoint: model.endpoint } : {}),
    route,
    stream: (request, signal) => route(request.messages).stream(request, signal),
  }
}

// The usual parameters of BM25: how soon a repeated word stops counting, and how much long texts are discounted.
const [saturation, length] = [1.2, 0.75]

/** Which of the groups holds the text that is nearest to a question; none when they share no word that says anything. */
function indexOf(groups: readonly (readonly string[])[]): (question: string) => number | undefined {
  const texts = groups.flatMap((examples, group) => examples.map((text) => ({ group, words: wordsOf(text) })))
  const average = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length || 1
  const rarity = (word: string): number => {
    const holding = texts.filter(({ words }) => words.includes(word)).length
    return Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5))
  }
  return (question) => {
    const asked = [...new Set(wordsOf(question))]
    const scores = texts.map(({ words }) =>
      asked.reduce((sum, word) => {
        const times = words.filter((each) => each === word).length
        const weight = saturation * (1 - length + (length * words.length) / average)
        return times === 0 ? sum : sum + (rarity(word) * times * (saturation + 1)) / (times + weight)
      }, 0),
    )
    const best = Math.max(0, ...scores)
    return best === 0 ? undefined : texts[scores.indexOf(best)]!.group
  }
}

/** Words that stand in every question say nothing of it. */
const common = new Set(
  'a an and are as at be by can could do does for from how i in is it me my of on or please should that the there this to was what when where which who why will with would you your'.split(
    ' ',
  ),
)

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !common.has(word))
