/** The files that tools see: those of the workspace, or the virtual ones of the sandbox. */
export interface Files {
  /**
   * Where a path that the model wrote leads. Throws `ToolFailure` when it may not go there. Everything below takes only
   * places that were found this way.
   */
  locate(path: string, access: 'read' | 'write'): Promise<Place>
  /** Whether it is ordinary to look there, so that nobody need be asked. */
  isOrdinary(path: string): boolean
  stat(place: Place): Promise<Stat | undefined>
  read(place: Place): Promise<Buffer>
  write(place: Place, content: string): Promise<void>
  list(place: Place): Promise<readonly Item[]>
  makeDirectory(place: Place): Promise<void>
  removeDirectory(place: Place): Promise<void>
}

export interface Place {
  /** Where it really is. */
  path: string
  /** How it is called in results: from the workspace, where that is shorter. */
  shown: string
}

export interface Stat {
  kind: 'file' | 'directory' | 'other'
  size: number
}

export interface Item {
  name: string
  kind: Stat['kind'] | 'link'
  place: Place
}

/** Larger files are not read into the memory of the agent. */
export const largestFile = 10 * 1024 * 1024

/** A NUL in the beginning, as git decides it. */
export const isBinary = (content: Buffer): boolean => content.subarray(0, 8_000).includes(0)
