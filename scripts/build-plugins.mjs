import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes LICENSES.txt, or under another name: the licences of the packages whose code is in the bundle, by the modules that are in it. */
export function licences(fileName = 'LICENSES.txt') {
  return {
    name: 'licences',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) =>
        chunk.type === 'chunk' ? Object.keys(chunk.modules) : [],
      )
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined))
      if (folders.size === 0) return
      const parts = [...folders].sort().map(licenceOf)
      this.emitFile({
        type: 'asset',
        fileName,
        source: `Parts of these packages are in the files beside this one.\n\n${parts.join('\n')}`,
      })
    },
  }
}

/** The folder of the package that a module of the bundle belongs to; undefined for our own. */
function packageFolder(module) {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replaceAll('\\', '/').replace(/^\0/, ''))?.[1]
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const text = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const words = text ? readFileSync(join(folder, text), 'utf8').trim() : `Licensed under ${license}.`
  return `# ${name} ${version} (${license})\n\n${words}\n`
}

/** Source maps keep names and lines; the sources themselves are in the repository. */
export function mapsWithoutSources() {
  return {
    name: 'maps-without-sources',
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!name.endsWith('.js.map')) continue
        const { sourcesContent: _, ...map } = JSON.parse(readFileSync(join(dir, name), 'utf8'))
        writeFileSync(join(dir, name), JSON.stringify(map))
      }
    },
  }
}

/**
 * Writes letters beyond ASCII as escapes. One `’` anywhere makes V8 keep all of a file's text at two bytes a letter, for as long as the process runs:
 * 3 MB and 10 ms of each start of the command line.
 */
export function plainLetters() {
  return {
    name: 'plain-letters',
    renderChunk: (code, { fileName }) =>
      fileName.endsWith('.js') && /[^\0-\x7f]/.test(code) && !code.includes('String.raw')
        ? {
            code: code.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
            map: null,
          }
        : undefined,
  }
}
