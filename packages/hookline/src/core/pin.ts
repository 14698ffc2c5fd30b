/**
 * Something that a hook runs and that its definition does not hold: bytes that an approval must cover. Paths begin at the
 * directory where the hook runs, or at its config file. `instead` puts copies of the approved bytes in the place of the
 * files: given the same thing with copies named in it, it gives back the fields of the spec that change. Without it, the
 * files run where they are.
 */
export type Pin = FilePin | TreePin | ProgramPin | ScriptPin

type Fields = Readonly<Record<string, unknown>>
/** Absent in the other kinds, so that a type checker knows which one is meant. */
type Only<K extends 'file' | 'tree' | 'words' | 'script'> = {
  [Other in Exclude<'file' | 'tree' | 'words' | 'script', K>]?: never
}

interface FilePin extends Only<'file'> {
  file: string
  from?: 'config'
  instead?(file: string): Fields
}

/** A file, or a directory with everything in it, that what runs may load. */
interface TreePin extends Only<'tree'> {
  tree: string
}

/** A program and its arguments, started without a shell. */
interface ProgramPin extends Only<'words'> {
  words: readonly string[]
  instead?(words: readonly string[]): Fields
}

/** Text that this shell runs. */
interface ScriptPin extends Only<'script'> {
  script: string
  shell: string
  instead?(script: string): Fields
}

/** What starting a program runs, wherever programs are written as `command`, `args`, `shell` and `files`. */
export function programPins({
  command,
  args,
  shell,
  files,
}: {
  command?: unknown
  args?: unknown
  shell?: unknown
  files?: unknown
}): Pin[] {
  if (typeof command !== 'string') return []
  const more = Array.isArray(files) ? files.map((file): Pin => ({ tree: String(file) })) : []
  if (!Array.isArray(args)) {
    const name = shell === 'bash' || shell === 'auto' ? 'bash' : '/bin/sh'
    return [{ script: command, shell: name, instead: (script) => ({ command: script }) }, ...more]
  }
  const instead = ([program, ...rest]: readonly string[]) => ({ command: program, args: rest })
  return [{ words: [command, ...args.map(String)], instead }, ...more]
}
