/** Appends entries to a journal, as another process: `writer.ts <file> <count> <options as JSON>`. */
import type { EntryInput } from '../../src/journal/index.ts'
import { openJournal } from '../../src/journal/index.ts'

const [file = '', count = '1', options = '{}'] = process.argv.slice(2)
const journal = await openJournal({ file, redact: (value) => value, ...JSON.parse(options) })
console.log('ready')
for (let number = 1; number <= Number(count); number++) {
  await journal.append(makeEntry(number))
  // Now and then others get their turn.
  if (number % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
}
if (!JSON.parse(options).leaveOpen) await journal.close()
console.log(JSON.stringify(journal.state()))

function makeEntry(number: number): EntryInput {
  return {
    time: new Date().toISOString(),
    event: 'pre_tool_use',
    dispatch: `${process.pid}-${number}`,
    generation: 1,
    synthetic: false,
    outcome: 'allow',
    hooks: [{ id: 'guard', stage: 0, asked: true }],
    notes: [],
    payload: { text: 'x'.repeat((number * 37) % 3000) },
  }
}
