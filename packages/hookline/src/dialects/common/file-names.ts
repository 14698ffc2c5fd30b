import { isRecord } from '../../core/index.ts'

/** Files that by their name belong to one system. Apart from the dialects, so that none need be loaded to tell. */
export const fileNames = {
  native: /^\.?hookline(?:\.[\w-]+)*\.(?:ya?ml|jsonc?)$/,
  crush: /^\.?crush\.jsonc?$/,
  starchild: /^shell_hooks\.(?:ya?ml|jsonc?)$/,
} as const

export function dialectOfFile(fileName: string): string | undefined {
  return Object.entries(fileNames).find(([, pattern]) => pattern.test(fileName))?.[0]
}

/** Only ours has bundles to use, or rules without hooks: such a document guards something, and no name may hide that. */
export function dialectOfDocument(document: unknown, fileName: string): string | undefined {
  const isOurs =
    isRecord(document) && document['hooks'] === undefined && [document['use'], document['rules']].some(Array.isArray)
  return isOurs ? 'native' : dialectOfFile(fileName)
}
