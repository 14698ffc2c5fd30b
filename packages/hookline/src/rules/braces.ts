/** `a{b,c}` is `ab` and `ac`. As many as a rule of a person ever has; undefined for more. */
export function bracesOf(text: string, most = 64): string[] | undefined {
  const [open, done]: [string[], string[]] = [[text], []]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(next)
    if (!found) done.push(next)
    else {
      const [, before = '', inner = '', after = ''] = found
      open.push(
        ...inner
          .split(',')
          .reverse()
          .map((each) => `${before}${each}${after}`),
      )
    }
    if (done.length + open.length > most) return undefined
  }
  return done
}
