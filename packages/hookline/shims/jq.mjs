import { readFileSync } from 'node:fs'
import { Bash, InMemoryFs, MountableFs, ReadWriteFs } from 'just-bash'

/** The machine's files are seen here, beside the directory in which just-bash finds its own commands. */
const host = '/host'
const settings = { commands: ['jq'], defenseInDepth: false }

const { args, readsInput } = understand(process.argv.slice(2))
const files = new InMemoryFs()
new Bash({ ...settings, fs: files }) // Lays out /bin.
const fs = new MountableFs({ base: files })
fs.mount(host, new ReadWriteFs({ root: '/' }))
const bash = new Bash({ ...settings, fs, cwd: host + process.cwd(), env: { ...process.env, PATH: '/bin' } })
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
    } else if (word === '--arg' || word === '--argjson') args.push(word, words[++at], words[++at])
    else if (word === '--slurpfile' || word === '--rawfile') args.push(word, words[++at], placed(words[++at]))
    else if (word === '--indent') args.push(word, words[++at])
    else if (word.startsWith('-') && word !== '-') {
      args.push(word)
      nothing ||= word === '--null-input' || /^-[a-zA-Z]*n/.test(word)
    } else args.push(operands++ === 0 ? word : placed(word))
  }
  return { args: args.filter((word) => word !== undefined), readsInput: !nothing && operands < 2 }
}

function placed(path) {
  return path?.startsWith('/') ? host + path : path
}
