/**
 * Serve as a resident hook: answer(payload) gets what a command hook would read on stdin, and returns what it would
 * print as JSON; nothing at all is no opinion. Log to stderr: stdout belongs to the protocol.
 */
export function serve(answer) {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  async function handle({ id, method, params }) {
    if (method === 'hooks/ping') return send({ id, result: null })
    if (method !== 'hooks/intercept') return send({ id, error: { code: -32601, message: `no method ${method}` } })
    try {
      send({ id, result: (await answer(params)) ?? null })
    } catch (error) {
      send({ id, error: { code: -32000, message: String(error?.message ?? error) } })
    }
  }

  // Not readline: it also ends lines at U+2028, which JSON may hold.
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) if (line.trim() !== '') handle(JSON.parse(line))
  })
}
