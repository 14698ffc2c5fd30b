import { runExample } from './examples.mjs'
import { install, makeFresh } from './setup.mjs'

/** Sets up what is missing, then plays the tour: an agent with hooks, on the rehearsal model, without a key. */
install()
makeFresh()
const colour = process.stdout.isTTY && !process.env.NO_COLOR
const bold = (text) => (colour ? `\u001b[1m${text}\u001b[0m` : text)

console.log(`${bold('Hookline')}: rules for AI agents that hold every time.`)
console.log(`An agent works in a copy of ${bold('examples/tour')}. It has bad ideas, and its hooks stop them.\n`)
const { exit } = await runExample('tour', { stdio: ['ignore', 'inherit', 'inherit'] })
const next = [
  ['npm run example', 'more examples, each one use of hooks'],
  ['npx hookline run', 'talk to the agent here; it needs no key to try'],
  ['ANTHROPIC_API_KEY=… npx hookline run', 'with a real model (or --model ollama/qwen3)'],
  ['npx hookline init', 'rules for your own project'],
  ['npx hookline serve', 'every decision and every open question, in a browser'],
  ["import { createHooks } from 'hookline'", 'rules for your own agent'],
]
const width = Math.max(...next.map(([command]) => command.length))
console.log(
  [
    '',
    `The model followed a script (${bold('examples/tour/rehearsal.yaml')}); the hooks are real. Change`,
    `${bold('examples/tour/hookline.yaml')} and run ${bold('npm start')} again. What to do next:`,
    '',
    ...next.map(([command, what]) => `  ${bold(command)}${' '.repeat(width - command.length)}  ${what}`),
  ].join('\n'),
)
process.exitCode = exit
