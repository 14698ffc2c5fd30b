/** What the programs of this folder have in common: two tools of a shop, and what a scripted model does with them. */

export const paid = []

const key = ['ghp', 'x7Kd92LmPq0RtVwYz3BnCfGh5JsA8eUi1oTk'].join('_')
export const notes = `The customer is angry. Their key is ${key}.`
export const readNotes = async () => notes
export const refund = async ({ amount }) => {
  paid.push(amount)
  return `Paid ${amount}.`
}

/** Call by call. In life a model decides; here nothing needs a key. */
export const script = [
  { tool: 'read_notes', input: { order: 'A-1' } },
  { tool: 'refund', input: { amount: 5000 } },
  { tool: 'refund', input: { amount: 50 } },
]
export const closing = 'I have paid 50 back.'

/** What the model got of each call. */
export function show(results) {
  for (const [at, text] of results.entries()) console.log(`${script[at]?.tool}: ${text}`)
  console.log(`paid: ${paid.splice(0).join(', ')}`)
}
