/** For whom an entry stands in the files of a host. */
export const scopes = ['user', 'project', 'managed'] as const
export type Scope = (typeof scopes)[number]

/** Where a person, a project and the machine keep their files; variables can move what a host reads. */
export interface Ground {
  home: string
  project: string
  env: Readonly<Record<string, string | undefined>>
}

/** How a host is told to run our entry. */
export interface HostSetup {
  /** Programs by which one sees that it is there. */
  programs: readonly string[]
  /** Its own directory below the home of a person; what variable moves it. Makes sense of `found`. */
  home(ground: Ground): string
  /** What its files must say, so that our entry runs. Undefined: the host has no place for that scope, or none we have seen work. */
  files(scope: Scope, ground: Ground, ours: Ours): readonly WantedFile[] | undefined
  /** What it would tell a hook before a call of its shell with this command. */
  canary(command: string, project: string): Record<string, unknown>
  /** How it is proved that the host has loaded our entry. */
  proof: string
  /** How it lists the hooks it has loaded, without a model and without a network. */
  listing?: Listing
  /** What must stand elsewhere before it runs our entries; written only when the user says so. */
  trust?: Trust
  /** Keys of its shared file that, when true, take all hooks away that are not the administrator's. */
  switches?: readonly string[]
  /** More files where it reads those keys, beside the ones that our entry could be in. */
  switchFiles?(ground: Ground): readonly string[]
  /** When the host skips an entry that is in its files, and what to do about it; by scope. */
  skips?: Partial<Record<Scope, string>>
}

/** What of ours a host must be told. */
export interface Ours {
  /** The program that answers. */
  entry: string
  /** Where a plugin leaves a mark when the host has loaded it. */
  mark: string
}

/** How strictly a host reads its file: whether comments may stand in it, and a byte-order mark before it. */
export interface Format {
  comments: boolean
  byteOrderMark: boolean
  /** Whether a comma may stand before a closing bracket. Few hosts take one. */
  trailingCommas?: boolean
}

/** A file of ours alone, or entries in a file that others write too. */
export type WantedFile =
  | { kind: 'own'; path: string; content: string; mode?: number }
  | {
      kind: 'shared'
      path: string
      format: Format
      entries: readonly Entry[]
      /** What must stand at the top as well, where nothing stands there yet. */
      also?: Readonly<Record<string, string | number>>
    }

/** One more element at the end of the list at this place. */
export interface Entry {
  path: readonly string[]
  value: Readonly<Record<string, unknown>>
}

/** The directory that a variable names, if it is an absolute path. */
export const movedBy = ({ env }: Ground, variable: string, usual: string): string => {
  const given = env[variable]
  return given?.startsWith('/') ? given : usual
}

/** A program of the host that lists its hooks: started with these arguments, it is told these lines and answers in lines. */
export interface Listing {
  args: readonly string[]
  input(ground: Ground): readonly string[]
  /** The hooks, once a line of the output has them. */
  hooks(line: string): readonly ListedHook[] | undefined
}

export interface ListedHook {
  command: string
  /** Whether the host would run it; absent where it has no such thing as trust. */
  trusted?: boolean
}

/** A file in TOML, and the tables in it by which the host knows that its user has looked at our entries. */
export interface Trust {
  file(ground: Ground): string
  tables(
    path: string,
    hooks: Readonly<Record<string, unknown>>,
    isOurs: (command: unknown) => boolean,
    sha256: (text: string) => string,
  ): { path: readonly string[]; values: Readonly<Record<string, string>> }[]
}
