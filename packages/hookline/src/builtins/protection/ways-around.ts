import type { CallEffects } from '../../core/index.ts'
import { injectingVariable, programName } from '../../shell/index.ts'
import { isAbove, type Watched } from './places.ts'

/** What would leave our program or our hooks out of what runs next. Undefined: nothing does. */
export function waysAround({ runs, changes }: CallEffects, watched: Watched): string | undefined {
  for (const words of runs) {
    const [program = '', ...rest] = [programName(words[0] ?? ''), ...words.slice(1)]
    if (copiers.test(program) && rest.slice(0, -1).some((word) => ourProgram.test(word)))
      return 'It copies the program that watches over the agent, to run it by another name.'
    if (setsForLater(program, rest))
      return 'It sets a variable for what starts later, which leads away from the hooks or runs code in front of them.'
    const mounted = containers.test(program) ? mountsOf(rest).find((path) => touches(path, watched)) : undefined
    if (mounted !== undefined) return `It hands ${mounted} to a container, and with it what watches over the agent.`
    if (extractors.test(program)) {
      const into = changes
        .filter(({ does, by }) => does === 'write' && by?.[0] === words[0])
        .flatMap(({ paths }) => paths)
      const target = [...targetsOf(rest), ...into].find((path) => isOverWatched(path, watched))
      if (target !== undefined) return `It unpacks over ${target}, which holds what watches over the agent.`
    }
  }
  return undefined
}

/** What may be harmless: somebody else's process can be made to do anything, and an archive may name any place. */
export function doubtOf({ runs }: CallEffects): string | undefined {
  if (runs.some(isAttached))
    return 'It attaches to another process, which it could change: what watches over the agent is one.'
  const anywhere = ([program = '', ...rest]: readonly string[]) =>
    /^(?:tar|gtar|bsdtar)$/.test(programName(program)) &&
    rest.some((word) => /^(?:-P|--absolute-names|-?[a-zA-Z]*(?:x[a-zA-Z]*P|P[a-zA-Z]*x)[a-zA-Z]*)$/.test(word))
  return runs.some(anywhere)
    ? 'It unpacks wherever the archive says: also over what watches over the agent.'
    : undefined
}

const isAttached = ([program = '', ...rest]: readonly string[]): boolean =>
  /^(?:gdb|lldb|strace|ltrace|reptyr|gcore|frida|rr|pyrasite|py-spy)$/.test(programName(program)) &&
  rest.some((word) => /^(?:-p|--pid|--attach|attach)\b/.test(word))

const copiers = /^(?:cp|rsync|install|ln|ditto|scp|tar|zip)$/
const ourProgram = /(?:^|\/)(?:node_modules\/hookline|hookline\/engine(?:\/[^/]+)?)(?:\/(?:dist|bin)(?:\/.*)?)?\/?$/

/** Variables of a session manager, of a terminal server and of a package manager outlive the command. */
function setsForLater(program: string, rest: readonly string[]): boolean {
  if (program === 'npm' || program === 'pnpm')
    return rest.includes('config') && rest.some((word) => /^(?:node-options|script-shell)(?:=|$)/.test(word))
  if (!/^(?:systemctl|launchctl|tmux|dbus-update-activation-environment|setx)$/.test(program)) return false
  if (
    program !== 'setx' &&
    !rest.some((word) => /^(?:set-environment|setenv|set-env|import-environment|--all)$/.test(word))
  )
    return false
  return rest.some((word) => {
    const name = word.split('=', 1)[0]!
    return (
      /^(?:HOME|PATH|XDG_(?:CONFIG|STATE|DATA|RUNTIME)_(?:HOME|DIR)|HOOKLINE_\w+)$/.test(name) ||
      injectingVariable(name) !== undefined
    )
  })
}

const containers = /^(?:docker|podman|nerdctl)$/

function mountsOf(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    const value = /^(?:-v|--volume|--mount)$/.test(word)
      ? words[at + 1]
      : /^(?:-v|--volume=|--mount=)(.+)/.exec(word)?.[1]
    if (value === undefined || /(?:^|[:,])(?:ro|readonly)\b/.test(value)) return []
    const source = /(?:^|,)(?:source|src)=([^,]+)/.exec(value)?.[1] ?? value.split(':')[0]!
    return source.startsWith('/') ? [source.replace(/(.)\/+$/, '$1')] : []
  })
}

const touches = (path: string, watched: Watched): boolean =>
  watched.paths.some((kept) => isAbove(kept, path)) || isOverWatched(path, watched)

const extractors = /^(?:tar|gtar|bsdtar|unzip|7z|7za|unar|cpio|pax|rsync)$/

function targetsOf(words: readonly string[]): string[] {
  const named = words.flatMap((word, at) =>
    /^(?:-C|-d|--directory|-o|-D)$/.test(word)
      ? [words[at + 1] ?? '']
      : [/^(?:--directory=|-[Cdo])(\/.+)/.exec(word)?.[1] ?? ''],
  )
  return named.filter((path) => path.startsWith('/')).map((path) => path.replace(/(.)\/+$/, '$1'))
}

/** Above something that is watched, and not where the agent works anyway. */
const isOverWatched = (path: string, { paths, cwd }: Watched): boolean =>
  paths.some((kept) => isAbove(path, kept)) && !isAbove(cwd, path) && path !== cwd
