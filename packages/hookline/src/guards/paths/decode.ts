/** Percent-encoding as careless readers undo it: repeatedly, in overlong UTF-8 (`%c0%af` for `/`) and in the `%u002f` form. */

const MOST_LAYERS = 8

/** The text with every layer undone; undefined when there are too many. */
export function decodeFully(text: string): string | undefined {
  let decoded = text
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const next = decodeOnce(decoded.normalize('NFKC'))
    if (next === decoded) return decoded
    decoded = next
  }
  return undefined
}

function decodeOnce(text: string): string {
  if (!text.includes('%')) return text
  return text
    .replace(/%u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/%(c[01])%([89ab][0-9a-f])/gi, (_, lead: string, trail: string) => overlong(lead, trail))
    .replace(/(?:%[0-9a-f]{2})+/gi, decodeRun)
}

function overlong(lead: string, trail: string): string {
  return String.fromCharCode(((Number.parseInt(lead, 16) & 0x1f) << 6) | (Number.parseInt(trail, 16) & 0x3f))
}

/** A run that is not UTF-8 is undone where it is ASCII. */
function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  }
}
