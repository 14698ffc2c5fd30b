/** Every benchmark, one line each, in the order of the table. A benchmark gives back rows (kit/row.mjs). */
export const benchmarks = {
  'no-match': async () => (await import('./no-match.mjs')).default,
  'function-hook': async () => (await import('./function-hook.mjs')).default,
  command: async () => (await import('./command.mjs')).default,
  'command-stage': async () => (await import('./command-stage.mjs')).default,
  resident: async () => (await import('./resident.mjs')).default,
  sandbox: async () => (await import('./sandbox.mjs')).default,
  'big-host': async () => (await import('./big-host.mjs')).default,
  'gemini-cli': async () => (await import('./gemini-cli.mjs')).default,
  journal: async () => (await import('./journal.mjs')).default,
  dialects: async () => (await import('./dialects.mjs')).default,
  rules: async () => (await import('./rules.mjs')).default,
  'tool-call': async () => (await import('./tool-call.mjs')).default,
  mcp: async () => (await import('./mcp.mjs')).default,
  'guard-shell': async () => (await import('./guard-shell.mjs')).default,
  'guard-secrets': async () => (await import('./guard-secrets.mjs')).default,
  'guard-network': async () => (await import('./guard-network.mjs')).default,
  agent: async () => (await import('./agent.mjs')).default,
  'command-line': async () => (await import('./command-line.mjs')).default,
  daemon: async () => (await import('./daemon.mjs')).default,
  hosts: async () => (await import('./hosts.mjs')).default,
  'endurance-function': async () => (await import('./endurance.mjs')).enduranceOf('function'),
  'endurance-builtin': async () => (await import('./endurance.mjs')).enduranceOf('builtin'),
  'endurance-command': async () => (await import('./endurance.mjs')).enduranceOf('command'),
  'endurance-resident': async () => (await import('./endurance.mjs')).enduranceOf('resident'),
  'endurance-sandbox': async () => (await import('./endurance.mjs')).enduranceOf('sandbox'),
  'endurance-http': async () => (await import('./endurance.mjs')).enduranceOf('http'),
  'endurance-model': async () => (await import('./endurance.mjs')).enduranceOf('model'),
}

/** These compare with packages that are installed only for it. */
export const withPeers = ['command-line', 'gemini-cli', 'guard-shell', 'guard-secrets', 'guard-network']
