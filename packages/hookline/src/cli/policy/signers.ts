import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HooklineError } from '../../core/index.ts'
import { idOfKey, openKey, partsOf, type Role, rolesOf, type Signer, wrong } from '../../fleet/publish/index.ts'
import { type Invocation, texts } from '../command.ts'
import { passphraseFor } from './passphrase.ts'

/**
 * Those that are named with `--key`; else those in keys/ that the root names for these roles, or the one that takes its
 * place. A key of before helps where it can be opened, and is not needed: it may be lost.
 */
export async function signersFor(invocation: Invocation, directory: string, roles: readonly Role[]): Promise<Signer[]> {
  const named = texts(invocation.values['key']).map((file) => ({ file: resolve(file), isNeeded: true }))
  const keys = named.length > 0 ? named : lyingFor(directory, roles)
  const open = opener(invocation)
  const signers: Signer[] = []
  for (const { file, isNeeded } of keys) {
    try {
      signers.push(await open(file, isNeeded))
    } catch (error) {
      if (isNeeded || !(error instanceof HooklineError)) throw error
    }
  }
  return signers
}

function lyingFor(directory: string, roles: readonly Role[]): { file: string; isNeeded: boolean }[] {
  const { keys } = partsOf(directory)
  const names = existsSync(keys) ? readdirSync(keys).filter((name) => name.endsWith('.json')) : []
  const { now, before } = rolesOf(directory, roles)
  const known = names.sort().map((name) => ({ file: join(keys, name), id: idOfKey(join(keys, name)) }))
  const found = known
    .filter(({ id }) => id !== undefined && (now.has(id) || before.has(id)))
    .map(({ file, id }) => ({ file, isNeeded: now.has(id!) }))
  if (!found.some(({ isNeeded }) => isNeeded)) throw noneOf(roles, keys)
  return found.sort((one, other) => Number(other.isNeeded) - Number(one.isNeeded))
}

const noneOf = (roles: readonly Role[], keys: string) =>
  wrong(
    `There is no ${roles.join(' or ')} key in ${keys} that counts.`,
    roles.includes('root')
      ? 'Name one: `--key <file>`. If the policy key is lost, the root key replaces it: `hookline policy rotate policy`.'
      : 'Name one: `--key <file>`. If it is lost, the root key replaces it: `hookline policy rotate online`.',
  )

/** One passphrase may be that of several keys: what was typed is tried first. */
function opener(invocation: Invocation): (file: string, mayAsk: boolean) => Promise<Signer> {
  const typed: string[] = []
  return async (file, mayAsk) => {
    for (const given of typed) {
      const signer = await openKey(file, async () => given).catch(() => undefined)
      if (signer) return signer
    }
    return openKey(file, async () => {
      if (!mayAsk) throw wrong(`${file} has another passphrase.`, 'It is not needed.')
      const given = await passphraseFor(invocation, `The passphrase of ${file}`)
      typed.push(given)
      return given
    })
  }
}
