import type { Action, Actions, Look, Slot } from 'hookline/guards'

/** A small world: a project in /w, on branch dev that follows origin/main, and a home in /home/u. */
const tree: Readonly<Record<string, readonly string[]>> = {
  '/w': ['.env', '.git', 'a', 'b', 'dir', 'one.ts', 'two.ts', 'infra', 'link', 'src', 'sub'],
  '/w/dir': [],
  '/w/infra': ['main.tf'],
  '/w/src': ['x.c', 'y.c'],
  '/w/sub': [],
  '/home/u': ['.ssh'],
  '/home/u/.ssh': ['id_rsa'],
  '/tmp': [],
}
const links: Readonly<Record<string, string>> = { '/w/link': '/home/u/.ssh' }

export const world: Look = {
  home: '/home/u',
  realpath(path) {
    for (const [from, to] of Object.entries(links))
      if (path === from || path.startsWith(`${from}/`)) return this.realpath?.(to + path.slice(from.length))
    const at = path.lastIndexOf('/')
    const inside = tree[path.slice(0, at) || '/']?.includes(path.slice(at + 1))
    return path in tree || inside ? path : undefined
  },
  list: (path) => tree[path],
  git: (directory) =>
    directory.startsWith('/w')
      ? {
          branch: 'dev',
          upstream: 'origin/main',
          remotes: { origin: 'git@GitHub.com:me/x.git', backup: '/mnt/backup.git', fork: 'https://git.example/x.git' },
          aliases: { fp: 'push --force', wipe: '!rm -rf build', loop: 'loop' },
        }
      : undefined,
}

/** One line for each action: `read  /w/.env  by 0`. An unknown piece is `…`, what a shell pattern leaves open `*`. */
export function formatActions({ actions, complete, doubt }: Actions): string[] {
  return [...actions.map(formatAction), ...(complete ? [] : [`more   ${doubt}`])]
}

function formatAction(action: Action): string {
  const remarks = [
    'recursive' in action && action.recursive && 'and all below',
    'sends' in action && action.sends && 'sends',
    action.kind === 'run' && action.wraps && 'wraps',
    ...(action.kind === 'run' ? action.extras : []),
    action.kind === 'run' && action.branches && `branch ${action.branches.map(formatSlot).join(' or ') || 'none'}`,
    action.by !== undefined && `by ${action.by}`,
    action.inside.length > 0 && `inside ${action.inside.join(' > ')}`,
  ].filter(Boolean)
  return `${action.kind.padEnd(6)} ${subject(action)}${remarks.length > 0 ? `  (${remarks.join(', ')})` : ''}`
}

function subject(action: Action): string {
  if (action.kind === 'fetch') return formatSlot(action.host)
  if (action.kind === 'read' || action.kind === 'write' || action.kind === 'delete')
    return action.paths.map(formatSlot).join(' = ')
  return action.shown
}

const formatSlot = ({ parts, globbed }: Slot): string => parts.join(globbed ? '*' : '…')
