/** Programs that show a directory to whoever asks, over the network. */
import { flagValues, parseArguments, readOptions } from '../../../shell/index.ts'
import { placeOf } from '../places.ts'
import { isSecret } from '../sensitive.ts'
import { type Field, field } from '../text.ts'
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

const SERVER =
  '-p:a:d:c:b:h:r:t:l:P:C:K:S:m:w:o:u: --port= --host= --bind= --directory= --dir= --root= --path= --listen='
const FOLDER = 'd|h|r|t|--directory|--dir|--root|--path'

export const servers: Family = {
  judges: {
    // By `python -m`, a module is judged as a program of that name.
    'http.server simplehttpserver pyftpdlib uploadserver': (call) => judgeServer(call, 'd|w|--directory'),
    'http-server serve live-server servor browser-sync sirv lite-server local-web-server ws miniserve darkhttpd simple-http-server static-web-server sfz dufs ran goshs updog webfsd thttpd quark':
      (call) => judgeServer(call, FOLDER),
    'caddy twistd twist': (call) =>
      /^(?:file-server|web|ftp)$/.test(call.args.find(({ text }) => !text.startsWith('-'))?.text ?? '')
        ? judgeServer({ ...call, args: call.args.slice(1) }, FOLDER)
        : undefined,
    'rclone restic': (call) =>
      call.args[0]?.text === 'serve' ? judgeServer({ ...call, args: call.args.slice(2) }, FOLDER) : undefined,
    'httpd lighttpd busybox': (call) =>
      call.name === 'busybox' && call.args[0]?.text !== 'httpd' ? undefined : judgeServer(call, 'h'),
    php: (call) => (call.args.some(({ text }) => /^-S/.test(text)) ? judgeServer(call, 't') : undefined),
    ruby: (call) =>
      call.args.some(({ text }) => text === '-run') &&
      call.args.some(({ text }) => text === 'httpd' || text === '-ehttpd')
        ? judgeServer(call, '')
        : undefined,
  },
}

/** Where it is not said, the directory that it starts in. */
function judgeServer(call: Call, options: string): Danger | undefined {
  const args = parseArguments(call.args, readOptions(SERVER))
  const named = [...flagValues(args, options), ...args.operands].filter((word) => word !== undefined)
  const shown = named.filter((word) => /[/~.]/.test(word.text))
  const all: readonly Field[] = shown.length > 0 ? shown : [field('.')]
  return all.some((word) => isPrivate(word, call)) ? SHOWS : undefined
}

const isPrivate = (word: Field, { state }: Call): boolean =>
  /^(?:root|system|home)$/.test(placeOf(word, state)) ||
  (placeOf(word, state) === 'home-child' && /(?:^|\/)\.[^/]+\/?$/.test(word.text)) ||
  isSecret(word, state)

const SHOWS: Danger = {
  category: 'exfiltration',
  radius: 'medium',
  reason: 'It shows a whole home directory, the system or credentials to whoever can reach this machine.',
}
