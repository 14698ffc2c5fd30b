import { exampleNames, readExample, runExample } from './examples.mjs'
import { install, makeFresh } from './setup.mjs'

/** Runs one example as a user would; without a name, lists them. */
process.exitCode = await main(process.argv.slice(2))

async function main([name]) {
  if (name === undefined) {
    console.log('Run one with `npm run example <name>`:\n')
    for (const each of exampleNames()) console.log(`  ${each.padEnd(24)}${readExample(each).about}`)
    return 0
  }
  if (!exampleNames().includes(name)) {
    console.error(`There is no example \`${name}\`. There are: ${exampleNames().join(', ')}.`)
    return 64
  }
  install()
  makeFresh()
  const { about, exit: expected = 0 } = readExample(name)
  console.log(`${about}\n`)
  const { exit } = await runExample(name)
  return exit === expected ? 0 : exit
}
