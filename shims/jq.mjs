import { readFileSync } from 'node:fs'
import { Bash, ReadWriteFs } from 'just-bash'

/** Options that take words after them, and how many. */
const taking = { '--arg': 2, '--argjson': 2, '--slurpfile': 2, '--rawfile': 2, '--indent': 1 }

const { args, readsInput } = understand(process.argv.slice(2))
const bash = new Bash({
  fs: new ReadWriteFs({ root: '/' }),
  cwd: process.cwd(),
  env: process.env,
  commands: ['jq'],
  defenseInDepth: false,
})
const { stdout, stderr, exitCode } = await bash.exec('jq', { args, stdin: readsInput ? readFileSync(0, 'utf8') : '' })
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = exitCode

/** As jq does, standard input is left alone when there are files to read, or nothing is to be read at all. */
function understand(words) {
  const args = []
  let operands = 0
  let nothing = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === '-f' || word === '--from-file') {
      args.push(readFileSync(words[++at], 'utf8'))
      operands++
    } else if (word === '--args' || word === '--jsonargs') {
      args.push(...words.slice(at))
      break
    } else {
      args.push(word)
      if (word.startsWith('-') && word !== '-') {
        const count = taking[word] ?? 0
        args.push(...words.slice(at + 1, at + 1 + count))
        at += count
        nothing ||= word === '--null-input' || /^-[a-zA-Z]*n/.test(word)
      } else operands++
    }
  }
  return { args, readsInput: !nothing && operands < 2 }
}
