/** The call of a tool that most rows ask about: of ordinary length, and harmless. */
export const payload = {
  session_id: '5c1f8a52-3a0e-4e0c-9b0c-0d6f6a1c7a11',
  cwd: process.cwd(),
  tool_name: 'shell',
  tool_use_id: 'toolu_01',
  tool_input: {
    command: 'npm run build && node --test test/unit',
    timeout: 120,
    description: 'Build, then run the unit tests',
  },
}

/** What a command hook reads of it. */
export const input = `${JSON.stringify({ event: 'pre_tool_use', ts: new Date(0).toISOString(), ...payload })}\n`

/** Reads its payload and answers without starting anything else: the shortest hook there is, so that ours is not hidden behind its own work. */
export const script = `read -r payload; echo '{"decision":"allow"}'`

/** A dispatch that did not go as the row assumes would make its figure a lie. */
export function expectRuling(verdict, ruling) {
  const actual = verdict.decision?.ruling
  if (actual !== ruling) throw new Error(`expected ${ruling}, got ${actual}: ${JSON.stringify(verdict.reports)}`)
}
