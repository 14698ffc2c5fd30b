#!/usr/bin/env node
import { realpathSync, statSync } from 'node:fs'
import module from 'node:module'

const directory = module.enableCompileCache && codeDirectory()
if (directory) module.enableCompileCache(directory)
await import('../dist/cli.js')

/**
 * Where Node 22.8 and later keep compiled code for the next start. Code is code: it lies with the approvals, in a
 * directory that only the user can write, and never in the workspace at hand, which the project could have written.
 */
function codeDirectory() {
  const { HOME, XDG_STATE_HOME } = process.env
  const state = XDG_STATE_HOME?.startsWith('/') ? XDG_STATE_HOME : `${HOME}/.local/state`
  try {
    const here = process.cwd()
    const place = realpathSync(`${state}/hookline`)
    const { uid, mode } = statSync(place)
    const isPrivate = uid === process.getuid?.() && (mode & 0o022) === 0
    const isRedirected = here !== HOME && place.startsWith(here)
    return isPrivate && !isRedirected ? `${place}/code` : undefined
  } catch {
    return undefined
  }
}
