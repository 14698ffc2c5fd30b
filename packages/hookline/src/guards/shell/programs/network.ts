import { flagValues, parseArguments, readOptions } from '../../../shell/index.ts'
import { isMetadataUrl } from '../../network/index.ts'
import { spend } from '../budget.ts'
import { COPIES_SECRET, DELETES_BY_REQUEST, HANDS_OVER, OFFERS_SHELL, SENDS_SECRET } from '../dangers.ts'
import { judgeWrite } from '../losses.ts'
import { placeOf, resolvePath } from '../places.ts'
import { runScript, runWords } from '../scripts.ts'
import { isSecret, mustStay } from '../sensitive.ts'
import { type Field, field, isKnown, NAME, PATH, type Stream, stream, type Taint } from '../text.ts'
import type { Arguments, Call, Danger } from '../types.ts'
import { contentOf, holdsBelow } from '../written.ts'
import { DELETING_MUTATION, LETS_IN, LETS_IN_PATH } from './forges.ts'
import type { Family } from './rules.ts'

const CURL =
  '-A:b:c:C:d:D:e:E:F:h:H:K:m:o:P:Q:r:t:T:u:U:w:x:X:y:Y:z: --data= --data-raw= --data-binary= --data-urlencode= --data-ascii= --json= --form= --form-string= ' +
  '--upload-file= --output= --output-dir= --request= --header= --user= --user-agent= --cookie= --cookie-jar= --cert= --key= --cacert= --config= --proxy= --url= --max-time= ' +
  '--connect-timeout= --retry= --referer= --write-out= --resolve= --range= --netrc-file= --unix-socket= --dump-header= --interface= --dns-servers='
const WGET =
  '-a:A:B:D:e:i:I:l:o:O:P:Q:R:t:T:U:w:X: --post-data= --post-file= --body-data= --body-file= --method= --header= --output-document= --output-file= --directory-prefix= --user= --password= --execute= --input-file= --use-askpass= --ca-certificate= --private-key= --certificate='
const DENO = '-c:p: --config= --import-map= --package='
const SSH = '-B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:T:'

/** Programs that talk to other machines. */
export const network: Family = {
  judges: {
    'curl curlie': judgeCurl,
    'wget wget2': judgeWget,
    'http https xh xhs httpie': (call) => {
      const secret = call.args.some(
        (word) => /@/.test(word.text) && isSecret(field(word.text.replace(/^[^@]*@/, '')), call.state),
      )
      const verb = call.args.find((word) => /^(?:GET|POST|PUT|PATCH|DELETE|PURGE|HEAD)$/i.test(word.text))?.text ?? ''
      if (secret || leaksInput(call)) return SENDS_SECRET
      const urls = call.args.filter((word) => !/^-|[=@]|:=/.test(word.text.replace(/\?.*$/, '')) && word.text !== verb)
      return judgeRequest(verb, urls.slice(0, 1), call.args.slice(1))
    },
    'scp sftp rcp croc magic-wormhole wormhole ffsend transfer': (call) => {
      const args = parseArguments(call.args, readOptions(SSH))
      runProxyCommand(args, call)
      const remote = args.operands.at(-1)?.text.includes(':') || !/^scp|rcp$/.test(call.name)
      const sends = args.operands.slice(0, -1).concat(/^scp|rcp$/.test(call.name) ? [] : args.operands)
      if ((remote && sends.some((word) => holdsSecret(word, call))) || putsSecret(call)) return SENDS_SECRET
      for (const program of flagValues(args, 'S')) if (program) runWords([program], call)
      const target = args.operands.at(-1)
      return target && !target.text.includes(':') ? judgeWrite(target, call.state) : undefined
    },
    'rsync rclone gsutil s3cmd mc azcopy lftp ftp tftp smbclient mutt mail mailx sendmail swaks': (call) =>
      sendsHome(call) ||
      leaksInput(call) ||
      putsSecret(call) ||
      call.args.some((word) => holdsSecret(word, call) && !word.text.startsWith('-'))
        ? SENDS_SECRET
        : undefined,
    'aws gsutil rclone s3cmd mc azcopy rsync scp b2 gcloud s5cmd': (call) => {
      const { operands } = parseArguments(call.args, readOptions('-e:i:P:o:'))
      const copies =
        /^(?:rsync|scp)$/.test(call.name) ||
        operands.some(({ text }) => /^(?:cp|copy|copyto|mv|move|sync|put|mirror|upload|rsync)$/.test(text))
      const away = /:/.test(operands.at(-1)?.text ?? '') || call.name === 'mc'
      return copies && away && operands.slice(0, -1).some((word) => isHoard(word, call)) ? SENDS_HOARD : undefined
    },
    aws: (call) => {
      const words = call.args.map((word) => word.text)
      const uploads = words[0] === 's3' && /^(?:cp|mv|sync)$/.test(words[1] ?? '')
      return (uploads && call.args.slice(2, -1).some((word) => holdsSecret(word, call))) || leaksInput(call)
        ? SENDS_SECRET
        : undefined
    },
    gh: (call) => {
      const words = call.args.map((word) => word.text)
      const publishes = words[0] === 'gist' || (words[0] === 'release' && /^(?:create|upload)$/.test(words[1] ?? ''))
      const posts = /^(?:issue|pr|gist|release|api|discussion|run|workflow)$/.test(words[0] ?? '')
      if (posts && call.args.some((word) => carriesSecret(word) || isCredentialAlone(word))) return SENDS_SECRET
      // Made for secrets; still, whose this is should be somebody's word.
      if (/^(?:secret|variable)$/.test(words[0] ?? '') && (call.args.some(carriesSecret) || leaksInput(call)))
        return HANDS_OVER
      return publishes && (leaksInput(call) || call.args.some((word) => holdsSecret(word, call)))
        ? SENDS_SECRET
        : undefined
    },
    'deno npx bunx': (call) => {
      const { operands } = parseArguments(call.args, readOptions(DENO))
      const program = operands.find(
        (word) => call.name !== 'deno' || !/^(?:run|serve|install|test|bench)$/.test(word.text),
      )
      return /^(?:git\+)?(?:https?|ssh|git):\/\/|^(?:github|gitlab|bitbucket|gist):/i.test(program?.text ?? '')
        ? RUNS_REMOTE
        : undefined
    },
    'pip pip3 pipx uv uvx npm npx pnpm yarn bun bunx gem go cargo brew apm code conda mamba poetry pdm composer': (
      call,
    ) => {
      const at = call.args.findIndex(({ text }) => INSTALLS.test(text))
      const runs = /x$/.test(call.name) || RUNS.test(call.args[at]?.text ?? '')
      if (!runs && at < 0) return undefined
      // Behind the program that is run, an address is its own business.
      const program = call.args.findIndex(
        ({ text }, each) => each > at && !text.startsWith('-') && !/^-/.test(call.args[each - 1]?.text ?? ''),
      )
      const given = runs && program >= 0 ? call.args.slice(0, program + 1) : call.args
      const unseen = runs && given.some(({ text }) => /^(?:github|gitlab|bitbucket|gist):/i.test(text))
      return unseen || given.some(({ text }, each) => isForeignPackage(text, given[each - 1]?.text ?? ''))
        ? INSTALLS_FOREIGN
        : undefined
    },
    'nc ncat netcat socat telnet openssl cryptcat': judgeSocket,
    'az gcloud docker podman': (call) =>
      call.args.some(({ text }) => /^(?:upload|upload-batch|cp|copy)$/.test(text)) &&
      call.args.some((word) => !word.text.startsWith('-') && isSecret(word, call.state))
        ? SENDS_SECRET
        : undefined,
    'pbcopy xclip xsel wl-copy clip clip.exe': (call) => (leaksInput(call) ? COPIES_SECRET : undefined),
    'dpkg rpm apt apt-get dnf yum zypper installer msiexec': (call) =>
      call.args.some((word) => /[./]/.test(word.text) && contentOf(word, call.state).taints.includes('remote'))
        ? RUNS_REMOTE
        : undefined,
    'ssh slogin autossh mosh': (call) => {
      const args = parseArguments(call.args, readOptions(SSH), true)
      runProxyCommand(args, call)
      if (flagValues(args, 'R').length > 0) return OPENS_TUNNEL
      return leaksInput(call) ? SENDS_SECRET : undefined
    },
    'dig nslookup host ping ping6 drill traceroute tracepath whois fping hping3 kdig resolvectl': (call) =>
      call.args.some(carriesSecret) || leaksInput(call)
        ? LEAKS_BY_NAME
        : call.args.some(({ text }) => COMPUTED_NAME.test(text))
          ? COMPUTES_NAME
          : undefined,
    'iwr invoke-webrequest irm invoke-restmethod': (call) =>
      call.args.some((word) => carriesSecret(word) || (!word.text.startsWith('-') && holdsSecret(word, call)))
        ? SENDS_SECRET
        : judgeRequest(
            call.args[call.args.findIndex(({ text }) => /^-method$/i.test(text)) + 1]?.text ?? '',
            call.args.filter(({ text }) => /^https?:/i.test(text)),
            [],
          ),
    'localtunnel lt': (call) => (call.args.some(({ text }) => /^(?:-p|--port)/.test(text)) ? OPENS_TUNNEL : undefined),
    'ngrok localtunnel lt cloudflared bore chisel frpc tailscale': (call) =>
      /^(?:http|tcp|tls|start|tunnel|client|server|funnel|local)$/.test(call.args[0]?.text ?? '') &&
      !/^(?:list|login|info)$/.test(call.args[1]?.text ?? '')
        ? OPENS_TUNNEL
        : undefined,
    'iptables ip6tables nft ufw firewall-cmd pfctl': (call) =>
      call.args.some((word) =>
        /^(?:-F|--flush|flush|disable|reset|-X|-P|--policy|-d|--zero|delete|--panic-on|any|--remove-[\w-]+|--remove-[\w-]+=.*)$/.test(
          word.text,
        ),
      )
        ? OPENS_FIREWALL
        : undefined,
  },
}

function judgeCurl(call: Call): Danger[] {
  const args = parseArguments(call.args, readOptions(CURL))
  const dangers: Danger[] = []
  const bodies = flagValues(
    args,
    'd|F|T|--data|--data-binary|--data-raw|--data-urlencode|--data-ascii|--json|--form|--upload-file',
  )
  const sent = bodies.filter((value) => value !== undefined)
  const fromInput = sent.some((value) => /^@?-$|=@-/.test(value.text))
  if (
    sent.some((value) => isCredentialAlone(value) || carriesSecret(value) || namesSecret(value, call)) ||
    (fromInput && leaksInput(call))
  )
    dangers.push(SENDS_SECRET)
  else if (fromInput && sendsBulk(call) && !args.operands.every(({ text }) => isLocal(text))) dangers.push(SENDS_UNSEEN)
  else if (
    args.operands
      .concat(flagValues(args, 'H|--header|A|--user-agent|b|--cookie').filter((value) => value !== undefined))
      .some(carriesSecret)
  )
    dangers.push(SENDS_SECRET)
  for (const target of flagValues(args, 'o|--output')) {
    const danger = target && judgeWrite(target, call.state)
    if (danger) dangers.push(danger)
  }
  const method = flagValues(args, 'X|--request').at(-1)?.text.toUpperCase()
  const urls = args.operands.concat(flagValues(args, '--url').filter((value) => value !== undefined))
  if (urls.some(({ text }) => isMetadataUrl(text))) dangers.push(SHOWS_MACHINE)
  if (dangers.length === 0 && namesForeignCredential(urls, call)) dangers.push(SENDS_SECRET)
  else if (dangers.length === 0 && [...urls, ...sent].some(isCredential) && !isOwn(urls, call)) dangers.push(SENDS_KEY)
  dangers.push(...judgeRequest(method ?? '', urls, sent))
  for (const config of flagValues(args, 'K|--config'))
    if (config && configLeaks(config.text === '-' ? call.wiring.stdin : contentOf(config, call.state), call))
      dangers.push(SENDS_SECRET)
  if ((method && method !== 'GET' && method !== 'HEAD') || sent.length > 0) {
    if (args.operands.some((word) => approvesItself(word.text))) dangers.push(APPROVES)
  }
  return dangers
}

function judgeWget(call: Call): Danger[] {
  const args = parseArguments(call.args, readOptions(WGET))
  const files = flagValues(args, '--post-file|--body-file').filter((value) => value !== undefined)
  const bodies = flagValues(args, '--post-data|--body-data|--header').filter((value) => value !== undefined)
  const leaks = files.some(
    (word) => holdsSecret(word, call) || (/^(?:-|\/dev\/stdin)$/.test(word.text) && leaksInput(call)),
  )
  const dangers: Danger[] = leaks || bodies.concat(args.operands).some(carriesSecret) ? [SENDS_SECRET] : []
  if (args.operands.some(({ text }) => isMetadataUrl(text))) dangers.push(SHOWS_MACHINE)
  if (dangers.length === 0 && namesForeignCredential(args.operands, call)) dangers.push(SENDS_SECRET)
  else if (dangers.length === 0 && [...args.operands, ...bodies].some(isCredential) && !isOwn(args.operands, call))
    dangers.push(SENDS_KEY)
  for (const target of flagValues(args, 'O|P|--output-document|--directory-prefix')) {
    const danger = target && judgeWrite(target, call.state)
    if (danger) dangers.push(danger)
  }
  for (const command of flagValues(args, '--use-askpass')) if (command) runScript(command, call)
  dangers.push(...judgeRequest(flagValues(args, '--method').at(-1)?.text ?? '', args.operands, bodies))
  return dangers
}

/** A request that deletes: by its method, its path or what it says. What is on this machine is somebody's own test. */
function judgeRequest(method: string, urls: readonly Field[], bodies: readonly Field[]): Danger[] {
  const remote = urls.filter((word) => !isLocal(word.text))
  if (urls.length > 0 && remote.length === 0) return []
  const verb = method.toUpperCase()
  const body = bodies.map(({ text }) => text).join('\n')
  const changes = /^(?:POST|PUT|PATCH)$/.test(verb) || (verb === '' && bodies.length > 0)
  if (changes && remote.some(({ text }) => LETS_IN_PATH.test(text))) return [LETS_IN]
  const deletes =
    verb === 'DELETE' ||
    verb === 'PURGE' ||
    (changes && DELETING_PATH.test(remote.map(({ text }) => text).join('\n'))) ||
    (/\bmutation\b/.test(body) && DELETING_MUTATION.test(body))
  if (!deletes) return []
  return remote.some(({ text }) => STORES.test(text)) ? [DELETES_OVER_HTTP] : [DELETES_BY_REQUEST]
}

const isLocal = (url: string): boolean =>
  /^(?:https?:\/\/)?(?:[^/@]*@)?(?:localhost|[\w-]+\.localhost|127(?:\.\d+){0,3}|0\.0\.0\.0|\[::1?\]|host\.docker\.internal)(?::\d*)?(?:[/?#]|$)|^:\d*(?:\/|$)|^\//i.test(
    url,
  )

/** Paths by which services delete, whatever the method: `_delete_by_query`, `purge_cache`, `/refunds`. */
const DELETING_PATH =
  /\/(?:_delete_by_query|purge\w*|refunds?|_truncate|truncate|drop|wipe\w*|destroy\w*|terminate\w*|bulk[_-]?delete|delete[\w-]*|_close|_shutdown)(?:[/?#]|$)/im

const hostOf = (url: string): string | undefined =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@?#]*@)?(\[[^\]]*\]|[^/:?#]+)/i
    .exec(url)?.[1]
    ?.replace(/^\[|\]$/g, '')
    .toLowerCase()

const isCredential = ({ taints }: Field): boolean => taints.includes('credential')

/** Where a credential is at home: on this machine, or at the service that it has its name from. */
const isOwn = (urls: readonly Field[], { args }: Call): boolean =>
  urls.every(({ text }) => isLocal(text) || ownersIn(args).some((owner) => isOf(owner, hostOf(text) ?? '')))

const isOf = (owner: string, host: string): boolean => (HOSTS_OF[owner] ?? [owner]).some((part) => host.includes(part))

/** Services that the credentials of a command are of, as far as their names say so. */
const ownersIn = (args: readonly Field[]): string[] =>
  args
    .flatMap(({ taints }) => taints)
    .flatMap((taint) => (taint.startsWith('of:') ? [taint.slice(3)] : []))
    .filter((owner) => SERVICES_WITH_KEYS.has(owner))

/** A credential that has the name of one service, on its way to another: `$GITHUB_TOKEN` to anywhere but GitHub. */
function namesForeignCredential(urls: readonly Field[], { args }: Call): boolean {
  const [url, ...others] = urls
  const known = url && (isKnown(url.text) || /^https?:\/\/[\w.-]+[/?#]/i.test(url.text))
  const host = known && others.length === 0 && !isLocal(url.text) ? hostOf(url.text) : undefined
  return host !== undefined && ownersIn(args).some((owner) => !isOf(owner, host))
}

/** Who hands out keys in variables of these names, and where they are used. */
const HOSTS_OF: Readonly<Record<string, readonly string[]>> = {
  gh: ['github', 'ghcr.io'],
  glab: ['gitlab'],
  aws: ['amazonaws', 'aws.'],
  gcloud: ['google'],
  gcp: ['google'],
  gemini: ['google'],
  az: ['azure', 'microsoft', 'windows.net'],
  npm: ['npmjs', 'npm.'],
  fly: ['fly.'],
  hf: ['huggingface'],
  do: ['digitalocean'],
  cf: ['cloudflare'],
}
const SERVICES_WITH_KEYS: ReadonlySet<string> = new Set(
  [...Object.keys(HOSTS_OF)].concat(
    'github gitlab openai anthropic google azure stripe slack discord telegram twilio sendgrid mailgun cloudflare heroku vercel netlify huggingface mistral cohere groq replicate sentry datadog supabase firebase shopify notion linear figma digitalocean docker pypi'.split(
      ' ',
    ),
  ),
)

/** The ports and names of data stores. */
const STORES =
  /:(?:9200|9201|5984|8086|8500|2379|6333|8983|15672|8428|19530)(?:\/|$)|\/_all\b|\/_cat\b|elastic|couchdb|opensearch/i

/** Options of curl in a file: `data = @.env`. */
function configLeaks(config: Stream | undefined, call: Call): boolean {
  const outputs = (config?.text ?? '').matchAll(/^[\s-]*(?:output|o)\s*[=: ]\s*"?([^"\n]*)/gm)
  if ([...outputs].some(([, path = '']) => judgeWrite(field(path), call.state))) return true
  const values = (config?.text ?? '').matchAll(/^[\s-]*(?:data\S*|form|upload-file|F|d|T)\s*[=: ]\s*"?([^"\n]*)/gm)
  return [...values].some(([, value = '']) => namesSecret(field(value), call))
}

function approvesItself(url: string): boolean {
  return (
    /^(?:https?:\/\/)?(?:localhost|127\.|\[::1\]|0\.0\.0\.0|host\.docker\.internal)/.test(url) &&
    /hook|approv|trust|permission|guard/i.test(url.replace(/^https?:\/\/[^/]*/, ''))
  )
}

function judgeSocket(call: Call): Danger[] {
  const words = call.args.map((word) => word.text)
  const dangers: Danger[] = []
  const executes =
    call.name === 'socat'
      ? words.some((word) => /^(?:exec|system|shell):/i.test(word))
      : call.name !== 'openssl' && words.some((word) => /^-[a-zA-Z]*[ec]$|^--(?:sh-)?exec|^--lua-exec/.test(word))
  if (executes) dangers.push(OFFERS_SHELL)
  for (const word of call.name === 'socat' ? call.args : []) {
    const [, command] = /^(?:exec|system|shell):([^,]*)/is.exec(word.text) ?? []
    if (command !== undefined) runScript(stream(command, word.taints), call)
  }
  const network = call.name !== 'openssl' || words[0] === 's_client'
  if (/^\s*(?:flush_all|flushall|flushdb|shutdown)\b/im.test(call.wiring.stdin?.text ?? ''))
    dangers.push(DELETES_OVER_HTTP)
  if (network && call.wiring.stdin?.taints.includes('credential')) dangers.push(SENDS_SECRET)
  if (
    network &&
    (leaksInput(call) ||
      call.args.some((word) => isSecret(field(word.text.replace(/^(?:FILE|OPEN|GOPEN):/i, '')), call.state)))
  )
    dangers.push(SENDS_SECRET)
  if (network && dangers.length === 0 && sendsUnseen(call)) dangers.push(SENDS_UNSEEN)
  return dangers
}

/** What only the run knows goes over a raw connection to another machine; a request that is written out does not. */
function sendsUnseen({ args, wiring }: Call): boolean {
  const hosts = args.flatMap(
    ({ text }) => /^(?:(?:tcp|tcp4|openssl|udp):)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?$/i.exec(text)?.[1] ?? [],
  )
  return wiring.stdin !== undefined && !isKnown(wiring.stdin.text) && hosts.some((host) => !isLocal(host))
}

function runProxyCommand(args: Arguments, call: Call): void {
  for (const option of flagValues(args, 'o')) {
    const [, command] = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.*)$/is.exec(option?.text ?? '') ?? []
    if (command !== undefined) runScript(stream(command, option?.taints ?? []), call)
  }
}

/** A file of credentials or of what was typed, by its name or because this line has put them there. */
function holdsSecret(word: Field, { state, run }: Call): boolean {
  spend(run, STEPS_OF_CONTENT)
  return (
    isSecret(word, state) ||
    mustStay(word, state) ||
    contentOf(word, state).taints.some(isPrivate) ||
    holdsBelow(word, state, isPrivate)
  )
}
const isPrivate = (taint: Taint): boolean => taint === 'secret' || taint === 'environment' || taint === 'typed'

/** A directory in which credentials lie among everything else: a home, its settings, the system's. */
const isHoard = (word: Field, { state }: Call): boolean => {
  if (/^[^/]*:/.test(word.text)) return false
  const place = placeOf(word, state)
  const path = resolvePath(word.text, state) ?? ''
  return (
    place === 'home' ||
    place === 'root' ||
    /^\/(?:etc|root)$/.test(path) ||
    path === `${state.home}/.config` ||
    path === `${state.home}/.local`
  )
}
const SENDS_HOARD: Danger = {
  category: 'exfiltration',
  radius: 'medium',
  reason: 'It sends a directory away in which credentials lie among other files.',
}

/** What a file holds is looked for in what the line has written, and among all the paths that matter. */
const STEPS_OF_CONTENT = 10

/** All of a home, or where programs keep what they sign in with, to a place that is no path of this machine. */
const sendsHome = ({ args, state }: Call): boolean =>
  args.some(({ text }) => /^[\w.-]*(?:@[\w.-]+)?:(?!\/\/)|^\w+:\/\//.test(text)) &&
  args.some(({ text }, at) => {
    const path = text.startsWith('-') || at === args.length - 1 ? undefined : resolvePath(text, state)
    return path !== undefined && HOLDS_ALL.test(path.slice(state.home.length)) && path.startsWith(state.home)
  })
const HOLDS_ALL = /^\/?$|^\/(?:\.config|\.local(?:\/share)?|Library(?:\/Application Support)?|AppData.*)\/?$/

/** Commands for a session with a server, on its input: `put .env`. */
const putsSecret = (call: Call): boolean =>
  [
    ...(call.wiring.stdin?.text ?? '')
      .slice(0, LONGEST_SESSION)
      .matchAll(/^\s*(?:m?put|send|append|reput)\s+(?:-\w+\s+)*(.*)$/gim),
  ].some(([, names = '']) => names.split(/\s+/).some((name) => name !== '' && holdsSecret(field(name), call)))
const LONGEST_SESSION = 4_096

const leaksInput = (call: Call) =>
  (call.wiring.stdin?.taints ?? []).some((taint) => isPrivate(taint) || taint === 'credential')
const sendsBulk = ({ wiring }: Call): boolean => wiring.stdin?.taints.includes('bulk') === true
const carriesSecret = (word: Field) => word.taints.some(isPrivate)

/** A body that is a credential and nothing else: no service asks for it like that. */
const isCredentialAlone = ({ text, taints }: Field): boolean =>
  taints.includes('credential') && /^[\uE000\uE001]$/.test(text)

/** `@file`, `name=@file`, `<file`: a body read from a file. */
function namesSecret(value: Field, call: Call): boolean {
  if (
    value.listed !== undefined &&
    isSecret(field(value.listed.replaceAll(NAME, 'x').replaceAll(PATH, '')), call.state)
  )
    return true
  const path = /^(?:[^=@]*=)?[@<](.*)$/.exec(value.text)?.[1]?.replace(/;.*$/, '')
  if (path === '-' || path === '/dev/stdin') return leaksInput(call)
  if (path !== undefined) return holdsSecret({ ...value, text: path }, call)
  return holdsSecret(value, call) && !/[={]/.test(value.text)
}

const make = (category: Danger['category'], reason: string): Danger => ({ category, radius: 'high', reason })
const SENDS_UNSEEN: Danger = {
  category: 'exfiltration',
  radius: 'medium',
  reason: 'It sends a file or the output of a command over a raw connection to another machine.',
}
const SENDS_KEY: Danger = {
  category: 'exfiltration',
  radius: 'medium',
  reason: 'It sends a credential to a server, in its address or as data.',
}
const SHOWS_MACHINE: Danger = {
  category: 'secret-read',
  radius: 'medium',
  reason: 'It asks the cloud for the credentials of this machine.',
}
/** `$(cat x).example.com`: what a command prints, as part of a name that somebody else answers for. */
const COMPUTED_NAME = /\uE001[^\s/]*\.[\w-]+\.(?!local$|internal$)[a-z]{2,}\.?$/i
const COMPUTES_NAME: Danger = {
  category: 'exfiltration',
  radius: 'medium',
  reason: 'It looks up a name that holds the output of a command: whoever answers for it can read that.',
}
const LEAKS_BY_NAME = make('exfiltration', 'It hides secret data in the names it looks up.')
/** An archive by its address, or a list of packages without encryption: neither has a name that anybody could look up. */
function isForeignPackage(text: string, before: string): boolean {
  const [, found] =
    /^(?:[\w.[\]-]+\s*@\s*|--[\w-]+=)?((?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh|git):\/\/.*)$/i.exec(text) ?? []
  const url = found
    ?.replace(/^\w+\+/, '')
    .replace(/^(?:ssh|git):/i, 'https:')
    .replace(/^(https?:\/\/)[^/@]*@/i, '$1')
  if (url === undefined || isLocal(url)) return false
  const list = /^(?:-i|--(?:extra-)?index-url|--registry|--index|--find-links|-f|-s|--source)(?:=|$)/
  if (list.test(text) || list.test(before)) return /^http:/i.test(url)
  return (
    !KNOWN_HOSTS.test(url) &&
    !/^--(?:proxy|https-proxy|cafile|cert|userconfig|url|tag|prefix|client-cert|trusted-host|find-links)$/.test(before)
  )
}
const KNOWN_HOSTS =
  /^https:\/\/(?:[\w-]+\.)*(?:github\.com|githubusercontent\.com|gitlab\.com|bitbucket\.org|codeberg\.org|pythonhosted\.org|pypi\.org|npmjs\.(?:org|com)|pkg\.pr\.new|pytorch\.org|huggingface\.co|jsr\.io|rubygems\.org|googleapis\.com)\//i
const INSTALLS = /^(?:install|add|i|pip|download|run|exec|dlx|require|--install-extension)$/
const RUNS = /^(?:run|exec|dlx)$/
const INSTALLS_FOREIGN: Danger = {
  category: 'remote-exec',
  radius: 'medium',
  reason: 'It installs code by an address, from a place that is no registry.',
}
const RUNS_REMOTE = make('remote-exec', 'It runs a program straight from the internet, which nobody has read.')
const OPENS_TUNNEL = make('system', 'It opens this machine to the internet.')
const OPENS_FIREWALL = make('system', 'It removes the firewall rules that protect this machine.')
const DELETES_OVER_HTTP = make('database', 'It deletes data from a database over its web interface.')
const APPROVES = make('self-protection', 'It approves hooks on behalf of the person who should decide.')
