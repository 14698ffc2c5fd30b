import { randomUUID } from 'node:crypto'

const commands = ['git status', 'npm test -- --run', 'ls -la src', 'rg TODO packages', 'git push --force origin main']

/** An entry as a host's call leaves it: about 1 kB, with one hook made of rules. */
export function entryFor(at) {
  const command = `${commands[at % commands.length]} # ${at}`
  const isDenied = command.includes('--force')
  const decision = { ruling: 'deny', reason: 'Force pushes are off limits here.' }
  const outcome = isDenied ? 'deny' : 'no-opinion'
  const rules = isDenied ? { rules: ['no-force'] } : {}
  return {
    ...{
      time: new Date().toISOString(),
      event: 'pre_tool_use',
      dispatch: randomUUID(),
      generation: 1,
      synthetic: false,
    },
    ...{ session_id: `session-${at % 50}`, tool_name: 'shell', host: { name: 'claude-code' }, project: '/srv/shop' },
    ...{ outcome, ...rules, ...(isDenied && { decision }), duration_ms: 2 },
    hooks: [
      {
        id: 'rules',
        stage: 0,
        asked: true,
        outcome,
        ...rules,
        duration_ms: 1.5,
        ...(isDenied && { opinion: { decision } }),
      },
    ],
    notes: [],
    payload: { cwd: '/srv/shop', tool_name: 'shell', tool_input: { command }, session_id: `session-${at % 50}` },
  }
}
