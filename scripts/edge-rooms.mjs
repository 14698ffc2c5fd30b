import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../packages/hookline/src/', import.meta.url))

/** What needs a machine, and what stands in its place in `hookline/edge`. */
const replaced = {
  'platform/index.ts': 'edge/platform.ts',
  'config/index.ts': 'edge/config.ts',
  'executors/index.ts': 'edge/executors.ts',
  'executors/environment.ts': 'edge/environment.ts',
  'executors/look.ts': 'edge/look.ts',
  'journal/index.ts': 'edge/journal.ts',
  'hosts/index.ts': 'edge/hosts.ts',
  'hooks/load-cache.ts': 'edge/absent.ts',
  'hooks/watch-hooks.ts': 'edge/absent.ts',
  'hooks/project-at.ts': 'edge/absent.ts',
  'trust/index.ts': 'edge/absent.ts',
}
const builtins = {
  'node:path': 'edge/path.ts',
  'node:crypto': 'edge/crypto.ts',
  'node:async_hooks': 'edge/async-hooks.ts',
}

/** A plugin that builds the hooks without Node. What is not in the tables and needs `node:*` fails the build's test. */
export const edgeRooms = () => ({
  name: 'edge-rooms',
  resolveId(specifier, importer) {
    // Declarations are those of the whole package.
    if (!importer || /\.d\.[cm]?ts/.test(importer) || importer.includes('?')) return undefined
    if (Object.hasOwn(builtins, specifier)) return source + builtins[specifier]
    if (!specifier.startsWith('.') || !importer.startsWith(source)) return undefined
    const room = resolve(dirname(importer), specifier).slice(source.length)
    return Object.hasOwn(replaced, room) ? source + replaced[room] : undefined
  },
})
