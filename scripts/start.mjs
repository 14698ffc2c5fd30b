import { runExample } from './examples.mjs'
import { install, makeFresh } from './setup.mjs'

/** Sets up what is missing, then lets an agent loose on its hooks: on the rehearsal model, without a key. */
install()
makeFresh()
const colour = process.stdout.isTTY && !process.env.NO_COLOR
const bold = (text) => (colour ? `\u001b[1m${text}\u001b[0m` : text)

console.log(`${bold('Hookline')}: rules for AI agents that hold every time.`)
console.log(`An agent works in a copy of ${bold('examples/tour')}. It has bad ideas; its hooks do not let them pass.\n`)
const { exit } = await runExample('tour', { stdio: ['ignore', 'inherit', 'inherit'] })
console.log(
  [
    '',
    `The model was scripted (${bold('examples/tour/rehearsal.yaml')}), the hooks were not: change`,
    `${bold('examples/tour/hookline.yaml')} and run ${bold('npm start')} again. What to do next:`,
    '',
    `  ${bold('npm run example')}                more of these, each one use of hooks`,
    `  ${bold('npx hookline run')}               talk to the agent here; without a key, it does what you say, word for word`,
    `  ${bold('ANTHROPIC_API_KEY=… npx hookline run')}   with a real model (or OPENAI_API_KEY, GOOGLE_…, or --model ollama/qwen3)`,
    `  ${bold('npx hookline init')}              rules for your own project`,
    `  ${bold("import { createHooks } from 'hookline'")}   rules for your own agent`,
  ].join('\n'),
)
process.exitCode = exit
