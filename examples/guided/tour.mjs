import { fileURLToPath } from 'node:url'
import { createHooks, readableReason } from 'hookline'

/**
 * A short walk through the engine on a real config: each step raises one event, as an agent would, and shows what the
 * hooks made of it. Nothing here is staged: the hooks run.
 */
const here = fileURLToPath(new URL('.', import.meta.url))
const config = fileURLToPath(new URL('hookline.yaml', import.meta.url))
const colour = process.stdout.isTTY && !process.env.NO_COLOR
const paint = (code) => (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
const [bold, dim, red, green, yellow] = [1, 2, 31, 32, 33].map(paint)

const session = { session_id: 'tour', cwd: here }
const shell = (command) => ({ ...session, tool_name: 'shell', tool_input: { command } })
const steps = [
  ['The agent wants to list files', 'pre_tool_use', shell('ls -la')],
  ['The agent wants to delete everything', 'pre_tool_use', shell('rm -rf /')],
  ['… and tries again, in disguise', 'pre_tool_use', shell('echo cm0gLXJmIC8= | base64 -d | sh')],
  ['It only talks about deleting', 'pre_tool_use', shell('git commit -m "never rm -rf / again"')],
  ['It uses the wrong package manager', 'pre_tool_use', shell('npm install left-pad')],
  [
    'A tool returned a key',
    'tool_response_transform',
    { ...shell('cat .env'), tool_response: `TOKEN=${['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_')}` },
  ],
  ['A turn begins', 'turn_start', session],
  ['The agent claims that tests pass', 'stop', { ...session, response: 'Done, all tests pass!', tool_names: [] }],
  [
    'A message is about to leave, and its guard is broken',
    'on_outbound_message',
    { ...session, notification: 'Shipped!' },
  ],
]

console.log(`${bold('Hookline')}: rules for AI agents that hold every time.\n${dim(`The hooks are in ${config}`)}\n`)
// A guard whose program does not exist: it fails closed, and says so. In a config, `hookline check` would not let it pass.
const broken = {
  id: 'broken-on-purpose',
  event: 'on_outbound_message',
  run: { type: 'command', command: '/no/such/guard', args: [] },
}
const hooks = await createHooks({ config, hooks: [broken] })
try {
  for (const [title, event, payload] of steps) show(title, payload, await hooks.raise(event, payload))
} finally {
  await hooks.close()
}
console.log(`That was real: edit ${bold('examples/guided/hookline.yaml')} and run it again.`)
console.log(
  `Your own rules: write a ${bold('hookline.yaml')} (docs/config.md), try it with ${bold('npx hookline dispatch --help')},`,
)
console.log(`or embed the library: ${bold("import { createHooks } from 'hookline'")}.`)

function reason(decision) {
  const { explanation, payload } = readableReason(decision.reason)
  return payload ? `${explanation}  ${dim(payload)}` : explanation
}

function show(title, payload, verdict) {
  const asked = payload.tool_input?.command ?? payload.notification ?? payload.response ?? ''
  console.log(`${bold(title)}${asked ? dim(`  ${asked}`) : ''}`)
  const { decision, rewrite, context, message } = verdict
  const rulings = { allow: green('allowed'), ask: yellow('would ask you'), deny: red('refused') }
  if (decision) console.log(`  ${rulings[decision.ruling]}: ${reason(decision)}`)
  if (rewrite) console.log(`  ${yellow('rewritten')}: ${JSON.stringify(rewrite.value)}`)
  for (const text of context ?? []) console.log(`  ${green('added for the model')}: ${text}`)
  for (const text of message ?? []) console.log(`  ${yellow('message to you')}: ${text}`)
  if (!decision && !rewrite && !context && !message) console.log(`  ${green('goes on')}`)
  for (const report of verdict.reports.filter((each) => each.asked))
    console.log(
      dim(
        `    ${report.hook}: ${report.outcome}${report.failure ? ` (${report.failure.kind})` : ''}, ${report.durationMs.toFixed(1)} ms`,
      ),
    )
  console.log()
}
