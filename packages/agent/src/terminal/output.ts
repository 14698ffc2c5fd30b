/** What a running call prints, line by line. */
export interface Output {
  add(text: string): void
  /** From now on, lines are shown as they come. */
  begin(): void
  /** Whether any were. */
  begun(): boolean
  /** What is still to be shown of the result: what came while it ran need not be shown again. */
  rest(result: string): string
}

export function openOutput(show: (lines: readonly string[]) => void): Output {
  let [pending, live] = ['', false]
  const waiting: string[] = []
  const shown: string[] = []

  function pass(): void {
    if (!live || waiting.length === 0) return
    show(waiting)
    shown.push(...waiting.splice(0))
  }

  return {
    add(text) {
      const lines = `${pending}${text}`.split('\n')
      pending = lines.pop()!
      // A bar that draws itself again and again is seen as it was last.
      waiting.push(...lines.map((line) => line.replace(/\r$/, '').replace(/^.*\r/, '')))
      pass()
    },
    begin() {
      live = true
      pass()
    },
    begun: () => shown.length > 0,
    rest(result) {
      if (shown.length === 0) return result
      const lines = result.split('\n')
      const isSame = shown.every((line, at) => lines[at] === line)
      return isSame ? lines.slice(shown.length).join('\n') : result
    },
  }
}
