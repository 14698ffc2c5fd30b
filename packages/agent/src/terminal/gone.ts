import { closeSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'

/** Whether the terminal that this process was started at has gone away. */
export function isTerminalGone(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENXIO' || code === 'EIO'
  }
}

/**
 * Node sets a terminal back when it exits, and aborts when that fails: a process whose terminal went away would end by a signal. What it
 * finds reopened, it leaves alone.
 */
export function exitWithoutTerminal(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd))
  if (terminals.length === 0) return
  const leave = () => {
    if (!isTerminalGone()) return
    for (const fd of terminals) {
      closeSync(fd)
      // The lowest free number is the one that was just closed.
      openSync('/dev/null', 'r+')
    }
  }
  process.on('exit', leave)
}
