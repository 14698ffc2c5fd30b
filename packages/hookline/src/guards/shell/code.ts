/** One-liners of other languages: their string literals and the functions they call, read structurally. */

import { decodeBase64, decodeEscapes, decodeHex } from './decode.ts'
import { limitReached, report } from './findings.ts'
import { judgeDelete, judgeWrite } from './losses.ts'
import { placeOf } from './places.ts'
import { runScript } from './scripts.ts'
import { isSecret } from './sensitive.ts'
import { field, isKnown, type Stream, stream } from './text.ts'
import type { Call, Danger } from './types.ts'

const RUNS_SHELL =
  /(?:^|[^\w])(?:system|execute|[Pp]open\d?|exec[lv]?p?e?|execSync|execFileSync|execFile|spawn|spawnSync|spawn[lv]p?e?|call|check_call|check_output|getoutput|getstatusoutput|run|shell_exec|passthru|proc_open|pcntl_exec|startfile|command|do shell script|Open3\.\w+|Kernel\.\w+|create_subprocess_shell|Bun\.\$)\s*[([\s"'`|]/
const RUNS_LIST =
  /(?:Popen|run|call|check_call|check_output|spawn|spawnSync|execFile|execFileSync|exec[lv]p?|system|Command)\s*\(\s*(?:\[|['"])/
const DELETES_TREE =
  /\b(?:rmtree|rm_rf|rm_r|remove_entry_secure|remove_dir_all|remove_tree|removeSync|emptyDirSync|rimraf|deltree|rmSync|rmdirSync|fs\.(?:promises\.)?rm|fs\.rmdir|Deno\.remove(?:Sync)?)\b/
const DELETES_FILE =
  /\b(?:unlink(?:Sync)?|os\.remove|os\.rmdir|removedirs|File\.delete|File\.unlink|FileUtils\.rm\w*|Path\([^)]*\)\.(?:unlink|rmdir)|remove_file|truncate(?:Sync)?)\b/
const WRITES =
  /\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|write_text|write_bytes|file_put_contents|File\.write|IO\.write|copyfile|shutil\.\w+|symlink(?:Sync)?|chmod(?:Sync)?|rename(?:Sync)?)\b/
const READS = /\b(?:open|readFile(?:Sync)?|read_text|read_bytes|file_get_contents|File\.read|IO\.read|fopen|slurp)\b|<>/
const NETWORK =
  /\b(?:urlopen|urlretrieve|requests\.\w+|httpx\.\w+|fetch|https?\.(?:get|request)|Net::HTTP|LWP|IO::Socket|socket|fsockopen|createConnection|axios|URI\.open|curl_exec|TCPSocket|net\.connect)\b/
const EVALUATES = /(?:^|[^\w.])(?:exec|eval|compile|Function|instance_eval|assert|loadstring|load|vm\.run\w*)\s*\(/
const DECODES =
  /\b(?:b64decode|base64_decode|atob|decode64|unhexlify|fromhex|decode_base64|Buffer\.from|unpack|codecs\.decode|FromBase64String|marshal\.loads|zlib\.decompress)\b/
const LOOPS = /\b(?:while|loop|for)\b/
const SHELL_PROGRAM = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k)?sh(?:\s|$)|^cmd(?:\.exe)?$|^powershell/

const MOST_LITERALS = 1_000

/** Judges code; what it would hand to a shell is judged as shell. */
export function judgeCode(code: Stream, call: Call): void {
  const { run, state, shown } = call
  const flag = (danger: Danger) => report(run, 'destructive', danger, shown)
  if (code.taints.includes('remote')) flag(REMOTE)
  if (!isKnown(code.text) && code.taints.includes('decoded')) flag(HIDDEN)
  const text = code.text
  const literals = [...new Set(readLiterals(text))]
  if (literals.length > MOST_LITERALS) run.findings.push(limitReached('made of too many strings', shown))
  const bare = withoutLiterals(text)
  const words = literals
    .slice(0, MOST_LITERALS)
    .map((literal) => field(literal.replace(/^>+\s*/, '').replace(/^~(?=\/|$)/, state.home)))

  const shells = RUNS_SHELL.test(bare) || /`/.test(bare) || /\bqx\b|%x/.test(bare)
  if (shells) for (const script of shellScripts(text, literals)) judgeQuietly(script, call)
  if (EVALUATES.test(bare) || shells) {
    if (NETWORK.test(bare) && (EVALUATES.test(bare) || literals.some((each) => SHELL_PROGRAM.test(each)))) flag(REMOTE)
    if (DECODES.test(bare)) {
      const decoded = literals.flatMap((literal) => decodings(literal))
      for (const script of decoded) judgeQuietly(script, call)
      flag(HIDDEN)
    }
  }
  if (NETWORK.test(bare) && literals.some((each) => SHELL_PROGRAM.test(each))) flag(REMOTE)
  if (/\bfork\b/.test(bare) && LOOPS.test(bare)) flag(BOMB)
  const opensToWrite = /\bopen\b/.test(bare) && literals.some((each) => /^(?:[wax]b?\+?|r\+|>.*)$/.test(each))
  const [tree, single, writes, reads] = [DELETES_TREE, DELETES_FILE, WRITES, READS].map((calls) => calls.test(bare))
  for (const word of words) {
    if (tree || single) for (const danger of judgeDelete(word, tree === true, true, state)) flag(danger)
    if (!/^[\w.~/-]*[./~][\w.~/-]*$/.test(word.text)) continue
    const danger = (writes || opensToWrite) && placeOf(word, state) !== 'sink' ? judgeWrite(word, state) : undefined
    if (danger) flag(danger)
    if (reads && isSecret(word, state)) flag(NETWORK.test(bare) ? LEAKS : SHOWS)
  }
  // Someone who writes shell into another language's -e means it.
  if (/^\s*(?:sudo\s+)?(?:rm|dd|mkfs\S*|shred)\s+-/.test(text)) judgeQuietly(text, call)
}

/** Literals that are, or are glued into, a command line; a list of them is one command. */
function shellScripts(text: string, literals: readonly string[]): string[] {
  const joined = RUNS_LIST.test(text) ? [literals.filter((each) => each !== '').join(' ')] : []
  const backquoted = [...text.matchAll(/`([^`]*)`|(?:qx|%x)\s*[{([/|]([^}\])/|]*)/g)].map(
    (found) => found[1] ?? found[2] ?? '',
  )
  return [...literals, ...joined, ...backquoted, ...literals.flatMap((literal) => decodings(literal))]
}

function decodings(literal: string): string[] {
  if (literal.length < 8) return []
  return [decodeBase64(literal), decodeHex(literal)].filter(
    (each) => each !== undefined && /^[\x20-\x7e\s]{3,}$/.test(each),
  ) as string[]
}

/** A literal may be anything: only what is destructive about it counts. */
function judgeQuietly(script: string, call: Call): void {
  const findings: typeof call.run.findings = []
  runScript(stream(script), {
    ...call,
    run: { ...call.run, findings },
    wiring: { ...call.wiring, stdin: undefined },
  })
  call.run.findings.push(...findings.filter((finding) => finding.verdict === 'destructive'))
}

const LITERAL = /("""|'''|"|'|`)((?:\\[\s\S]|(?!\1)[\s\S])*)\1|\b(?:q[qw]?)\s*[{(]([^})]*)[})]/g

function readLiterals(code: string): string[] {
  return [...code.matchAll(LITERAL)].map((found) =>
    decodeEscapes((found[2] ?? found[3] ?? '').replace(/\\(['"`])/g, '$1')),
  )
}

function withoutLiterals(code: string): string {
  return code.replace(LITERAL, (whole, mark?: string) =>
    mark === '`' ? '``' : whole.startsWith('q') ? '""' : `${mark}${mark}`,
  )
}

const REMOTE: Danger = {
  category: 'remote-exec',
  radius: 'high',
  reason: 'It connects to the network and runs what comes from there.',
}
const HIDDEN: Danger = { category: 'hidden-exec', radius: 'high', reason: 'It decodes hidden code and runs it.' }
const BOMB: Danger = {
  category: 'process',
  radius: 'high',
  reason: 'It is a fork bomb: it copies itself until the machine stops responding.',
}
const LEAKS: Danger = {
  category: 'exfiltration',
  radius: 'high',
  reason: 'It reads credentials and has a network connection to send them through.',
}
const SHOWS: Danger = { category: 'secret-read', radius: 'medium', reason: 'It reads a file that holds credentials.' }
