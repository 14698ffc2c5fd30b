/** Which files programs read, write and delete, by their words. */
import { type Field, foundBelow, isKnown, PATH, sedActions } from '../../guards/shell/index.ts'
import { type Arguments, lookup } from '../../shell/index.ts'
import type { Loses } from '../types.ts'
import { type Doing, type Effect, hasFlag, losing, type Program, parse, touch, values, word } from './effect.ts'

/** What the operands and options of a program are, where that is all there is to know. */
interface Row {
  /** Options that take a value (see shell/arguments.ts). */
  options?: string
  operands?: 'read' | 'write' | 'delete'
  /** So many operands come first that are no files, unless one of the options `unless` says the same. */
  skip?: number
  unless?: string
  /** Options whose value is a file. */
  reads?: string
  writes?: string
  /** Options that make it go through directories. `true`: it always does. */
  recursive?: string | true
  /** Without operands it works here: always, or when it goes through directories. */
  here?: 'always' | 'recursive'
  /** With this option the operands are written too. */
  inPlace?: string
  /** It prints names or numbers, and nothing that is in the files. */
  prints?: 'names'
}

const row =
  (given: Row): Program =>
  (doing) => {
    const args = parse(doing.args, given.options ?? '')
    const recursive = given.recursive === true || (given.recursive !== undefined && hasFlag(args, given.recursive))
    const skip = given.unless !== undefined && hasFlag(args, given.unless) ? 0 : (given.skip ?? 0)
    const operands = args.operands.slice(skip)
    const files =
      operands.length === 0 && (given.here === 'always' || (given.here && recursive)) ? [word('.')] : operands
    const inPlace = given.inPlace !== undefined && hasFlag(args, given.inPlace)
    const shows = given.prints === undefined
    // Of names and numbers, only what the command itself says is worth a rule.
    const looked = shows
      ? files
      : files.filter(
          ({ text, glob, listed }) =>
            isKnown(text) && listed === undefined && !(glob && /\*\*|^(?!~|.*\/\.).*[*?]$/.test(text)),
        )
    return [
      ...(given.operands ? touch(given.operands, looked, recursive && shows) : []),
      ...(inPlace ? losing(touch('write', files, recursive), 'edited') : []),
      ...(given.reads ? touch('read', values(args, given.reads)) : []),
      ...(given.writes ? touch('write', values(args, given.writes)) : []),
    ]
  }

const reader = (options: string, more: Row = {}): Program => row({ options, operands: 'read', ...more })
const writer = (options: string, more: Row = {}): Program => row({ options, operands: 'write', ...more })

export const files: Readonly<Record<string, Program>> = {
  'cat tac rev zcat gzcat bzcat xzcat zstdcat zless zmore more most pg': reader(''),
  nl: reader('-b:d:f:h:i:l:n:s:v:w:'),
  less: reader('-p:P:t:T:o:b:h:j:x:y:z:k:', { writes: 'o' }),
  'od hexdump hd strings': reader('-A:j:N:S:t:n:e:f:', { reads: 'f' }),
  'base32 base64 basenc': reader('-w:i:o: --wrap=', { reads: 'i', writes: 'o' }),
  'bat batcat': reader('-l:H:r:m: --language= --line-range= --theme= --style= --color= --paging= --highlight-line='),
  'head tail ghead gtail': reader('-# -n:c:s: --lines= --bytes= --pid= --sleep-interval='),
  'wc gwc': reader('--files0-from=', { reads: '--files0-from', prints: 'names' }),
  'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum md5': reader('--algorithm= --length=', {
    prints: 'names',
  }),
  shasum: reader('-a: --algorithm=', { prints: 'names' }),
  'diff gdiff colordiff delta vimdiff meld': reader(
    '-U:C:W:I:F:L:x:X:S: --label= --width= --exclude= --from-file= --to-file=',
    { recursive: 'r|--recursive' },
  ),
  sdiff: reader('-w:W:I:o: --output= --width=', { writes: 'o|--output' }),
  'cmp gcmp': reader('-n:i: --bytes= --ignore-initial='),
  'comm look': reader('--output-delimiter='),
  paste: reader('-d: --delimiters='),
  join: reader('-a:e:j:o:t:v:1:2:'),
  'cut gcut': reader('-d:f:c:b: --delimiter= --fields= --characters= --bytes= --output-delimiter='),
  'fold fmt pr expand unexpand': reader('-w:l:h:o: --width= --tabs='),
  column: reader('-s:o:c:N:H:R:W:O:T: --separator= --output-separator= --table-columns='),
  iconv: reader('-f:t:o: --from-code= --to-code= --output=', { writes: 'o|--output' }),
  file: reader('-f:m:F:e:P: --magic-file= --files-from=', { reads: 'f', prints: 'names' }),
  xmllint: reader('--xpath= --schema= --output= --dtdvalid=', { writes: '--output' }),
  'dos2unix unix2dos': writer(''),
  'sort gsort': reader(
    '-k:t:o:S:T: --key= --field-separator= --output= --buffer-size= --temporary-directory= --files0-from= --parallel= --sort=',
    { writes: 'o|--output', reads: '--files0-from' },
  ),
  shuf: reader('-n:o:i:e --output= --head-count= --input-range=', { writes: 'o|--output' }),
  'sed gsed': sed,
  'awk gawk mawk nawk': reader('-F:v:f:e:E:i:l:o:p: --field-separator= --assign= --file= --source= --include=', {
    skip: 1,
    unless: 'f|e|E|--file|--source',
    reads: 'f|E|--file',
  }),
  'jq gojq jaq xq': jq,
  yq: reader('-L:o:p:s:I: --output-format= --input-format= --split-exp= --indent= --from-file=', {
    skip: 1,
    inPlace: 'i|--inplace|--in-place',
  }),
  'perl ruby': (doing) => {
    const args = parse(doing.args, '-e:E:I:M::m::F:0::l::i::r:C:')
    const operands = hasFlag(args, 'e|E') ? args.operands : args.operands.slice(0, 1)
    return [...touch('read', operands), ...(hasFlag(args, 'i') ? losing(touch('write', operands), 'edited') : [])]
  },
  'uniq guniq': (doing) => {
    const { operands } = parse(doing.args, '-f:s:w: --skip-fields= --skip-chars= --check-chars=')
    return [...touch('read', operands.slice(0, 1)), ...touch('write', operands.slice(1, 2))]
  },
  xxd: (doing) => {
    const { operands } = parse(doing.args, '-c:g:l:s:o:')
    return [...touch('read', operands.slice(0, 1)), ...touch('write', operands.slice(1, 2))]
  },
  'ls ll la dir vdir exa eza lsd': reader(
    '-I:w:T: --hide= --ignore= --color= --sort= --time= --width= --format= --level=',
    {
      recursive: 'R|T|--recursive|--tree',
      here: 'always',
      prints: 'names',
    },
  ),
  tree: reader('-L:P:I:o:H:T: --filelimit= --charset=', {
    ...{ here: 'always', recursive: true, writes: 'o', prints: 'names' },
  }),
  'du ncdu': reader('-d:B:t:X: --max-depth= --exclude= --block-size= --threshold=', {
    here: 'always',
    recursive: true,
    prints: 'names',
  }),
  'find gfind': find,
  'fd fdfind': (doing) => {
    const args = parse(
      doing.args,
      '-e:E:t:d:S:o:x:X:c:j: --extension= --exclude= --type= --max-depth= --exec= --exec-batch=',
    )
    const starts = args.operands.slice(1)
    return touch('read', starts.length > 0 ? starts : [word('.')])
  },

  'rm grm trash trash-put gio-trash del-cli': row({ operands: 'delete', recursive: 'r|R|--recursive' }),
  rimraf: row({ operands: 'delete', recursive: true }),
  'rmdir unlink': row({ options: '', operands: 'delete' }),
  'shred srm wipe': (doing) => {
    const args = parse(doing.args, '-n:s: --iterations= --size= --random-source=')
    return [...touch('write', args.operands), ...touch('delete', args.operands, hasFlag(args, 'r|R'))]
  },
  'mv gmv': (doing) => {
    const args = parse(doing.args, '-t:S: --target-directory= --suffix=')
    const { sources, target } = copied(args)
    return [
      ...touch('read', sources, true),
      ...touch('delete', sources, true),
      ...losing(intoTarget(sources, target, doing, hasFlag(args, 'T|--no-target-directory')), lostByCopy(args, [])),
    ]
  },
  'rename prename': (doing) => {
    const args = parse(doing.args, '-e:E: --expression=')
    if (hasFlag(args, 'n|--no-act|--nono')) return []
    return losing(touch('write', args.operands.slice(hasFlag(args, 'e|E') ? 0 : 1)), 'edited')
  },
  'cp gcp ditto': copy,
  'install ginstall': (doing) => {
    const args = parse(doing.args, '-t:m:o:g:S: --target-directory= --mode= --owner= --group= --suffix=')
    return hasFlag(args, 'd|--directory') ? touch('write', args.operands) : copy(doing)
  },
  'ln gln link': (doing) => {
    const args = parse(doing.args, '-t:S: --target-directory= --suffix=')
    const { sources, target } = copied(args)
    const made = sources.length === 0 && target ? [target] : sources
    const at = sources.length === 0 ? word('.') : target
    // Through a link, what it leads to can be read and written under another name.
    const lost = hasFlag(args, 'f|--force') ? lostByCopy(args, made) : undefined
    return [...touch('read', made), ...losing(intoTarget(made, at, doing, false), lost)]
  },
  'tee gtee sponge': (doing) => {
    const args = parse(doing.args, '')
    return losing(touch('write', args.operands), hasFlag(args, 'a|--append') ? undefined : 'written')
  },
  'touch gtouch': writer('-d:r:t: --date= --reference= --time='),
  'mkdir gmkdir mkfifo mknod': writer('-m: --mode='),
  mktemp: () => [],
  fallocate: writer('-l:o: --length= --offset='),
  'truncate gtruncate': (doing) => {
    const args = parse(doing.args, '-s:r: --size= --reference=')
    const [size] = values(args, 's|--size')
    const grows = /^[+>]/.test(size?.text ?? '')
    return losing(touch('write', args.operands), grows ? undefined : isZero(size) ? 'emptied' : 'replaced')
  },
  'chmod gchmod': permissions,
  'chown chgrp gchown chflags chcon': permissions,
  'chattr setfacl xattr': (doing) => {
    const args = parse(doing.args, '-m:x:M:X:p:v:w: --modify= --remove= --set= --restore=')
    const files = args.operands.filter(({ text }) => !/^[+=]/.test(text))
    return touch('write', files, hasFlag(args, 'R|--recursive'))
  },
  'dd gdd': (doing) => {
    const texts = doing.args.map(({ text }) => text)
    const keeps = texts.some((text) => /^conv=.*notrunc|^oflag=.*append/.test(text))
    const blank = texts.some((text) => /^if=\/dev\/(?:null|zero|u?random)$/.test(text))
    const lost = keeps && !blank ? undefined : blank ? 'emptied' : 'replaced'
    return doing.args.flatMap((each) => {
      const [, key, path] = /^(if|of)=(.*)$/s.exec(each.text) ?? []
      if (key === undefined) return []
      return losing(touch(key === 'if' ? 'read' : 'write', [{ ...each, text: path! }]), lost)
    })
  },
  'split csplit gsplit': (doing) => {
    const { operands } = parse(
      doing.args,
      '-a:b:C:l:n:t:f: --bytes= --lines= --number= --suffix-length= --filter= --additional-suffix=',
    )
    const prefix = operands[1] ?? word('x')
    return [
      ...touch('read', operands.slice(0, 1)),
      ...touch('write', [{ ...prefix, text: `${prefix.text}*`, glob: true }]),
    ]
  },
  'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 brotli compress uncompress pigz': (doing) => {
    const args = parse(doing.args, '-S:o: --suffix= --output=')
    const [own] = values(args, 'o|--output')
    const [suffix = word(lookup(PACKED, doing.name.replace(/^un/, '')) ?? '.gz')] = values(args, 'S|--suffix')
    const unpacks = /^(?:gun|bun|un)/.test(doing.name) || hasFlag(args, 'd|--decompress|--uncompress')
    const stays =
      hasFlag(args, 'c|k|t|l|--stdout|--keep|--test|--list') || /^(?:un)?(?:zstd|lz4|brotli)$/.test(doing.name)
    const writes = hasFlag(args, 'c|t|l|--stdout|--test|--list') ? [] : args.operands
    const renamed = own
      ? [own]
      : writes.map((each) => (unpacks ? unpacked(each) : { ...each, text: each.text + suffix.text }))
    return [
      ...touch('read', args.operands),
      ...(stays ? [] : touch('delete', args.operands)),
      ...touch('write', renamed),
    ]
  },
  'tar gtar bsdtar': tar,
  'zip zipcloak': (doing) => {
    const args = parse(doing.args, '-b:t:n:P:x:i: --password= --exclude= --include=')
    const [archive, ...members] = args.operands
    return [
      ...touch('write', [archive]),
      ...touch('read', members, hasFlag(args, 'r|R|--recurse-paths')),
      ...(hasFlag(args, 'm|--move') ? touch('delete', members, true) : []),
    ]
  },
  unzip: (doing) => {
    const args = parse(doing.args, '-d:x:P:')
    const prints = hasFlag(args, 'l|p|t|v|z|Z')
    return [
      ...touch('read', args.operands.slice(0, 1)),
      ...(prints ? [] : touch('write', orHere(values(args, 'd')), true)),
    ]
  },
  '7z 7za 7zz unrar': (doing) => {
    const [verb, archive, ...members] = parse(doing.args, '').operands
    const folder = doing.args
      .filter(({ text }) => /^-o./.test(text))
      .map((each) => ({ ...each, text: each.text.slice(2) }))
    const moves = doing.args.some(({ text }) => text === '-sdel')
    if (/^[au]$/.test(verb?.text ?? ''))
      return [
        ...touch('write', [archive]),
        ...touch('read', members, true),
        ...(moves ? touch('delete', members, true) : []),
      ]
    return [
      ...touch('read', [archive]),
      ...(/^[xe]$/.test(verb?.text ?? '') ? touch('write', orHere(folder), true) : []),
    ]
  },
  cpio: (doing) => touch('write', hasFlag(parse(doing.args, '-F:D:E:'), 'i|p') ? [word('.')] : [], true),
  patch: (doing) => {
    const args = parse(doing.args, '-p:i:d:o:r:B:D:F:V:Y:z: --input= --directory= --output= --strip= --reject-file=')
    const [target] = args.operands
    const written = target ? [target] : orHere([...values(args, 'o|--output'), ...values(args, 'd|--directory')])
    return [...touch('read', [...values(args, 'i|--input'), args.operands[1]]), ...touch('write', written, !target)]
  },
  'vim vi nvim ex': editor('-c:S:u:T:t: --cmd='),
  'nano pico': editor('-T:r:o:C:'),
  'emacs ed micro helix hx joe code cursor subl zed gedit kate': editor('--eval= --load= --add= --remove='),
  view: reader('-c:S:u:'),
  'sqlite3 sqlite duckdb': (doing) => {
    const { operands } = parse(doing.args, '-word -cmd= -init= -separator= -newline=')
    return [...touch('read', operands.slice(0, 1)), ...touch('write', operands.slice(0, 1))]
  },
  'source .': (doing) => touch('read', doing.args.slice(0, 1)),
  'sh bash zsh dash ksh mksh ash fish': (doing) => {
    const args = parse(doing.args, '-o:O:c: --rcfile= --init-file=')
    const own = hasFlag(args, 'c|s') ? [] : args.operands.slice(0, 1)
    return touch('read', [...own, ...values(args, '--rcfile|--init-file')])
  },
  'python pypy ipython node nodejs tsx ts-node bun deno php lua luajit osascript rscript julia elixir tclsh': script,
  'dotenv dotenvx env-cmd': row({ options: '-e:f:', reads: 'e|f' }),
  'go cargo javac gcc clang g++ clang++ cc tsc rustc': (doing) =>
    touch('write', values(parse(doing.args, '-o:C:I:L:l:D: --out-dir= --target-dir='), 'o')),
  'make gmake': (doing) =>
    touch('read', values(parse(doing.args, '-f:C:I:j:l:o:W: --file= --makefile= --directory='), 'f|--file|--makefile')),
  'openssl gpg gpg2 age': (doing) => {
    const args = parse(
      doing.args,
      '-word -in= -out= -key= -inkey= -cert= -CA= -config= -passin= -passout= -o= --output= -i= -r= -pass=',
    )
    const files = doing.name === 'openssl' ? [] : args.operands
    return [
      ...touch('read', [...values(args, '-in|-key|-inkey|-config|-cert|-i'), ...files]),
      ...touch('write', values(args, '-out|-o|--output')),
    ]
  },
  'ssh-keygen': (doing) => {
    const args = parse(doing.args, '-b:t:C:f:N:P:m:')
    const print = hasFlag(args, 'y|l|e|B')
    return [
      ...touch('read', values(args, 'f')),
      ...(print ? [] : losing(touch('write', values(args, 'f')), 'replaced')),
    ]
  },
  'docker podman nerdctl': (doing) => {
    const [verb, from, to] = parse(doing.args, '--context= -H: --host= --config=').operands
    if (verb?.text !== 'cp' || !from || !to) return []
    const local = (each: Field) => !/^[^/.][^/]*:/.test(each.text)
    return [...touch('read', local(from) ? [from] : [], true), ...touch('write', local(to) ? [to] : [], true)]
  },
}

const PACKED: Readonly<Record<string, string>> = {
  ...{ gzip: '.gz', pigz: '.gz', bzip2: '.bz2', xz: '.xz', zstd: '.zst', lz4: '.lz4', brotli: '.br', compress: '.Z' },
}

/** Without the suffix that says how it is packed; of another name, nobody knows what becomes. */
function unpacked(file: Field): Field {
  const text = file.text.replace(/\.(?:gz|bz2|xz|zst|lz4|br|Z|lzma|z)$/, '').replace(/\.t(?:gz|bz2?|xz|zst)$/, '.tar')
  return text === file.text ? { ...file, text: `${text}*`, glob: true } : { ...file, text }
}

const jqRow = reader('-L: --indent= -f: --from-file= --tab', {
  skip: 1,
  unless: 'f|--from-file',
  reads: 'f|--from-file',
})

/** `--rawfile NAME FILE`: two words belong to the option. */
function jq(doing: Doing): readonly Effect[] {
  const [rest, read]: [Field[], Field[]] = [[], []]
  for (let at = 0; at < doing.args.length; at++) {
    const each = doing.args[at] as Field
    const pair = /^--(?:(arg|argjson)|slurpfile|rawfile|argfile)$/.exec(each.text)
    if (!pair) rest.push(each)
    else {
      const file = doing.args[at + 2]
      if (pair[1] === undefined && file) read.push(file)
      at += 2
    }
  }
  return [...jqRow({ ...doing, args: rest }), ...touch('read', read)]
}

function editor(options: string): Program {
  return (doing) => {
    const args = parse(doing.args, options)
    const files = args.operands.filter(({ text }) => !text.startsWith('+'))
    return [...touch('read', [...files, ...values(args, 'S|--load')]), ...touch('write', files)]
  }
}

function sed(doing: Doing): Effect[] {
  const args = parse(doing.args, '-e:f:l:i::E --expression= --file= --line-length=')
  const given = hasFlag(args, 'e|f|--expression|--file')
  // On macOS the suffix of `-i` is a word of its own: `sed -i '' s/a/b/ file`.
  const operands = args.operands[0]?.text === '' ? args.operands.slice(1) : args.operands
  const files = given ? operands : operands.slice(1)
  const scripts = [...values(args, 'e|--expression'), ...(given ? [] : operands.slice(0, 1))]
  const own = scripts.flatMap(({ text }) =>
    sedActions(text).flatMap(({ kind, argument }) => (kind === 'execute' ? [] : touch(kind, [word(argument)]))),
  )
  return [
    ...touch('read', [...files, ...values(args, 'f|--file')]),
    ...(hasFlag(args, 'i|--in-place') ? losing(touch('write', files), 'edited') : []),
    ...own,
  ]
}

function find(doing: Doing): Effect[] {
  const starts: Field[] = []
  for (const each of doing.args) {
    if (/^-[HLPEX]$/.test(each.text)) continue
    if (/^[-(!]/.test(each.text)) break
    starts.push(each)
  }
  if (starts.length === 0) starts.push(word('.'))
  const effects = touch('read', starts)
  let inside = false
  for (const [at, { text }] of doing.args.entries()) {
    // The words of a command that it runs are no words of its own.
    if (inside) inside = text !== ';' && text !== '+'
    else if (/^-(?:exec|ok)(?:dir)?$/.test(text)) inside = true
    if (inside) continue
    if (text === '-delete') effects.push(...deleted(starts, doing.args))
    if (/^-(?:fprint0?|fprintf|fls)$/.test(text)) effects.push(...touch('write', [doing.args[at + 1]]))
  }
  return effects
}

/** With a name to look for, only what has that name; without, everything. */
function deleted(starts: readonly Field[], args: readonly Field[]): Effect[] {
  // What is empty holds nothing that could be lost.
  const texts = args.map(({ text }) => text)
  const empty = texts.includes('-empty') && !texts.some((text) => /^(?:!|-not|-o|-or|,)$/.test(text))
  if (empty) return []
  return starts.flatMap((start) =>
    foundBelow(start, args).flatMap((listed) =>
      listed.endsWith(PATH) ? touch('delete', [start], true) : touch('delete', [{ ...start, listed }]),
    ),
  )
}

function copied(args: Arguments<Field>): { sources: readonly Field[]; target: Field | undefined } {
  const [folder] = values(args, 't|--target-directory')
  if (folder) return { sources: args.operands, target: { ...folder, text: `${folder.text}/` } }
  return { sources: args.operands.slice(0, -1), target: args.operands.at(-1) }
}

function copy(doing: Doing): Effect[] {
  const args = parse(doing.args, '-t:S:m:o:g: --target-directory= --suffix= --mode= --owner= --group=')
  const { sources, target } = copied(args)
  const recursive = hasFlag(args, 'r|R|a|--recursive|--archive') || doing.name === 'ditto'
  const made = intoTarget(sources, target, doing, hasFlag(args, 'T|--no-target-directory'), recursive)
  return [...touch('read', sources, recursive), ...losing(made, lostByCopy(args, sources))]
}

/** What is there already stays, or is kept under another name, where an option says so. */
function lostByCopy(args: Arguments<Field>, sources: readonly Field[]): Loses | undefined {
  if (hasFlag(args, 'n|b|--no-clobber|--backup|--update')) return undefined
  return sources.some(({ text }) => /^\/dev\/(?:null|zero)$/.test(text)) ? 'emptied' : 'replaced'
}

const isZero = (size: Field | undefined): boolean => /^[<-]?0+[a-zA-Z]*$/.test(size?.text ?? '')

/** Into a directory, each under its own name; whether the target is one, the machine may know. */
export function intoTarget(
  sources: readonly Field[],
  target: Field | undefined,
  { cwd, look }: Doing,
  never: boolean,
  recursive = false,
): Effect[] {
  if (!target) return []
  const inside = sources.map((source) => {
    const base = source.text.replace(/\/+$/, '').split('/').at(-1) ?? ''
    return { ...target, text: `${target.text.replace(/\/+$/, '')}/${base}`, glob: target.glob || source.glob }
  })
  const path = target.text.startsWith('/') ? target.text : `${cwd}/${target.text}`
  const isThere = look.isDirectory?.(path) === true || look.list?.(path) !== undefined
  const isDirectory = /(?:^|\/)(?:\.{1,2})?$/.test(target.text) || sources.length > 1 || isThere
  if (never || (look.list && !isDirectory)) return touch('write', [target], recursive)
  return touch('write', isDirectory ? inside : [target, ...inside], recursive)
}

function permissions(doing: Doing): Effect[] {
  const args = parse(doing.args, '--reference= --from=')
  const files = hasFlag(args, '--reference') ? args.operands : args.operands.slice(1)
  // `chmod -x file`: a mode, and no option.
  const mode = doing.args.some(({ text }) => /^-[rwxXst]+$/.test(text)) && doing.name.endsWith('chmod')
  const recursive = hasFlag(args, 'R|--recursive')
  return losing(touch('write', mode ? args.operands : files, recursive), recursive ? 'edited' : undefined)
}

function tar(doing: Doing): Effect[] {
  const [first, ...rest] = doing.args
  const bundled = first && /^[A-Za-z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...rest] : doing.args
  const args = parse(
    bundled,
    '-C:f:T:X:I:b:g:K:N:V:H:F: --directory= --file= --exclude= --files-from= --transform= --strip-components= --owner= --group= --mode=',
  )
  const folders = values(args, 'C|--directory')
  const archive = values(args, 'f|--file')
  const base = folders.at(-1)
  const members = args.operands.map((each) =>
    base && !each.text.startsWith('/') ? { ...each, text: `${base.text}/${each.text}` } : each,
  )
  if (hasFlag(args, 'c|r|u|A|--create|--append|--update'))
    return [
      ...touch('write', archive),
      ...touch('read', [...members, ...values(args, 'T')], true),
      ...(hasFlag(args, '--remove-files') ? touch('delete', members, true) : []),
    ]
  const unpacks = hasFlag(args, 'x|--extract|--get') && !hasFlag(args, 'O|--to-stdout')
  return [...touch('read', archive), ...(unpacks ? touch('write', orHere(folders), true) : [])]
}

/** The script is read; what it does is a program's own business. */
function script(doing: Doing): Effect[] {
  const options =
    '-apart -c:m:W:X:e:p:r:E:L:f:d:B:R:F:l:s: --eval= --print= --require= --import= --loader= --env-file= --test-name-pattern='
  const { operands, flags } = parse(doing.args, /^(?:python|pypy|ipython)$/.test(doing.name) ? '-c:m:W:X:' : options)
  const given = flags.some(({ name }) => /^(?:c|m|e|E|p|--eval|--print)$/.test(name))
  const loaded = flags
    .filter(
      ({ name, value }) =>
        /^(?:r|--env-file|--require|--import|--loader)$/.test(name) && /[./]/.test(value?.text ?? ''),
    )
    .map(({ value }) => value)
  if (given) return touch('read', loaded)
  const [first, second] = operands
  const verb = /^(?:run|test|x|exec|install|add|fmt|lint|check|task|eval|i|build|init|create|pm)$/.test(
    first?.text ?? '',
  )
  const file = /^(?:bun|deno)$/.test(doing.name) && verb ? second : first
  const isFile = /[./]/.test(file?.text ?? '') || !/^(?:bun|deno)$/.test(doing.name)
  return touch('read', [...(isFile && !/^https?:/.test(file?.text ?? '') ? [file] : []), ...loaded])
}

const orHere = (folders: readonly Field[]): readonly Field[] => (folders.length > 0 ? folders : [word('.')])
