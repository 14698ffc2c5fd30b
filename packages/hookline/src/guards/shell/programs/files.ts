import { flagValues, hasFlag, parseArguments, readOptions } from '../../../shell/index.ts'
import { COPIES_SECRET, dangerOf, MIRRORS } from '../dangers.ts'
import { findsScratch, judgeDeletion, SCRATCH, TREE } from '../deletions.ts'
import { startsOfFind } from '../listed.ts'
import { judgeDelete, judgeEmptied, judgeMove, judgeWrite } from '../losses.ts'
import { CRITICAL, type Place, placeOf } from '../places.ts'
import { isAgentConfig, isGitInternal, isRevealing, isSecret } from '../sensitive.ts'
import { type Field, field, isKnown } from '../text.ts'
import type { Arguments, Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

const parse = (call: Call, options: string) => parseArguments(call.args, readOptions(options))

/** Programs that delete, overwrite or open up files. */
export const files: Family = {
  judges: {
    'rm grm zf_rm trash trash-put gvfs-trash rimraf del-cli unlink rmdir zf_rmdir': (call) => {
      const args = parse(call, '')
      const recursive = hasFlag(args, 'r|R|--recursive|--no-preserve-root') || ALWAYS_WHOLE.test(call.name)
      const force = hasFlag(args, 'f|--force|--no-preserve-root') || ALWAYS_WHOLE.test(call.name)
      return args.operands.flatMap((word) => judgeDeletion(word, recursive, force, call.state))
    },
    'gio kioclient kioclient5': (call) => {
      const [verb, ...targets] = parse(call, '').operands
      if (hasFlag(parse(call, ''), '--empty')) return EMPTIES_TRASH
      return /^(?:remove|trash|rm)$/.test(verb?.text ?? '')
        ? targets.flatMap((word) => judgeDeletion(word, true, true, call.state))
        : undefined
    },
    'trash-empty trash-rm': () => EMPTIES_TRASH,
    'shred srm wipe': (call) => {
      const args = parse(call, '-n:s: --iterations= --size= --random-source=')
      return args.operands.length > 0 ? SHREDS : undefined
    },
    'find gfind': judgeFind,
    'mv gmv zf_mv': (call) => {
      const { sources, target } = copyOperands(parse(call, '-t:S: --target-directory= --suffix='))
      if (target && placeOf(target, call.state) === 'sink') return MOVES_AWAY
      const moved = sources.flatMap((word) =>
        CRITICAL.has(placeOf(word, call.state))
          ? judgeDelete(word, true, true, call.state)
          : [...judgeDelete(word, false, false, call.state), ...judgeMove(word, target, call.state)],
      )
      return [...moved, ...written(target, call), ...writtenInto(sources, target, call)]
    },
    'cp gcp install ginstall ln gln': (call) => {
      const args = parse(call, '-t:m:o:g:S: --target-directory= --mode= --owner= --group= --suffix=')
      const { sources, target } = copyOperands(args)
      const private_ = sources.filter((word) => isSecret(word, call.state) && !/\.env/.test(word.text))
      const [mode] = call.name.endsWith('install') ? flagValues(args, 'm|--mode') : []
      if (mode && LETS_RUN_AS.test(mode.text)) return SETUID
      const blank = sources.some(({ text }) => /^\/dev\/(?:null|zero)$/.test(text))
      return [
        // Behind a symbolic link, whoever reads it sees the name of the file; a hard link is the file, under another name.
        ...(private_.length > 0 && !(/^g?ln$/.test(call.name) && hasFlag(args, 's|--symbolic')) ? [COPIES_SECRET] : []),
        ...written(target, call),
        ...writtenInto(sources, target, call),
        ...(blank && target ? judgeEmptied(target, call.state) : []),
      ]
    },
    'dd gdd': (call) => {
      const value = (name: string) => call.args.find((word) => word.text.startsWith(`${name}=`))
      const target = value('of')
      const [from, count] = [value('if')?.text ?? '', value('count')]
      const word = target && { ...target, text: target.text.slice(3) }
      const danger = word && judgeWrite(word, call.state)
      if (danger) return danger
      const source = { text: from.slice(3), taints: [], glob: false }
      if (isRevealing(source, call.state) && /^\/(?:dev\/(?:k?mem|port)|proc)/.test(source.text)) return COPIES_SECRET
      const [block, blocks] = [sizeOf(value('bs')?.text), sizeOf(count?.text)]
      if (block * blocks >= HUGE) return FILLS_DISK
      const endless = /=\/dev\/(?:zero|u?random)$/.test(from)
      if (word && endless && !count && placeOf(word, call.state) !== 'sink') return FILLS_DISK
      return word && (endless || /=\/dev\/null$/.test(from)) ? judgeEmptied(word, call.state) : undefined
    },
    'tee gtee sponge': (call) => {
      const { operands } = parse(call, '')
      const dumped = call.wiring.stdin?.taints.some((taint) => taint === 'environment' || taint === 'secret')
      const kept = operands.some((word) => placeOf(word, call.state) !== 'temp' && placeOf(word, call.state) !== 'sink')
      return [...operands.flatMap((word) => written(word, call)), ...(dumped && kept ? [KEEPS_SECRETS] : [])]
    },
    'truncate gtruncate fallocate': (call) => {
      const args = parse(call, '-s:r:l:o: --size= --reference= --length=')
      const [size] = flagValues(args, 's|l|--size|--length')
      if (/^\+?\d+[TPE]|^\+?\d{3,}G/i.test(size?.text ?? '')) return FILLS_DISK
      const empties = /^[<-]?0+[a-zA-Z]*$/.test(size?.text ?? '')
      return args.operands.flatMap((word) => [
        ...written(word, call),
        ...(empties ? judgeEmptied(word, call.state) : []),
        ...(empties && word.taints.some((taint) => taint === 'listed' || taint === 'fed') ? [EMPTIES_LISTED] : []),
      ])
    },
    'touch mkdir': (call) =>
      parse(call, '-d:r:t:m: --mode=').operands.flatMap((word) =>
        written(word, call).filter((each) => each.category !== 'fs-overwrite'),
      ),
    'chmod gchmod zf_chmod': (call) => {
      const args = parse(call, '--reference=')
      const referenced = hasFlag(args, '--reference')
      // `chmod -x a`: a mode that looks like an option.
      const taken = call.args.find(({ text }) => /^-[rwxXst]+$/.test(text))
      const mode = referenced ? undefined : (taken ?? args.operands[0])
      const targets = referenced || taken ? args.operands : args.operands.slice(1)
      if (mode && LETS_RUN_AS.test(mode.text)) return SETUID
      const secret = /[0-7]*[4567]$|[oa]*\+[rwx]*r/.test(mode?.text ?? '') && /[^0]$/.test(mode?.text ?? '')
      const recursive = hasFlag(args, 'R|--recursive')
      if (recursive && targets.length > 0 && LETS_ANYONE_WRITE.test(mode?.text ?? '')) return LETS_ALL_IN
      const locks = TAKES_ALL.test(mode?.text ?? '') || (recursive && CLOSES.test(mode?.text ?? ''))
      const takes = !/^[ugoa]*\+[rx]+$/.test(mode?.text ?? '')
      return targets.flatMap((word) => [
        ...permissions(word, recursive, secret && !/^[0-7]?[0-7]00$/.test(mode?.text ?? ''), call),
        ...(takes && isAgentConfig(word, call.state) ? [LOCKS_AWAY] : []),
        ...(locks && ((recursive && LOCKABLE.has(placeOf(word, call.state))) || isHistory(word, call))
          ? [OPENS_UP]
          : []),
      ])
    },
    'chown chgrp gchown zf_chown zf_chgrp chflags xattr chcon': (call) => {
      const args = parse(call, '-n:b:v: --from= --reference=')
      const recursive = hasFlag(args, 'R|--recursive')
      const [owner, ...targets] = args.operands
      // Taking back what is one's own: the name is a variable then.
      const own = !isKnown(owner?.text ?? '')
      return targets.flatMap((word) => [
        ...permissions(word, recursive, false, call),
        ...(recursive && !own && (placeOf(word, call.state) === 'home-child' || isHistory(word, call))
          ? [OPENS_UP]
          : []),
        ...(isAgentConfig(word, call.state) ? [LOCKS_AWAY] : []),
      ])
    },
    'setfacl chattr': (call) => {
      const args = parse(call, call.name === 'setfacl' ? '-m:x:M:X: --modify= --remove= --set= --restore=' : '-p:v:')
      const targets = args.operands.filter((word) => !/^[+=]/.test(word.text))
      const opens = call.name === 'setfacl' && hasFlag(args, 'm|M|--modify|--set|--restore')
      const recursive = hasFlag(args, 'R|--recursive')
      const frozen = call.name === 'chattr' && args.operands.some((word) => /^[+=].*[ia]/.test(word.text))
      return targets.flatMap((word) => [
        ...permissions(word, recursive, opens, call),
        ...(frozen && ((recursive && LOCKABLE.has(placeOf(word, call.state))) || isHistory(word, call))
          ? [OPENS_UP]
          : []),
      ])
    },
    'rsync robocopy': (call) => {
      const args = parse(
        call,
        '-e:f:T:B: --rsh= --exclude= --include= --files-from= --exclude-from= --filter= --rsync-path=',
      )
      const target = args.operands.at(-1)
      if (hasFlag(args, 'n|--dry-run')) return undefined
      const mirrors = hasFlag(
        args,
        '--delete|--delete-after|--delete-before|--delete-during|--delete-delay|--delete-excluded|--del|--remove-source-files',
      )
      if (!mirrors) return written(target, call)
      const lost = hasFlag(args, '--remove-source-files') ? args.operands.slice(0, -1) : target ? [target] : []
      return lost.some((word) => /^[^/]*:/.test(word.text) || !SPARE.has(placeOf(word, call.state))) ? MIRRORS : TREE
    },
    'rclone restic borg': (call) => {
      const [verb] = parse(call, '--config= -r: --repo=').operands
      return /^(?:purge|delete|sync|move|forget|prune|rmdirs|cleanup)$/.test(verb?.text ?? '') &&
        !hasFlag(parse(call, ''), 'n|--dry-run')
        ? MIRRORS
        : undefined
    },
    'unzip 7z 7za tar gtar bsdtar cpio': (call) => {
      const args = parse(call, call.name === 'cpio' ? CPIO : '-C:d:f:T:X:I:b: --directory= --file= --exclude=')
      const packs = call.name.includes('tar') && /^-?[A-Za-z]*c/.test(call.args[0]?.text ?? '')
      if (packs && args.operands.some((word) => isSecret(word, call.state))) return COPIES_SECRET
      if (call.args.some(({ text }) => text === '-sdel'))
        return args.operands.slice(2).flatMap((word) => judgeDelete(word, true, true, call.state))
      if (hasFlag(args, '--remove-files'))
        return args.operands.flatMap((word) => judgeDelete(word, true, true, call.state))
      const folder = flagValues(args, call.name === 'cpio' ? 'D|--directory' : 'C|d|--directory')[0] ?? undefined
      const place = folder && !packs ? placeOf(folder, call.state) : undefined
      if (place === 'root' || place === 'system') return UNPACKS_OVER
      // Unlike others, it unpacks to the names that stand in the archive, from the root on.
      const anywhere =
        call.name === 'cpio' &&
        hasFlag(args, 'i|--extract') &&
        !hasFlag(args, 't|--list|--no-absolute-filenames|--to-stdout')
      return anywhere && placeOf(folder ?? field('.'), call.state) !== 'temp' ? UNPACKS_ANYWHERE : undefined
    },
    'sed gsed perl': (call) => {
      const args = parse(call, call.name === 'perl' ? '-e:E:I:M:0:' : '-e:f:l: --expression= --file=')
      if (!hasFlag(args, 'i|--in-place')) return undefined
      return args.operands.flatMap((word) => written(word, call))
    },
    'zip gzip bzip2 xz': (call) => {
      const args = parse(call, '-b:')
      const packed = args.operands.slice(1)
      if (packed.some((word) => isSecret(word, call.state))) return COPIES_SECRET
      return call.name === 'zip' && hasFlag(args, 'm|--move')
        ? packed.flatMap((word) => judgeDelete(word, true, true, call.state))
        : undefined
    },
  },
}

const CPIO = '-C:D:E:F:H:I:M:O:R: --directory= --file= --format= --pattern-file= --owner='

const UNITS: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 }
const HUGE = 50 * 2 ** 30

/** `bs=1G`, `count=1000` of dd, in bytes or blocks. */
function sizeOf(text: string | undefined): number {
  const [, number = '0', unit = ''] = /=(\d+)([kmgtp]?)/i.exec(text ?? '') ?? []
  return Number(number) * (UNITS[unit.toLowerCase()] ?? 1)
}

function judgeFind(call: Call): Danger[] {
  const dangers: Danger[] = []
  for (let at = 0; at < call.args.length; at++) {
    const text = call.args[at]?.text ?? ''
    if (/^-(?:exec|execdir|ok|okdir)$/.test(text)) {
      while (at < call.args.length && !/^[;+]$/.test(call.args[at]?.text ?? '')) at++
    } else if (
      /^-(?:i?name|i?path|i?regex|newer\w*|type|user|group|perm|size|[acm]time|[acm]min|maxdepth|mindepth|printf|samefile|i?lname|wholename)$/.test(
        text,
      )
    )
      at++
    else if (text === '-delete') dangers.push(isSpare(call) ? SCRATCH : DELETES_FOUND)
    else if (/^-(?:fprint0?|fprintf|fls)$/.test(text)) {
      const target = call.args[++at]
      dangers.push((target && judgeWrite(target, call.state)) ?? WRITES_FOUND)
    }
  }
  return dangers
}

/** Looked for in scratch, or by names that only scratch has. */
function isSpare(call: Call): boolean {
  const places = startsOfFind(call.args).map((word) => placeOf(word, call.state))
  if (places.some((place) => CRITICAL.has(place))) return false
  return places.every((place) => place === 'temp' || place === 'artefact') || findsScratch(call.args)
}

function copyOperands(args: Arguments): { sources: readonly Field[]; target: Field | undefined } {
  const [folder] = flagValues(args, 't|--target-directory')
  if (folder) return { sources: args.operands, target: folder }
  return { sources: args.operands.slice(0, -1), target: args.operands.at(-1) }
}

/** Into a directory of what runs by itself, each under its own name. */
function writtenInto(sources: readonly Field[], target: Field | undefined, call: Call): Danger[] {
  if (!target || SPARE.has(placeOf(target, call.state)) || written(target, call).length > 0) return []
  const [first] = sources.flatMap((source) => {
    const name = source.text.replace(/\/+$/, '').split('/').at(-1) ?? ''
    return written({ ...target, text: `${target.text.replace(/\/+$/, '')}/${name}` }, call)
  })
  return first?.category === 'persistence' ? [first] : []
}

function written(word: Field | undefined, call: Call): Danger[] {
  const danger = word && judgeWrite(word, call.state)
  return danger ? [danger] : []
}

function permissions(word: Field, goesDown: boolean, opens: boolean, call: Call): Danger[] {
  const recursive = goesDown || word.taints.includes('listed')
  const place = placeOf(word, call.state)
  const critical = place === 'root' || place === 'system' || place === 'device' || (place === 'home' && recursive)
  const exposed =
    opens &&
    isKnown(word.text) &&
    (isSecret(word, call.state) || /(?:^|\/)\.ssh(?:\/|$)/.test(word.text)) &&
    !/\.env/.test(word.text)
  return critical || exposed || (recursive && place === 'above') ? [OPENS_UP] : []
}

const LOCKS_AWAY = dangerOf('self-protection', 'high', 'It changes who can read or change what watches over the agent.')
const LETS_RUN_AS = /[ug]?[+=][rwx]*s|^0?[24-7]\d{3}$/
const ALWAYS_WHOLE = /^(?:rimraf|del-cli|trash|trash-put|gvfs-trash)$/
const SPARE: ReadonlySet<Place> = new Set(['inside', 'artefact', 'temp', 'sink'])
const EMPTIES_TRASH = dangerOf('fs-delete', 'medium', 'It empties the bin, from which files could come back.')
const SHREDS = dangerOf('fs-delete', 'high', 'It overwrites files so that nothing can bring them back.')
const MOVES_AWAY = dangerOf('fs-delete', 'high', 'It moves files into nothing.')
const FILLS_DISK = dangerOf('system', 'high', 'It fills the disk until nothing works any more.')
const EMPTIES_LISTED = dangerOf('fs-overwrite', 'medium', 'It empties whatever another command lists, unseen.')
const SETUID = dangerOf('privilege', 'high', 'It lets a program run with the rights of its owner.')
const UNPACKS_OVER = dangerOf('fs-overwrite', 'high', 'It unpacks an archive over the operating system.')
const UNPACKS_ANYWHERE = dangerOf(
  'system',
  'high',
  'It unpacks files to whatever names stand in the archive, in any directory.',
)
const KEEPS_SECRETS = dangerOf('secret-read', 'medium', 'It writes credentials to a file.')
const DELETES_FOUND = dangerOf('fs-delete', 'high', 'It deletes every file it finds.')
const WRITES_FOUND = dangerOf('fs-overwrite', 'medium', 'It overwrites a file with its results.')
/** `000`, `a-rwx`, `a=`: nobody may read them afterwards, their owner included. */
const TAKES_ALL = /^0+$|^a?(?:-[rwx]*r[rwx]*|=)$/
/** Of directories it takes the right to go into them, with all that lies there. */
const CLOSES = /^0?[0-6][0-7]{2}$(?<=^0?[0246]..)|^[ua]*-[rwX]*x[rwxX]*$/
/** The repository itself, and not a file that git makes again. */
const isHistory = (word: Field, call: Call): boolean =>
  isGitInternal(word, call.state) && /(?:^|\/)\.git(?:\/(?:objects|refs|logs)?)?\/?$/.test(word.text)
const LOCKABLE: ReadonlySet<Place> = new Set(['home-child', 'start', 'above', 'outside'])
const LETS_ANYONE_WRITE = /^[0-7]*[0-7]{2}[2367]$|(?:^|,)[ug]*[oa][ugoa]*[+=][rXst]*w/
const LETS_ALL_IN = dangerOf('fs-permissions', 'medium', 'It lets every user of the machine change all these files.')
const OPENS_UP = dangerOf('fs-permissions', 'high', 'It changes who may read or change files that must stay protected.')
