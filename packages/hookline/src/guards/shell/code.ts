/** One-liners of other languages: their string literals and the functions they call, read structurally. */

import { spend, spendOnText } from './budget.ts'
import { DELETES_BY_REQUEST, STOPS_ALL } from './dangers.ts'
import { decodeBase64, decodeHex } from './decode.ts'
import { isScratchName } from './deletions.ts'
import { report } from './findings.ts'
import { withHomes } from './homes.ts'
import { readLiterals } from './literals.ts'
import { judgeDelete, judgeWrite } from './losses.ts'
import { type Place, placeOf } from './places.ts'
import { runScript } from './scripts.ts'
import { isSecret } from './sensitive.ts'
import { type Field, field, isKnown, type Stream, stream } from './text.ts'
import { doubt, newTrace, seeFile, seeHost } from './trace.ts'
import type { Call, Danger } from './types.ts'

const RUNS_SHELL =
  /(?:^|[^\w])(?:system|execute|[Pp]open\d?|exec[lv]?p?e?|execSync|execFileSync|execFile|spawn|spawnSync|spawn[lv]p?e?|call|check_call|check_output|getoutput|getstatusoutput|run|shell_exec|passthru|proc_open|pcntl_exec|startfile|command|shell|do shell script|Open3\.\w+|Kernel\.\w+|create_subprocess_shell|Bun\.\$|System\.cmd|os:cmd)\s*[([\s"'`|]|["']\s*\.!{1,2}/
const RUNS_LIST =
  /(?:Popen|run|call|check_call|check_output|spawn|spawnSync|execFile|execFileSync|exec[lv]p?|system|Command|System\.cmd)\s*\(\s*(?:\[|['"])/
const RUNS_COMPUTED =
  /(?:system|[Pp]open\d?|exec(?:Sync|ute)?|spawn(?:Sync)?|shell_exec|passthru|proc_open|run|call|check_output|getoutput|Open3\.\w+)\s*\(?\s*(?:\[\s*)?[$@]?[a-z_]\w*\b(?!\s*\()/
const SEVERAL_WORDS = /(?:exec|spawn|system|Popen|run|call|cmd)\w*\s*\(\s*(?:"[^"]*"|'[^']*')\s*,\s*['"]/
const MODULES = /^(?:node:)?(?:child_process|fs|os|path|https?|util|process)(?:\/\w+)?$/
const DELETES_TREE =
  /\b(?:rmtree|rm_rf|rm_r|remove_entry_secure|remove_dir_all|remove_tree|remove_dir|remove_entry|RemoveAll|deleteDir|deleteRecursively|deleteDirectory|removeItem|delete-directory|removeSync|emptyDirSync|rimraf|deltree|rmSync|rmdirSync|fs\.(?:promises\.)?rm|fs\.rmdir|Deno\.remove(?:Sync)?|removeDirectoryRecursive|removePathForcibly|Directory\.Delete|remove_all|deleteTree|removeDir|removeItemAtPath|DeleteDirectory)\b|\bfile\s+delete\s+-force\b|\b(?:unlink|rm|remove|delete)\b[^\n;]*\b(?:recursive|recurse)\s*[=:]>?\s*(?:TRUE|true|True)/
const DELETES_FILE =
  /\b(?:unlink(?:Sync)?|os\.remove|os\.rmdir|removedirs|File\.delete|File\.unlink|FileUtils\.rm\w*|Path\([^)]*\)\.(?:unlink|rmdir)|remove_file|os\.Remove|Files\.delete\w*|truncate(?:Sync)?)\b|\.(?:unlink|rmdir)\s*\(|\bfile\s+delete\b/
/** Goes through a tree: what it deletes then, is the tree. */
const WALKS =
  /\b(?:os\.walk|os\.scandir|scandir|listdir|glob|iglob|rglob|Find|finddepth|Dir\.(?:glob|children|each_child|foreach|entries)|Dir\[|readdir(?:Sync)?|walkSync|WalkDir|filepath\.Walk|RecursiveDirectoryIterator|list\.files|iterdir)\b|Dir\[/
const WRITES =
  /\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|write_text|write_bytes|os\.truncate|truncateSync|file_put_contents|File\.write|IO\.write|copy[fF]ile(?:Sync)?|copy_stream|copytree|cpSync|fs\.cp|shutil\.\w+|FileUtils\.(?:cp|mv|install|ln)\w*|symlink(?:Sync)?|link(?:Sync)?|chmod(?:Sync)?|rename(?:Sync)?|renames|os\.replace|File::Copy|Files\.(?:copy|move|write\w*)|os\.Rename|os\.WriteFile)\b|\.replace\s*\(\s*target\s*=|\bPath\([^)]*\)\.replace\s*\(/
/** What stands first is no longer there afterwards. */
const MOVES =
  /\b(?:shutil\.move|os\.(?:rename|renames|replace)|rename(?:Sync)?|FileUtils\.mv|File\.rename|Files\.move|os\.Rename)\s*\(\s*(?:"([^"]*)"|'([^']*)')/g
const READS = /\b(?:open|readFile(?:Sync)?|read_text|read_bytes|file_get_contents|File\.read|IO\.read|fopen|slurp)\b|<>/
/** What stands first behind a call that opens something is a file, whatever it looks like. */
const OPENS =
  /\b(?:open|Path|rmtree|\w{0,24}?(?:[rR]ead|[wW]rite|append)\w{0,24}|rm\w{0,24}|remove\w{0,24}|unlink\w{0,24}|truncate\w{0,24}|mkdir\w{0,24}|rename\w{0,24}|cop[yi]\w{0,24})\s{0,9}\(\s*(?:"([^"]*)"|'([^']*)')/g
const NETWORK =
  /\b(?:LWP::Simple|got|undici|urlopen|urlretrieve|requests\.\w+|httpx\.\w+|fetch|https?\.(?:get|request)|Net::HTTP|LWP|IO::Socket|socket|fsockopen|createConnection|axios|URI\.open|curl_exec|TCPSocket|net\.connect)\b/
/** A connection of its own, by which anything may come and go. */
const SOCKETS =
  /\b(?:TCPSocket|UNIXSocket|fsockopen|stream_socket_client|socket_connect|createConnection|create_connection|net\.(?:connect|Dial|Socket)|IO::Socket\w*|TcpStream|Socket::INET|WebSocket|open_connection)\b|[.:]connect(?:_ex)?\s*\(/
const SENDS = /\b(?:post|put|patch|POST|PUT|PATCH|data|json|files|body|sendall|send)\b\s*[=:(]|\.(?:post|put|patch)\b/
const EVALUATES =
  /(?:^|[^\w.])(?:exec|eval|compile|Function|instance_eval|assert|loadstring|load|vm\.run\w*)\s*\(|(?:^|[^\w.$'"])eval\b(?!\s*['"])/
const DECODES =
  /\b(?:b64decode|base64_decode|atob|decode64|unhexlify|fromhex|decode_base64|Buffer\.from|(?:un)?pack|codecs\.decode|FromBase64String|marshal\.loads|zlib\.decompress|fromCharCode|fromCodePoint)\b|\bbytes(?:array)?\(\s*\[|\bchr\(|\[::-1\]/
/** All rows of a table, or all tables, by what libraries for databases call that. */
const WIPES_DATA =
  /\b(?:delete_all|destroy_all|drop_all|dropDatabase|dropCollection|dropSchema|truncate_tables?|flushall|flushdb|flushAll)\b\s*!?\s*\(?|\.deleteMany\(\s*(?:\{\s*(?:where\s*:\s*\{\s*\}\s*)?\}\s*)?\)|\bobjects\.all\(\)\.delete\(|\b[A-Z]\w*(?:::|\.)truncate\(|\bsync\(\s*\{\s*force\s*:\s*true/
const ASKS_DATABASE = /\b(?:execute\w*|query|raw|exec|\$executeRaw\w*|run|sql|prepare|command|text)\b\s*[(`<]/
const WIPES_BY_SQL =
  /^\s*(?:drop\s+(?:table|database|schema|keyspace|collection)\b|truncate\s+(?:table\s+)?\w+|delete\s+from\s+[\w."`]+\s*;?\s*$)/i
const KILLS_EVERYTHING = /\bkill\s*\(?\s*-1\b|\bkill\s*\(?\s*(?:9|15)\s*,\s*-1\b/
const CLOUD_LIBRARY =
  /\bboto3\b|\bgoogle\.cloud\b|@google-cloud\/|\bazure\.(?:mgmt|storage|identity)\b|@azure\/|@aws-sdk\/|\baws-sdk\b|\bkubernetes\b|\bdigitalocean\b|\bhcloud\b/
const DELETES_THERE =
  /\.(?:delete\w*|terminate\w*|destroy\w*|purge\w*|begin_delete\w*)\s*\(|\b(?:Delete|Terminate)\w+Command\b/
/** Names of files that hold secrets, as a pattern: `*.env`, `**\/*.pem`. */
const SECRET_NAMES =
  /^(?:\*\*\/)?\*?\.(?:env|pem|key|p12|pfx|kdbx|ppk)\*?$|^(?:\*\*\/)?(?:id_(?:rsa|ed25519|ecdsa)\*?|credentials)$/
/** A credential that becomes part of an address: `'https://…?t=' + process.env.NPM_TOKEN`. */
const GLUES_SECRET =
  /https?:\/\/(?!localhost|127\.|\[::1\])[^\s'"`]{1,200}(?:['"`]\s{0,9}[+.]\s{0,9}|\$\{|#\{|\{)\s{0,9}(?:process\.env\b|os\.(?:environ|getenv)\b|ENV\b|getenv\b)[^\s;]{0,9}?\w{0,40}(?:TOKEN|SECRET|PASSW|API_?KEY|CREDENTIAL)/i
/** A dialog that looks like the system's own: only the system asks for passwords. */
const ASKS_PASSWORD = /\bdisplay dialog\b[\s\S]{0,400}\bhidden answer\b/i
/** What a person keeps in the keyring of the system. */
const ASKS_KEYRING =
  /\bkeyring\.get_(?:password|credential)\b|\bkeytar\.(?:getPassword|findCredentials)\b|\bSecItemCopyMatching\b|\bsecretstorage\b/
/** Takes the rights of another user. */
const RAISES = /\bset(?:res)?[ug]id\s*\(\s*0|\bProcess::Sys\.set|\bPOSIX::set[ug]id\s*\(?\s*0/
/** `rmtree('.')`, `d = '.'`: where it stands, and not one of many words of a command. */
const HERE = /(?:[=(]|\bin)\s*[a-z]?["'`]\.\/?["'`]/
const LOOPS = /\b(?:while|loop|for|setInterval|forever)\b/
const SPAWNS_ITSELF =
  /\bspawn\w*\s*\(\s*process\.(?:argv|execPath)|\bfork\s*\(\s*__filename|Popen\s*\(\s*\[?\s*sys\.(?:argv|executable)/
/** Names of functions, as strings: `getattr(os, 'system')`. */
const RUNNERS = /^(?:system|popen|exec|execSync|spawn|spawnSync|run|call|check_output|rmtree|rmSync|unlink|remove)$/
const REFLECTS =
  /\b(?:getattr|__import__|import_module|globals|vars|require|send|public_send|method|Reflect|array_map|array_walk|call_user_func\w*|apply|map)\b|\[\s*['"]/
const DELETES_BY_HTTP =
  /\b(?:requests|httpx|session|client|axios|http|got|superagent|conn)\s*\.\s*delete\s*\(|\bNet::HTTP::Delete\b|\bHttpMethod\.DELETE\b/i
/** All variables of the environment at once. */
const DUMPS_ENVIRONMENT =
  /\bos\.environ(?:\.(?:copy|items|values)\b|(?!\s*[.[\w]))|\bprocess\.env(?!\s*[.[\w])|\bENV\.(?:to_h|to_a|inspect|to_json)\b|%ENV\b|\bgetenv\(\)/
const SHELL_PROGRAM = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k)?sh(?:\s|$)|^cmd(?:\.exe)?$|^powershell/

/** Judges code; what it would hand to a shell is judged as shell. */
export function judgeCode(code: Stream, call: Call, depth = 0): void {
  const { run, state, shown } = call
  const flag = (danger: Danger) => report(run, 'destructive', danger, shown)
  if (code.taints.includes('remote')) flag(REMOTE)
  if (!isKnown(code.text) && code.taints.includes('decoded')) flag(HIDDEN)
  // A dozen expressions are looked for in it, and those that compute a home.
  spendOnText(run, code.text.length, 6)
  const readings = withHomes(code.text, state.home).map((each) => ({
    text: each,
    ...readLiterals(each, (length) => spendOnText(run, length, 32)),
  }))
  const { text, bare } = readings[0] ?? { text: '', bare: '' }
  const literals = [...new Set(readings.flatMap((each) => each.literals))]
  spend(run, literals.length * 4)
  const words = literals
    .filter((literal) => !/^\.\/?$/.test(literal) || HERE.test(text))
    .map((literal) => asPath(literal.replace(/^>+\s*/, '').replace(/^~(?=\/|$)/, state.home)))

  const [known, whole] = [new Set(literals), joinList(literals)]
  const reflects = REFLECTS.test(text) && literals.some((each) => RUNNERS.test(each))
  const shells =
    literals.some((each) => /^(?:node:)?child_process$/.test(each)) ||
    reflects ||
    RUNS_SHELL.test(bare) ||
    /`/.test(bare) ||
    /\bqx\b|%x/.test(bare)
  const list = RUNS_LIST.test(text) && (text.includes('[') || SEVERAL_WORDS.test(text)) ? joinList(literals) : undefined
  if (shells) {
    for (const script of shellScripts(text, literals)) judgeQuietly(script, call, looksRun(script, list, known, whole))
    if (list !== undefined) for (const script of laterStarts(literals)) judgeQuietly(script, call, false)
  }
  if (EVALUATES.test(bare) || shells) {
    if (NETWORK.test(bare) && (EVALUATES.test(bare) || literals.some((each) => SHELL_PROGRAM.test(each)))) flag(REMOTE)
    if (DECODES.test(bare)) {
      const decoded = literals.flatMap((literal) => decodings(literal))
      for (const script of decoded) judgeQuietly(script, call)
      flag(HIDDEN)
    }
  }
  if ((NETWORK.test(bare) || SOCKETS.test(bare)) && literals.some((each) => SHELL_PROGRAM.test(each))) flag(REMOTE)
  // Commands that come from the other end are no text of this program.
  if (shells && SOCKETS.test(bare) && (RUNS_COMPUTED.test(bare) || /`[^`]*#\{/.test(text))) flag(REMOTE)
  if (!isKnown(text)) doubt(run, HALF_KNOWN)
  const sends = SENDS.test(bare)
  for (const each of literals) if (/^(?:https?|wss?|ftp):\/\//i.test(each)) seeHost(field(each), sends, call)
  if ((/\bfork\b/.test(bare) || SPAWNS_ITSELF.test(bare)) && LOOPS.test(bare)) flag(BOMB)
  const remote = literals.some(
    (each) => /^https?:\/\//i.test(each) && !/^https?:\/\/(?:localhost|127\.|\[::1\]|0\.0\.0\.0)/i.test(each),
  )
  if (remote && EVALUATES.test(bare) && (NETWORK.test(bare) || READS.test(bare) || /\bget\b/.test(bare))) flag(REMOTE)
  if (remote && (DELETES_BY_HTTP.test(bare) || (NETWORK.test(bare) && literals.some((each) => /^delete$/i.test(each)))))
    flag(DELETES_BY_REQUEST)
  if (NETWORK.test(bare) && DUMPS_ENVIRONMENT.test(text)) flag(LEAKS)
  if (
    WIPES_DATA.test(bare) ||
    (ASKS_DATABASE.test(bare) && literals.some((each) => WIPES_BY_SQL.test(each)) && !literals.includes(':memory:'))
  )
    flag(WIPES)
  if (KILLS_EVERYTHING.test(bare)) flag(STOPS_ALL)
  if (/\bpty\.spawn\b/.test(bare) && literals.some((each) => SHELL_PROGRAM.test(each))) flag(OPENS_SHELL)
  if (
    call.name === 'osascript' &&
    /\b(?:delete|empty|erase)\b[\s\S]*\b(?:item|items|folder|file|files|disk|trash)\b/i.test(text)
  )
    flag(SCRIPTED)
  if (CLOUD_LIBRARY.test(text) && DELETES_THERE.test(bare)) flag(DELETES_BY_REQUEST)
  if (READS.test(bare) && WALKS.test(bare) && literals.some((each) => SECRET_NAMES.test(each))) flag(SHOWS)
  if (GLUES_SECRET.test(text)) flag(LEAKS)
  if (ASKS_PASSWORD.test(text)) flag(PHISHES)
  if (ASKS_KEYRING.test(bare)) flag(SHOWS)
  if (RAISES.test(bare)) flag(RAISES_ITSELF)
  if (EVALUATES.test(bare) && depth < DEEPEST_CODE)
    for (const each of literals.slice(0, 20)) if (/[\w.]\s*\(/.test(each)) judgeCode(stream(each), call, depth + 1)
  const opensToWrite = /\bopen\b/.test(bare) && literals.some((each) => /^(?:[wax]b?\+?|r\+|>.*)$/.test(each))
  const [wholes, single, writes, reads] = [DELETES_TREE, DELETES_FILE, WRITES, READS].map(
    (calls) => calls.test(bare) || (reflects && (calls === DELETES_TREE || calls === DELETES_FILE) && calls.test(text)),
  )
  const tree = wholes || (single && WALKS.test(bare))
  const globs = literals.filter((each) => each.includes('*')).map((each) => each.split('/').at(-1) ?? each)
  const spare = globs.length > 0 && globs.every(isScratchName)
  const moved = new Set([...text.matchAll(MOVES)].map(([, double, single]) => double ?? single ?? ''))
  const opened = new Set([...text.matchAll(OPENS)].map(([, double, single]) => double ?? single ?? ''))
  for (const word of words) {
    if ((tree || single) && !(spare && SPARED.has(placeOf(word, state))))
      for (const danger of judgeDelete(word, tree === true, true, state)) flag(danger)
    const isPath = /^[\w.~/-]*[./~][\w.~/-]*$/.test(word.text)
    if (isPath || opened.has(word.text)) {
      if (reads) seeFile(word, 'read', call)
      if (writes || opensToWrite) seeFile(word, 'write', call)
      if (tree || single || moved.has(word.text))
        seeFile(word, 'delete', call, { recursive: tree === true || moved.has(word.text) })
    }
    if (moved.has(word.text) && LEFT.has(placeOf(word, state)))
      for (const danger of judgeDelete(word, true, true, state)) flag(danger)
    // Programs that go through a project leave it out by this name; a file in it is named with its path.
    if (!isPath || (/^\.git\/?$/.test(word.text) && !opened.has(word.text))) continue
    const danger = (writes || opensToWrite) && placeOf(word, state) !== 'sink' ? judgeWrite(word, state) : undefined
    if (danger) flag(danger)
    if (reads && isSecret(word, state) && !isPattern(word.text, text, bare)) flag(NETWORK.test(bare) ? LEAKS : SHOWS)
  }
  // Someone who writes shell into another language's -e means it.
  if (/^\s*(?:sudo\s+)?(?:rm|dd|mkfs\S*|shred)\s+-/.test(text)) judgeQuietly(text, call)
  if (/^(?:tclsh|wish|expect)/.test(call.name))
    for (const [, command = ''] of text.matchAll(/\b(?:exec|spawn)\s{1,9}([^\n;\]]{1,2000})/g))
      judgeQuietly(command, call)
}

/** `r'\\.ssh/id_'` among expressions that text is searched with: a name to look for, and none that is opened. */
const isPattern = (literal: string, text: string, bare: string): boolean =>
  /\bre\.(?:compile|search|match|fullmatch|findall|finditer|subn?)\b/.test(bare) &&
  (text.includes(`r"${literal}"`) || text.includes(`r'${literal}'`)) &&
  !new RegExp(`\\(\\s*r["']${literal.replace(/[^\w/]/g, '\\$&')}["']`).test(text)

/** `…`, `qx{…}` of Perl and `%x(…)` of Ruby, between whatever stands around it. */
const QUOTED_COMMAND =
  /(?:\bqx|%x)\s{0,9}(?:([^\w\s,;=({[<])([^\n]{0,2000}?)\1|\{([^}]*)|\(([^)]*)|\[([^\]]*)|<([^>]*))|`([^`]*)`/g

const DEEPEST_CODE = 3
const LEFT: ReadonlySet<Place> = new Set(['root', 'system', 'home', 'home-child', 'device'])
const SPARED: ReadonlySet<Place> = new Set(['start', 'inside', 'artefact', 'temp', 'unknown'])

/** `/home/**` is everything in /home. */
const asPath = (text: string): Field => field(text.replace(/(?<=.)\/\*+(?:\/.*)?$/, '').replace(/^\/\*.*$/, '/'))

/** Literals that are, or are glued into, a command line; a list of them is one command. */
function shellScripts(text: string, literals: readonly string[]): string[] {
  const joined = RUNS_LIST.test(text) || /\b(?:exec|system)\s{1,9}['"]/.test(text) ? [joinList(literals)] : []
  const backquoted = new Set(
    [...text.matchAll(QUOTED_COMMAND)].map((found) => found.slice(2).find((each) => each) ?? ''),
  )
  return [...literals, ...joined, ...backquoted, ...literals.flatMap(decodings)]
}

/** `('subprocess').run(['rm', '-rf', '/'])`: a command may begin with any of the words. */
function laterStarts(literals: readonly string[]): string[] {
  const starts = literals.flatMap((each, at) => (at > 0 && /^[a-z][\w.-]*$/.test(each) ? [at] : []))
  return starts.slice(0, MOST_STARTS).map((at) => joinList(literals.slice(at)))
}
const MOST_STARTS = 6

/** Of a list of words, the whole is the command; else a line of words, a bare name, or a path to a program. */
function looksRun(script: string, list: string | undefined, literals: ReadonlySet<string>, whole: string): boolean {
  if (script === list) return true
  if (MODULES.test(script)) return false
  if (!literals.has(script)) return script !== whole
  return /^[\w./~-]+\s+\S/.test(script) || (list === undefined && /^(?:[\w-]*[a-z][\w-]*|\.{0,2}\/\S+)$/.test(script))
}

function decodings(literal: string): string[] {
  if (literal.length < 8) return []
  return [decodeBase64(literal), decodeHex(literal)].filter(
    (each) => each !== undefined && /^[\x20-\x7e\s]{3,}$/.test(each),
  ) as string[]
}

const joinList = (literals: readonly string[]): string =>
  literals.filter((each) => each !== '' && !MODULES.test(each)).join(' ')

/** A literal may be anything: only what is destructive about it counts, and only what looks like a command is one. */
function judgeQuietly(script: string, call: Call, looksRun = true): void {
  if (script === '') return
  const findings: typeof call.run.findings = []
  try {
    runScript(stream(script), {
      ...call,
      run: { ...call.run, findings, ...(looksRun ? {} : { trace: newTrace() }) },
      ...(looksRun ? {} : { seen: undefined }),
      wiring: { ...call.wiring, stdin: undefined },
    })
  } finally {
    call.run.findings.push(...findings.filter((finding) => finding.verdict === 'destructive'))
  }
}

const HALF_KNOWN = 'Part of the code is only known when it runs.'
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
const OPENS_SHELL: Danger = {
  category: 'hidden-exec',
  radius: 'medium',
  reason: 'It opens a shell, for whatever is typed next.',
}
const SCRIPTED: Danger = {
  category: 'fs-delete',
  radius: 'medium',
  reason: 'It makes another application delete files.',
}
const WIPES: Danger = { category: 'database', radius: 'high', reason: 'It deletes all rows of a table, or all tables.' }
const RAISES_ITSELF: Danger = { category: 'privilege', radius: 'high', reason: 'It takes the rights of another user.' }
const PHISHES: Danger = {
  category: 'secret-read',
  radius: 'high',
  reason: 'It asks the user for a password in a dialog of its own.',
}
const SHOWS: Danger = { category: 'secret-read', radius: 'medium', reason: 'It reads a file that holds credentials.' }
