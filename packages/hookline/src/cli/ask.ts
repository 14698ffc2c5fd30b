import { createInterface } from 'node:readline'

export interface Asker {
  ask(question: string): Promise<boolean>
  close(): void
}

/** Asks on a terminal, one line per question. Anything but a plain yes is a no; so is an end of the input, and Ctrl+C. */
export function askOn(input: NodeJS.ReadStream, output: NodeJS.WriteStream, interrupt: AbortSignal): Asker {
  const terminal = createInterface({ input, terminal: false, signal: interrupt })
  const lines = terminal[Symbol.asyncIterator]()
  return {
    async ask(question) {
      output.write(question)
      const { value, done } = await lines.next()
      return !done && /^\s*y(?:es)?\s*$/i.test(value)
    },
    close: () => terminal.close(),
  }
}
