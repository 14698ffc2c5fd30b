/** Which hosts programs talk to, by their words, and whether they send something along. */
import type { Field } from '../../guards/shell/index.ts'
import type { Arguments } from '../../shell/index.ts'
import { known, unknownSlot } from '../types.ts'
import { type Doing, type Effect, hasFlag, type Program, parse, touch, values, word } from './effect.ts'
import { hostSlot, remoteOf, type Target, targetOf } from './hosts.ts'

const CURL =
  '-A:b:c:C:d:D:e:E:F:h:H:K:m:o:P:Q:r:t:T:u:U:w:x:X:y:Y:z: --data= --data-raw= --data-binary= --data-urlencode= --data-ascii= --json= --form= --form-string= ' +
  '--upload-file= --output= --output-dir= --request= --header= --user= --user-agent= --cookie= --cookie-jar= --cert= --key= --cacert= --capath= --config= --proxy= --url= --max-time= ' +
  '--connect-timeout= --connect-to= --retry= --retry-delay= --retry-max-time= --referer= --write-out= --resolve= --range= --netrc-file= --unix-socket= --abstract-unix-socket= --dump-header= --interface= --dns-servers= ' +
  '--max-redirs= --limit-rate= --proxy-user= --oauth2-bearer= --ciphers= --tls-max= --stderr= --trace= --trace-ascii= --hostpubmd5= --preproxy= --socks5= --socks5-hostname= --socks4= --variable= --url-query= --aws-sigv4= --doh-url= --max-filesize= --etag-save= --etag-compare= --local-port= --noproxy= --rate= --pubkey='
const WGET =
  '-a:A:B:D:e:i:I:l:o:O:P:Q:R:t:T:U:w:X: --post-data= --post-file= --body-data= --body-file= --method= --header= --output-document= --output-file= --append-output= --directory-prefix= --user= --password= --execute= --input-file= --use-askpass= --ca-certificate= --private-key= --certificate= --tries= --timeout= --wait= --level= --accept= --reject= --domains= --user-agent= --referer= --load-cookies= --save-cookies= --limit-rate= --quota= --base='
const SSH = '-B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:'

export const network: Readonly<Record<string, Program>> = {
  curl,
  'wget wget2': wget,
  'http https xh xhs httpie': httpie,
  'aria2c axel': (doing) => {
    const args = parse(
      doing.args,
      '-o:d:i:j:s:x:k:n:S: --out= --dir= --input-file= --header= --max-connection-per-server= --split=',
    )
    const [folder] = values(args, 'd|--dir')
    const names = values(args, 'o|--out')
    const targets = names.length > 0 ? names : args.operands.map(lastPart)
    return [
      ...fetches(args.operands),
      ...touch('read', values(args, 'i|--input-file')),
      ...touch(
        'write',
        targets.map((name) => below(folder, name)),
      ),
    ]
  },
  'lynx w3m links elinks browsh': (doing) =>
    fetches(
      parse(doing.args, '-a:b:n:').operands.filter(({ text }) =>
        /^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[:/]|$)/i.test(text),
      ),
    ),
  'getent resolvectl': (doing) =>
    doing.args.filter(({ text }) => /\w\.\w/.test(text)).map((each) => fetch({ host: hostSlot(each.text) })),
  'mount mount.nfs mount.cifs curlftpfs': (doing) =>
    parse(doing.args, '-t:o:L:U: --types= --options=')
      .operands.slice(0, 1)
      .flatMap((each) => {
        const share = each.text.startsWith('//') ? targetOf(each) : remoteOf(each)
        return share ? [fetch(share, true)] : []
      }),
  'ssh slogin autossh mosh sshfs ssh-copy-id': (doing) => {
    const args = parseFirst(doing.args, SSH)
    const [host, ...rest] = args.operands
    const jump = hops(args)
    const sends = rest.length > 0 || doing.name === 'ssh-copy-id'
    return [
      ...[host, ...jump].flatMap((each) => (each ? [fetch({ host: sshHost(each) }, sends && each === host)] : [])),
      ...touch('read', values(args, 'i|F')),
    ]
  },
  'scp rcp rsync sftp': transfer,
  'nc ncat netcat cryptcat telnet': (doing) => {
    const args = parse(
      doing.args,
      '-c:e:g:G:i:m:M:o:O:p:q:s:T:w:W:x:X:b:I: --sh-exec= --exec= --proxy= --source= --wait=',
    )
    if (hasFlag(args, 'l|--listen')) return []
    return args.operands.slice(0, 1).map((host) => fetch({ host: hostSlot(host.text) }, doing.name !== 'telnet'))
  },
  socat: (doing) =>
    doing.args.flatMap((each) => {
      const [, host] =
        /^(?:tcp|tcp4|tcp6|udp|udp4|openssl|ssl|socks\w*|proxy)(?:-connect)?:(\[[^\]]*\]|[^:,]*)/i.exec(each.text) ?? []
      return host === undefined ? [] : [fetch({ host: hostSlot(host) }, true)]
    }),
  'ftp tftp lftp smbclient mysql mariadb psql mongo mongosh mongodump redis-cli pg_dump pg_restore mysqldump': database,
  'ping ping6 dig nslookup host whois traceroute tracepath mtr nmap fping drill': (doing) =>
    parse(doing.args, '-c:i:p:s:t:w:W:I:n:m:q:x: --port=')
      .operands.filter(({ text }) => /[.:]|^localhost$/.test(text) && !text.startsWith('+'))
      .map((each) => fetch({ host: hostSlot(each.text.replace(/^@/, '')) })),
  openssl: (doing) => {
    const [verb] = doing.args
    const at = doing.args.findIndex(({ text }) => text === '-connect')
    const to = at >= 0 ? doing.args[at + 1] : doing.args.slice(1).find(({ text }) => /^[^-].*:\d+$/.test(text))
    return verb?.text === 's_client' && to ? [fetch({ host: hostSlot(to.text) }, true)] : []
  },
  npm: npm,
  'pnpm yarn bun': npm,
  'npx bunx pnpx': (doing) => {
    const args = parseFirst(doing.args, '-p:c: --package= --call=')
    const direct = [...args.operands.slice(0, 1), ...values(args, 'p|--package')].filter(({ text }) =>
      /^(?:https?|git\+\w+|git|ssh):\/\//i.test(text),
    )
    return [
      ...(hasFlag(args, 'y|--yes') || doing.name === 'pnpx' ? [fetch({ host: known(NPM) })] : []),
      ...direct.map((each) => fetch(targetOf(each))),
    ]
  },
  'pip pip3 pipx uv uvx poetry pdm twine': pip,
  'gem bundle': (doing) => registry(doing, /^(?:install|update|push|fetch|outdated|search)$/, 'rubygems.org', /^push$/),
  cargo: (doing) =>
    registry(
      doing,
      /^(?:install|publish|add|update|search|fetch|yank|owner)$/,
      'crates.io',
      /^(?:publish|yank|owner)$/,
    ),
  go: (doing) => [
    ...registry(doing, /^(?:get|install)$/, 'proxy.golang.org', /^$/),
    ...(/^(?:get|install|run)$/.test(doing.args[0]?.text ?? '') ? doing.args.slice(1) : [])
      .filter(({ text }) => /^[\w-]+(?:\.[\w-]+)+\/./.test(text))
      .map((each) => fetch({ host: hostSlot(each.text.split('/')[0] ?? '') })),
  ],
  composer: (doing) => registry(doing, /^(?:install|update|require)$/, 'packagist.org', /^$/),
  'apt apt-get brew dnf yum apk pacman zypper snap': () => [],
  'docker podman nerdctl': docker,
  gh: (doing) => github(doing, 'github.com', 'api.github.com'),
  glab: (doing) => github(doing, 'gitlab.com', 'gitlab.com'),
  aws,
  'gsutil gcloud': (doing) =>
    doing.args.some(({ text }) => text.startsWith('gs://'))
      ? [fetch({ host: known('storage.googleapis.com') }, sendsLast(doing, /^gs:/)), ...localCopies(doing, /^gs:/)]
      : [],
  'ngrok cloudflared lt localtunnel bore': () => [fetch({ host: unknownSlot }, true)],
  'mail mailx mutt sendmail swaks msmtp': (doing) =>
    doing.args.filter(({ text }) => text.includes('@')).map((each) => fetch({ host: hostSlot(each.text) }, true)),
}

/** Other hosts than the one that is named: through which, to which, and which it really is. */
function hops(args: Arguments<Field>): Field[] {
  const set = values(args, 'o').flatMap(({ text }) => {
    const [, value] = /^\s*(?:proxyjump|hostname)\s*[=\s]\s*(.*)$/is.exec(text) ?? []
    return value === undefined ? [] : [value]
  })
  const led = values(args, 'L|W').map(({ text }) => text.replace(/^(?:[^:]*:)??(?:\d+:)?(?=[^:]+:\d+$)/, ''))
  const through = values(args, 'J').map(({ text }) => text)
  return [...set, ...through]
    .flatMap((text) => text.split(','))
    .concat(led)
    .map(word)
}

const NPM = 'registry.npmjs.org'

export const fetch = (to: Target, sends = false): Effect => ({ does: 'fetch', to, ...(sends ? { sends } : {}) })
const fetches = (words: readonly (Field | undefined)[], sends = false): Effect[] =>
  words.flatMap((each) => (each && !/^file:/i.test(each.text) ? [fetch(targetOf(each), sends)] : []))

function curl({ args: words }: Doing): Effect[] {
  const args = parse(words, CURL)
  const bodies = values(args, 'd|--data|--data-binary|--data-urlencode|--data-ascii|--json')
  const forms = values(args, 'F|--form')
  const uploads = values(args, 'T|--upload-file')
  const methods = values(args, 'X|--request').map(({ text }) => text.toUpperCase())
  const asQuery = hasFlag(args, 'G|--get') && uploads.length + forms.length === 0
  const sends =
    (!asQuery &&
      hasFlag(
        args,
        'd|F|T|--data|--data-raw|--data-binary|--data-urlencode|--data-ascii|--json|--form|--form-string|--upload-file',
      )) ||
    (asQuery && bodies.length > 0) ||
    methods.some((method) => /^(?:POST|PUT|PATCH|DELETE)$/.test(method))
  const urls = [...args.operands, ...values(args, '--url')]
  const local = urls.filter(({ text }) => /^file:\/\//i.test(text))
  const [folder] = values(args, '--output-dir')
  const named = hasFlag(args, 'O|--remote-name|--remote-name-all') ? urls.map(lastPart) : []
  return [
    ...fetches(urls, sends),
    ...fetches(values(args, 'x|--proxy|--preproxy|--socks5|--socks5-hostname|--socks4|--doh-url')),
    ...values(args, '--connect-to').flatMap((each) => insteadOf(each, 2)),
    ...values(args, '--resolve').flatMap((each) => insteadOf(each, 2)),
    // What a file of options says is not read.
    ...(hasFlag(args, 'K|--config') ? [fetch({ host: unknownSlot }, sends)] : []),
    ...touch(
      'read',
      local.map((each) => ({ ...each, text: each.text.replace(/^file:\/\/[^/]*/i, '') })),
    ),
    ...touch('read', [
      ...bodies.flatMap((each) => fileOf(each, /^(?:[^=@]*=?)?@(.*)$/s)),
      ...forms.flatMap((each) => fileOf(each, /^[^=]*=[@<]([^;]*)/s)),
      ...uploads,
      ...values(args, 'K|--config|--netrc-file|E|--cert|--key'),
      ...values(args, 'b|--cookie').filter(({ text }) => !text.includes('=')),
      ...values(args, 'H|--header').flatMap((each) => fileOf(each, /^@(.*)$/s)),
    ]),
    ...touch('write', [
      ...[...values(args, 'o|--output'), ...named].map((each) => below(folder, each)),
      ...values(args, 'c|--cookie-jar|D|--dump-header|--trace|--trace-ascii|--stderr|--etag-save'),
    ]),
  ]
}

function wget({ args: words }: Doing): Effect[] {
  const args = parse(words, WGET)
  const outputs = values(args, 'O|--output-document')
  const [folder] = values(args, 'P|--directory-prefix')
  const prints = hasFlag(args, '--spider') || outputs.some(({ text }) => text === '-')
  const saved = outputs.length > 0 || prints ? outputs : args.operands.map((each) => below(folder, lastPart(each)))
  const methods = values(args, '--method').map(({ text }) => text.toUpperCase())
  const sends =
    hasFlag(args, '--post-data|--post-file|--body-data|--body-file') ||
    methods.some((method) => !/^(?:GET|HEAD)$/.test(method))
  const recursive = hasFlag(args, 'r|m|--recursive|--mirror')
  const settings = values(args, 'e|--execute').some(({ text }) => /proxy|base|input/i.test(text))
  return [
    ...fetches(args.operands, sends),
    ...fetches(values(args, 'B|--base')),
    // The addresses in a file, and where settings lead, are not read.
    ...(settings || hasFlag(args, 'i|--input-file') ? [fetch({ host: unknownSlot }, sends)] : []),
    ...touch('read', values(args, '--post-file|--body-file|i|--input-file|--load-cookies')),
    ...(recursive ? touch('write', [folder ?? word('.')], true) : touch('write', saved)),
    ...touch('write', values(args, 'o|a|--output-file|--append-output|--save-cookies')),
  ]
}

function httpie({ args: words }: Doing): Effect[] {
  const args = parse(
    words,
    '-a:A:o:s:p: --auth= --output= --style= --print= --session= --timeout= --proxy= --verify= --cert=',
  )
  const [first, ...rest] = args.operands
  const method =
    /^[A-Z]+$/i.test(first?.text ?? '') && /^(?:get|post|put|patch|delete|head|options)$/i.test(first?.text ?? '')
  const url = method ? rest[0] : first
  const items = method ? rest.slice(1) : rest
  const sends =
    items.some(({ text }) => /[:=]?=|@/.test(text) && !/^[^=@]*(?:==|:(?!=))/.test(text)) ||
    (method && !/^(?:get|head|options)$/i.test(first!.text))
  const target = url && { ...url, text: url.text.replace(/^:(?=\d|\/|$)/, 'localhost:') }
  return [
    ...fetches([target], sends),
    ...touch(
      'read',
      items.flatMap((each) => fileOf(each, /^[^=@:]*[:=]{0,2}@(.*)$/s)),
    ),
    ...touch('write', values(args, 'o|--output')),
  ]
}

/** scp, rsync, sftp: what has a host in front is there, the rest is here. */
function transfer(doing: Doing): Effect[] {
  const options =
    doing.name === 'rsync'
      ? '-e:f:T:B:M: --rsh= --exclude= --include= --files-from= --exclude-from= --include-from= --filter= --rsync-path= --bwlimit= --timeout= --port= --log-file= --backup-dir= --chmod= --chown= --max-size= --min-size= --link-dest= --compare-dest= --partial-dir= --out-format= --password-file='
      : SSH
  const args = parse(doing.args, options)
  if (doing.name === 'sftp')
    return args.operands.slice(0, 1).map((each) => fetch(remoteOf(each) ?? { host: hostSlot(each.text) }, true))
  const target = args.operands.at(-1)
  const sources = args.operands.slice(0, -1)
  const recursive = hasFlag(args, 'r|a|--recursive|--archive')
  const there = target && remoteOf(target)
  const deletes = hasFlag(args, '--delete|--delete-after|--delete-before|--delete-during|--delete-excluded|--del')
  return [
    ...sources.flatMap((each): Effect[] => {
      const from = remoteOf(each)
      return from ? [fetch(from)] : touch('read', [each], recursive)
    }),
    ...(doing.name === 'rsync' ? [] : hops(args).map((each) => fetch({ host: sshHost(each) }))),
    ...(there ? [fetch(there, true)] : touch('write', [target], recursive || sources.length > 1)),
    ...(deletes && !there ? touch('delete', [target], true) : []),
    ...(hasFlag(args, '--remove-source-files')
      ? touch(
          'delete',
          sources.filter((each) => !remoteOf(each)),
          true,
        )
      : []),
    ...touch('read', [
      ...values(args, '--files-from|--password-file'),
      ...(doing.name === 'rsync' ? [] : values(args, 'i|F')),
    ]),
  ]
}

function database(doing: Doing): Effect[] {
  const args = parse(
    doing.args,
    '-h:p:P:u:U:d:D:f:o:e:c:n:a:H: --host= --port= --user= --username= --dbname= --file= --output= --execute= --command= --uri=',
  )
  const hosts = values(args, doing.name === 'redis-cli' ? 'h|--host' : 'h|H|--host')
  const named = [...args.operands, ...values(args, 'd|--dbname')].flatMap(({ text }) => {
    const [, host] = /(?:^|\s)host(?:addr)?\s*=\s*'?([^\s']+)/i.exec(text) ?? []
    return host === undefined ? [] : [word(host)]
  })
  const urls = [...args.operands, ...values(args, 'd|--dbname|u|--uri')].filter(({ text }) =>
    /^[a-z+]+:\/\//i.test(text),
  )
  const plain = /^(?:ftp|tftp|lftp)$/.test(doing.name)
    ? args.operands.slice(0, 1).filter(({ text }) => !text.includes('://'))
    : doing.name === 'smbclient'
      ? args.operands.slice(0, 1).map((each) => ({ ...each, text: each.text.replace(/^[/\\]+([^/\\]*).*$/s, '$1') }))
      : []
  return [
    ...[...hosts, ...plain, ...named]
      .filter(({ text }) => !text.startsWith('/'))
      .map((each) => fetch({ host: hostSlot(each.text) }, true)),
    ...urls.map((each) => fetch(targetOf(each), true)),
    ...touch('read', values(args, /^(?:psql|pg_restore)$/.test(doing.name) ? 'f|--file' : '')),
    ...touch('write', values(args, doing.name === 'pg_dump' ? 'f|--file' : doing.name === 'psql' ? 'o|--output' : '')),
  ]
}

function npm(doing: Doing): Effect[] {
  const args = parse(
    doing.args,
    '-C:w:F: --registry= --prefix= --dir= --workspace= --filter= --cwd= --tag= --access= --otp=',
  )
  const [verb, ...operands] = args.operands
  const name = verb?.text ?? (doing.name === 'yarn' ? 'install' : '')
  if (!NPM_TALKS.test(name)) return []
  const [own] = values(args, '--registry')
  const sends = /^(?:publish|unpublish|deprecate|dist-tag|owner|access|adduser|login|token)$/.test(name)
  const direct = operands.filter(({ text }) => /^(?:https?|git\+\w+|git|ssh):\/\/|^git@/i.test(text))
  const shorthand = operands.some(
    ({ text }) => /^(?:github:|[\w.-]+\/[\w.-]+(?:#.*)?$)/.test(text) && !text.startsWith('@') && !text.startsWith('.'),
  )
  return [
    fetch(own ? targetOf(own) : { host: known(NPM) }, sends),
    ...direct.map((each) => fetch(remoteOf({ ...each, text: each.text.replace(/^git\+/, '') }) ?? targetOf(each))),
    ...(shorthand ? [fetch({ host: known('github.com') })] : []),
  ]
}

const NPM_TALKS =
  /^(?:i|in|ins|inst|install|ci|clean-install|add|update|up|upgrade|publish|unpublish|deprecate|dist-tag|owner|access|adduser|login|token|view|info|show|search|outdated|audit|dlx|create|init|install-test|it|fetch|star|ping)$/

function pip(doing: Doing): Effect[] {
  const args = parse(
    doing.args,
    '-r:c:i:f:e:t:p: --requirement= --constraint= --index-url= --extra-index-url= --find-links= --editable= --target= --python= --index= --repository-url= --repository=',
  )
  const verbs = args.operands.map(({ text }) => text)
  const talks =
    doing.name === 'uvx' ||
    verbs
      .slice(0, 2)
      .some((verb) => /^(?:install|download|add|sync|lock|update|upload|publish|wheel|search|run)$/.test(verb))
  if (!talks || (verbs[0] === 'run' && doing.name !== 'pipx')) return []
  const own = values(args, 'i|--index-url|--index|--repository-url')
  const sends = verbs.some((verb) => /^(?:upload|publish)$/.test(verb))
  const direct = [...args.operands, ...values(args, 'e|--editable')].filter(({ text }) =>
    /^(?:[\w.[\]-]+\s*@\s*)?(?:git\+|https?:|ssh:)/i.test(text),
  )
  const files = sends ? args.operands.slice(1) : []
  return [
    ...(own.length > 0 ? fetches(own, sends) : [fetch({ host: known(sends ? 'upload.pypi.org' : 'pypi.org') }, sends)]),
    ...fetches(values(args, '--extra-index-url')),
    ...direct.map((each) =>
      fetch(
        targetOf({
          ...each,
          text: each.text.replace(/^[^@:]*@\s*(?=git\+|https?:)|^git\+/g, '').replace(/^git\+/, ''),
        }),
      ),
    ),
    ...touch('read', [...values(args, 'r|c|--requirement|--constraint'), ...files]),
  ]
}

function registry(doing: Doing, talks: RegExp, host: string, sending: RegExp): Effect[] {
  const [verb] = parse(doing.args, '--registry= --index= -C:').operands
  return talks.test(verb?.text ?? '') ? [fetch({ host: known(host) }, sending.test(verb?.text ?? ''))] : []
}

function docker(doing: Doing): Effect[] {
  const args = parse(doing.args, '-H:c:f:t: --context= --host= --config= --platform= --file= --tag=')
  const [verb, image] = args.operands[0]?.text === 'image' ? args.operands.slice(1) : args.operands
  const daemons = values(args, 'H|--host').filter(({ text }) => /^(?:tcp|ssh):/i.test(text))
  if (/^(?:run|create)$/.test(verb?.text ?? '')) return [...fetches(daemons), ...imageHosts(doing.args)]
  if (!/^(?:pull|push|login)$/.test(verb?.text ?? '')) return fetches(daemons)
  const first = image?.text.split('/')[0] ?? ''
  const own = verb?.text === 'login' ? image !== undefined : image?.text.includes('/') && /[.:]|^localhost$/.test(first)
  const host = own || (image && !/^[\w./:@-]*$/.test(first)) ? hostSlot(first) : known('docker.io')
  return [...fetches(daemons), fetch({ host }, verb?.text !== 'pull')]
}

/** The first word that names a registry: what an option is given looks otherwise. */
function imageHosts(args: readonly Field[]): Effect[] {
  const image = args.find(({ text }) => /^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?\/[\w./:@-]+$/i.test(text))
  return image ? [fetch({ host: hostSlot(image.text.split('/')[0] ?? '') })] : []
}

function github(doing: Doing, site: string, api: string): Effect[] {
  const args = parse(
    doing.args,
    '-R:X:f:F:H:t:b:B:F: --repo= --method= --field= --raw-field= --header= --input= --hostname= --title= --body= --body-file=',
  )
  const [topic, verb, ...rest] = args.operands
  if (!topic || /^(?:help|version|alias|completion|config|extension)$/.test(topic.text)) return []
  const [own] = values(args, '--hostname')
  const host = own ? hostSlot(own.text) : known(topic.text === 'api' ? api : site)
  const method = values(args, 'X|--method')[0]?.text.toUpperCase()
  const changes =
    /^(?:create|edit|delete|close|merge|comment|upload|set|push|review|reopen|rerun|run|transfer|rename|archive|fork|sync|lock|ready|add|remove|enable|disable|cancel)$/
  const sends =
    topic.text === 'api'
      ? (method !== undefined && method !== 'GET') || hasFlag(args, 'f|F|--field|--raw-field|--input')
      : changes.test(verb?.text ?? '')
  const uploads =
    topic.text === 'gist' || (topic.text === 'release' && verb?.text === 'upload')
      ? rest.slice(topic.text === 'gist' ? 0 : 1)
      : []
  return [fetch({ host }, sends), ...touch('read', [...uploads, ...values(args, '--input|--body-file')])]
}

function aws(doing: Doing): Effect[] {
  const args = parse(
    doing.args,
    '--region= --profile= --endpoint-url= --output= --query= --bucket= --key= --body= --exclude= --include= --acl=',
  )
  const [service, verb] = args.operands
  if (!service || service.text === 'configure' || service.text === 'help') return []
  const [own] = values(args, '--endpoint-url')
  const target = own
    ? targetOf(own)
    : { host: known(`${service.text === 's3api' ? 's3' : service.text}.amazonaws.com`) }
  const sends =
    service.text === 's3'
      ? sendsLast(doing, /^s3:/) || /^(?:rm|rb|mb)$/.test(verb?.text ?? '')
      : !/^(?:get|list|describe|head|ls|wait|help)/.test(verb?.text ?? '')
  const copies = service.text === 's3' && /^(?:cp|mv|sync)$/.test(verb?.text ?? '') ? localCopies(doing, /^s3:/) : []
  return [fetch(target, sends), ...copies, ...touch('read', values(args, '--body'))]
}

/** `host:port:other:port`, `host:port:address,address`: what is meant instead, from this piece on. */
function insteadOf(each: Field, from: number): Effect[] {
  const rest = each.text.split(':').slice(from).join(':')
  return rest.split(',').flatMap((text) => (text === '' ? [] : [fetch({ host: hostSlot(text) })]))
}

const places = (doing: Doing): readonly Field[] => doing.args.filter(({ text }) => !text.startsWith('-')).slice(-2)
const sendsLast = (doing: Doing, remote: RegExp): boolean => remote.test(places(doing).at(-1)?.text ?? '')

function localCopies(doing: Doing, remote: RegExp): Effect[] {
  const [from, to] = places(doing)
  const recursive = doing.args.some(({ text }) => /^(?:sync|rsync|-r|-R|--recursive)$/.test(text))
  return [
    ...touch('read', from && !remote.test(from.text) ? [from] : [], recursive),
    ...touch('write', to && !remote.test(to.text) ? [to] : [], recursive),
  ]
}

const parseFirst = (words: readonly Field[], options: string) => parse(stopAtOperand(words, options), options)

/** The words up to the first operand, and that one: what follows belongs to the command that runs there. */
function stopAtOperand(words: readonly Field[], options: string): readonly Field[] {
  for (let end = 1; end <= words.length; end++) {
    const { operands } = parse(words.slice(0, end), options)
    if (operands.length > 0) return [...words.slice(0, end), word('--'), ...words.slice(end)]
    if (end > 64) break
  }
  return words
}

const sshHost = (each: Field) => (/^ssh:\/\//i.test(each.text) ? targetOf(each).host : hostSlot(each.text))

function fileOf(each: Field, pattern: RegExp): Field[] {
  const path = pattern.exec(each.text)?.[1]
  return path === undefined || path === '' ? [] : [{ ...each, text: path }]
}

const lastPart = (url: Field): Field => ({
  ...url,
  text:
    url.text
      .replace(/[?#].*$/, '')
      .replace(/^[a-z]+:\/\/[^/]*\/?/i, '')
      .split('/')
      .at(-1) || 'index.html',
})

const below = (folder: Field | undefined, name: Field): Field =>
  folder && !name.text.startsWith('/') ? { ...name, text: `${folder.text}/${name.text}` } : name
