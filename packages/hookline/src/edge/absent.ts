/** In place of modules that are only about files. */
import { missingHere } from './missing.ts'

export const openLoadCache = (): undefined => undefined
export const projectAt = (): undefined => undefined
export const isWorkspace = (): boolean => false
export function watchHooks(): never {
  throw missingHere('`watch`', 'Hooks in code change with the program.')
}
