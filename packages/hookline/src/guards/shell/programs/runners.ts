/** Programs that run commands given to them in languages of their own: debuggers, fleets, task files. */

import { flagValues, hasFlag, parseArguments, readOptions } from '../../../shell/index.ts'
import { judgeCode } from '../code.ts'
import { RUNS_DOWNLOAD } from '../dangers.ts'
import { judgeDelete } from '../losses.ts'
import { elsewhere, runScript, runWords } from '../scripts.ts'
import { emptiest, type Field, field, isKnown, type Stream, stream } from '../text.ts'
import { newTrace } from '../trace.ts'
import type { Call, Danger } from '../types.ts'
import { contentOf } from '../written.ts'
import type { Family, Judge } from './rules.ts'

/** Programs that take `-` or their input for the program to run, and with which words. */
const READS_PROGRAM: Readonly<Record<string, RegExp>> = {
  'go deno bun': /^run (?:.* )?(?:-|\/dev\/stdin|\/dev\/fd\/0)(?: |$)/,
  'gcc g++ cc c++ clang clang++ tcc rustc ghc': /(?:^| )(?:-|\/dev\/stdin)(?: |$)/,
  'awk gawk mawk sed gsed': /(?:^| )(?:-f ?|--file=)(?:-|\/dev\/stdin)(?: |$)/,
  'java kotlin scala groovy jshell ansible-playbook': /(?:^| )(?:-|\/dev\/stdin)(?: |$)/,
  'docker podman nerdctl buildah': /^(?:(?:image|buildx) )?(?:build|bud) (?:.* )?-(?: |$)/,
  'ghci pwsh powershell irb erl iex sbcl clojure racket guile': /^/,
}

/** Later installs, of whoever works here, come from a server that is not the usual one and not this machine. */
const ELSEWHERE =
  '(?!https?://(?:localhost|127\\.|\\[::1\\]|registry\\.npmjs\\.org|registry\\.yarnpkg\\.com|pypi\\.org))https?://'
const MOVES_REGISTRY = new RegExp(`^(?:config )?set (?:.* )?(?:@[^ ]+:)?(?:registry|npmRegistryServer)[ =]${ELSEWHERE}`)
const MOVES_INDEX = new RegExp(`^config (?:.* )?(?:set )?[^ ]*(?:index-url|repositories[^ ]*)[ =]${ELSEWHERE}`)
/** Through another machine, or from one that proves nothing. */
const TRUSTS_OTHERS =
  /^(?:config )?set (?:.* )?(?:(?:https?-?)?proxy[ =](?!http:\/\/(?:localhost|127\.))https?:|strict-ssl[ =]false|cafile[ =])/i
const INSTALLS_FROM_ELSEWHERE: Danger = {
  category: 'persistence',
  radius: 'medium',
  reason: 'It makes every later install come from another server.',
}

const GDB = '-x:p:c:s:e:d:o:O:k:K:S:Q:n: -ex= -iex= --eval-command= --init-eval-command= --command= --one-line='

export const runners: Family = {
  judges: {
    'gdb lldb cgdb rust-gdb rust-lldb gdb-multiarch': (call) => {
      for (const [at, { text }] of call.args.entries()) {
        const [, attached] = /^--?(?:ex|iex|eval-command|init-eval-command|o|O|one-line)=(.*)$/s.exec(text) ?? []
        const separate = /^--?(?:ex|iex|eval-command|init-eval-command|o|O|one-line|k|K)$/.test(text)
        const command = attached ?? (separate ? call.args[at + 1]?.text : undefined)
        if (command !== undefined) judgeDebugger(command, call)
      }
      for (const line of (call.wiring.stdin?.text ?? '').split('\n')) judgeDebugger(line, call)
      for (const file of flagValues(parseArguments(call.args, readOptions(GDB)), 'x|--command'))
        for (const line of file ? contentOf(file, call.state).text.split('\n') : []) judgeDebugger(line, call)
      return undefined
    },
    // Languages that are compiled first: what this line has written is judged as what it would do.
    'go cargo rust-script rustc gcc g++ cc c++ clang clang++ tcc zig nim crystal dart v odin swiftc javac java kotlinc dotnet csc mcs ghc runghc runhaskell':
      (call) => {
        const { stdin } = call.wiring
        if (
          stdin &&
          stdin.text.length > 1 &&
          isKnown(stdin.text) &&
          call.args.some(({ text }) => /^(?:-|\/dev\/stdin)$/.test(text))
        )
          judgeCode(stdin, call)
        for (const word of call.args.slice(0, MOST_SOURCES)) {
          const source = word.text.startsWith('-') ? undefined : contentOf(word, call.state)
          if (source && source.text.length > 1 && isKnown(source.text)) judgeCode(source, call)
        }
        return undefined
      },
    // Consoles of frameworks: the code stands among the words.
    'rails rake bin/rails': (call) => judgeConsole(call, /^(?:runner|r|console|c)$/, /^(?:-e|--environment)$/),
    'artisan php': (call) => judgeConsole(call, /^tinker$/, undefined, /^--execute(?:=|$)/),
    'manage.py django-admin python flask': (call) =>
      judgeConsole(call, /^(?:shell|shell_plus)$/, undefined, /^(?:-c|--command)(?:=|$)/),
    'mix iex': (call) => judgeConsole(call, /^run$/, undefined, /^(?:-e|--eval)(?:=|$)/),
    direnv: (call) => {
      const written = contentOf(field('.envrc'), call.state)
      if (/^(?:allow|exec|reload|grant|permit)$/.test(call.args[0]?.text ?? '') && written.text.length > 1)
        runScript({ ...written, text: emptiest(written.text) ?? written.text }, call)
      return undefined
    },
    'pip pip3 uv npm pnpm yarn brew apt apt-get gem cargo conda': ({ args }) =>
      args.some(({ text }) => /^(?:uninstall|remove|rm|purge)$/.test(text)) &&
      args.some(({ taints }) => taints.includes('fed'))
        ? REMOVES_LISTED
        : undefined,
    'ansible ansible-console': judgeAnsible,
    // They run the programs of the project by name, as `npx` does.
    'yarn pnpm': (call) => {
      const [program, ...rest] = parseArguments(call.args, readOptions('-C:F: --cwd= --dir= --filter='), true).operands
      if (program && !OWN_VERBS.has(program.text)) runQuietly([program, ...rest], call)
      return undefined
    },
    'python python2 python3 pypy pypy3': (call) => {
      const at = call.args.findIndex(({ text }) => text === '-m')
      const module = at < 0 ? undefined : call.args[at + 1]
      if (module && /^[a-z][\w.-]*$/i.test(module.text)) runQuietly(call.args.slice(at + 1), call)
      return undefined
    },
    'ansible-playbook': (call) => {
      const args = parseArguments(
        call.args,
        readOptions('-i:u:l:f:e:t:M:T:c: --inventory= --limit= --tags= --extra-vars='),
      )
      const only = hasFlag(args, 'C|--check|--syntax-check|--list-tasks|--list-hosts|--list-tags')
      return !only && args.operands.some(({ text }) => TAKES_AWAY.test(text.split('/').at(-1) ?? ''))
        ? REMOVES_EVERYWHERE
        : undefined
    },
    'puppet salt': (call) => {
      const text = call.args.map((word) => word.text).join(' ')
      if (call.name === 'salt') {
        const at = call.args.findIndex((word) => /^cmd\.\w+$/.test(word.text))
        for (const command of at < 0 ? [] : call.args.slice(at + 1, at + 2)) runScript(command, elsewhere(call))
      }
      return /ensure\s*=>\s*['"]?absent|file\.(?:remove|rmdir)|pkg\.(?:purge|remove)|user\.delete/.test(text)
        ? REMOVES_EVERYWHERE
        : undefined
    },
    java: (call) => {
      const at = call.args.findIndex(({ text }) => text === '-jar')
      const name = at < 0 ? undefined : call.args[at + 1]?.text.split('/').at(-1)
      if (name) runQuietly([field(name.replace(/\.jar$/, '')), ...call.args.slice(at + 2)], call)
      return undefined
    },
    screen: (call) => {
      const at = call.args.findIndex(({ text }) => text === 'stuff')
      const typed = at < 0 ? undefined : call.args[at + 1]
      if (typed) runScript(stream(typed.text.replace(/\\[nr]|\^M|\r/g, '\n'), typed.taints), call)
      return undefined
    },
    'make gmake remake': (call) => {
      for (const text of taskFile(call, '-f|--file|--makefile', ['GNUmakefile', 'makefile', 'Makefile'])) {
        for (const [, command = ''] of text.text.matchAll(/\$\(shell ([^)]*)\)|^\w+\s*!=\s*(.*)$/gm))
          runScript(stream(command, text.taints), call)
        const recipes = text.text
          .split('\n')
          .flatMap((line) => /^\t[@+-]*(.*)$|^[\w./-]+:[^;=]*;\s*(.*)$/.exec(line) ?? [])
        runRecipes(
          recipes.filter((part) => part !== undefined),
          text,
          call,
        )
      }
      return undefined
    },
    'just task mask': (call) => {
      const names = [
        'justfile',
        'Justfile',
        '.justfile',
        'Taskfile.yml',
        'Taskfile.yaml',
        'taskfile.yml',
        'maskfile.md',
      ]
      for (const text of taskFile(call, '-f|--justfile|-t|--taskfile', names)) {
        const lines = text.text
          .split('\n')
          .flatMap((line) => /^\s+(?:-\s+)?(?:cmds?:\s*)?[@-]*(?:cmd:\s*)?(.+)$/.exec(line)?.[1] ?? [])
        runRecipes(lines, text, call)
      }
      return undefined
    },
    ...Object.fromEntries(
      Object.entries(READS_PROGRAM).map(([names, reads]): [string, Judge] => [
        names,
        ({ args, wiring }) =>
          wiring.stdin?.taints.includes('remote') && reads.test(args.map(({ text }) => text).join(' '))
            ? RUNS_DOWNLOAD
            : undefined,
      ]),
    ),
    'pip pip3 uv poetry': ({ args }) =>
      MOVES_INDEX.test(args.map(({ text }) => text).join(' ')) ||
      /^config (?:.* )?set [^ ]*(?:trusted-host|proxy) /.test(args.map(({ text }) => text).join(' '))
        ? INSTALLS_FROM_ELSEWHERE
        : undefined,
    'npm pnpm yarn bun': (call) => {
      const words = call.args.map(({ text }) => text).filter((text) => !/^-(?:g|-global|-location\b.*)$/.test(text))
      if (MOVES_REGISTRY.test(words.join(' ')) || TRUSTS_OTHERS.test(words.join(' '))) return INSTALLS_FROM_ELSEWHERE
      const set = words[0] === 'pkg' && words[1] === 'set' ? words.slice(2) : []
      for (const each of set) {
        const [, name, script] = /^scripts\.([\w:-]+)=(.*)$/s.exec(each) ?? []
        if (name && script) runScript(stream(script), call)
      }
      if (
        words[0] === 'config' &&
        words[1] === 'set' &&
        /^(?:script-shell|scriptShell|git|node-options)(?:=|$)/.test(words[2] ?? '')
      )
        return RUNS_LATER
      const written = contentOf(field('package.json'), call.state)
      if (written.text === '' || !isKnown(written.text)) return undefined
      for (const [, script = ''] of (/"scripts"\s*:\s*\{([^}]*)\}/.exec(written.text)?.[1] ?? '').matchAll(
        /:\s*"((?:[^"\\]|\\.)*)"/g,
      ))
        runScript(stream(script.replace(/\\(.)/g, '$1'), written.taints), call)
      return undefined
    },
  },
}

const OWN_VERBS = new Set(
  'add remove rm install i ci up upgrade update outdated run exec dlx create init publish pack audit why list ls link unlink dedupe import store config set get cache info view patch rebuild prune root bin deploy fetch test t start stop help version workspace workspaces node npm plugin env setup global'.split(
    ' ',
  ),
)

/** Only what it destroys counts: to rules, it stays the one command that was written. */
function runQuietly(words: readonly Field[], call: Call): void {
  const findings: Call['run']['findings'] = []
  const reading = { commands: [], certain: true, more: false }
  try {
    runWords(words, { ...call, seen: undefined, run: { ...call.run, findings, reading, trace: newTrace() } })
  } finally {
    call.run.findings.push(...findings.filter(({ verdict }) => verdict === 'destructive'))
  }
}

/** Only what this line itself has written or pipes in: files on disk are the business of disk.ts. */
function taskFile(call: Call, options: string, names: readonly string[]): Stream[] {
  const at = call.args.findIndex(({ text }) => options.split('|').includes(text))
  const named = at < 0 ? undefined : call.args[at + 1]
  if (named?.text === '-' || named?.text === '/dev/stdin')
    return call.wiring.stdin ? [remoteOr(call.wiring.stdin, call)] : []
  const files = named ? [named] : names.map((name) => field(name))
  return files
    .map((file) => contentOf(file, call.state))
    .filter((text) => text.taints.length > 0 || (text.text !== '' && text.file === undefined && isKnown(text.text)))
    .map((text) => remoteOr(text, call))
}

/** A file that was downloaded has no lines to look at. */
function remoteOr(text: Stream, call: Call): Stream {
  if (text.taints.includes('remote')) runScript(text, call)
  return text
}

function runRecipes(lines: readonly string[], from: Stream, call: Call): void {
  for (const line of lines.slice(0, MOST_LINES))
    runScript(stream(line.replaceAll('$$', '$').replace(/\{\{[^}]*\}\}/g, 'x'), from.taints), call)
}

const MOST_LINES = 200
const MOST_SOURCES = 8

function judgeDebugger(command: string, call: Call): void {
  const [, shell] = /^\s*(?:shell|!|platform shell|make|pipe)\s*(.*)$/s.exec(command) ?? []
  if (shell !== undefined) runScript(stream(shell), call)
  const [, called] =
    /^\s*(?:call|p(?:rint)?|expr(?:ession)?|expr --)\b.*\bsystem\s*\(\s*"((?:[^"\\]|\\.)*)"/s.exec(command) ?? []
  if (called !== undefined) runScript(stream(called), call)
  const [, code] = /^\s*(?:python(?:-interactive)?|py|script|pi)\s+(.*)$/s.exec(command) ?? []
  if (code !== undefined) judgeCode(stream(code), call)
}

/** `ansible all -m shell -a '…'` runs the text on every machine; `-m file state=absent` deletes there. */
function judgeAnsible(call: Call): Danger[] {
  const args = parseArguments(
    call.args,
    readOptions('-a:m:i:u:l:f:e:B:P:c:t:T: --args= --module-name= --inventory= --user= --limit='),
  )
  const [module = field('command')] = flagValues(args, 'm|--module-name').filter((value) => value !== undefined)
  const dangers: Danger[] = []
  for (const value of flagValues(args, 'a|--args')) {
    if (!value) continue
    const name = module.text.replace(/^ansible\.(?:builtin|posix|windows)\./, '')
    if (/^(?:shell|command|raw|script|win_shell|win_command)$/.test(name)) runScript(value, elsewhere(call))
    else if (/\bstate=absent\b/.test(value.text)) {
      const path = /\b(?:path|dest|name)=(\S+)/.exec(value.text)?.[1] ?? '/'
      const lost = name === 'file' ? judgeDelete(field(path), true, true, call.state) : []
      dangers.push(...(lost.length > 0 ? lost : [REMOVES_EVERYWHERE]))
    }
  }
  if (/^(?:reboot|win_reboot|shutdown)$/.test(module.text.split('.').at(-1) ?? '')) dangers.push(REMOVES_EVERYWHERE)
  return dangers
}

/** Nothing more is known of a playbook than its name. */
const TAKES_AWAY =
  /(?:^|[-_.])(?:destroy|teardown|tear[-_]down|delete|wipe|nuke|purge|decommission|reset|uninstall)(?:[-_.]|$)/i

/** The code behind a verb, or behind an option of it. */
function judgeConsole(call: Call, verb: RegExp, skipped: RegExp | undefined, option?: RegExp): undefined {
  const at = call.args.findIndex(({ text }) => verb.test(text))
  if (at < 0) return undefined
  const rest = call.args.slice(at + 1)
  const found = option
    ? rest.flatMap((word, index) => {
        if (!option.test(word.text)) return []
        const equals = word.text.indexOf('=')
        return /^--?[\w-]+=/.test(word.text)
          ? [{ ...word, text: word.text.slice(equals + 1) }]
          : (rest[index + 1] ?? [])
      })
    : rest.filter(({ text }, index) => !text.startsWith('-') && !skipped?.test(rest[index - 1]?.text ?? '')).slice(0, 1)
  for (const code of found) judgeCode(code, call)
  if (call.wiring.stdin) judgeCode(call.wiring.stdin, call)
  return undefined
}

const REMOVES_LISTED: Danger = {
  category: 'system',
  radius: 'medium',
  reason: 'It removes every package that another command lists.',
}
const RUNS_LATER: Danger = {
  category: 'persistence',
  radius: 'high',
  reason: 'It makes every script of a package run through another program.',
}
const REMOVES_EVERYWHERE: Danger = {
  category: 'cloud',
  radius: 'high',
  reason: 'It takes something away from every machine it reaches.',
}
