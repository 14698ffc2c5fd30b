/** What a file of tasks says: names, what they need first, and the lines that they run. */
export interface Task {
  needs: readonly string[]
  /** Each runs in a shell of its own. */
  steps: readonly string[]
}

export interface TaskFile {
  tasks: ReadonlyMap<string, Task>
  /** What runs when none is named. */
  first: string | undefined
  /** Other files that it takes in. */
  includes: readonly string[]
}

/** What the command line hands to a task: `make DIR=x`, `just clean x`. */
export interface Given {
  variables: ReadonlyMap<string, string>
  args: readonly string[]
}

/** A name that only the run knows, as a shell would write it: it is unknown there too, unless it is in the environment. */
export const asVariable = (name: string): string => `\${${name.replace(/\W/g, '_').replace(/^(?=\d|$)/, '_')}}`
