/** Files that by their name belong to one system. Apart from the dialects, so that none need be loaded to tell. */
export const fileNames = {
  native: /^\.?hookline(?:\.[\w-]+)*\.(?:ya?ml|jsonc?)$/,
  crush: /^\.?crush\.jsonc?$/,
  starchild: /^shell_hooks\.(?:ya?ml|jsonc?)$/,
} as const

/** Systems that let people write comments into a `.json`, as their documents show them. */
export const readsComments = (dialect: string | undefined): boolean => dialect === 'crush'

export function dialectOfFile(fileName: string): string | undefined {
  return Object.entries(fileNames).find(([, pattern]) => pattern.test(fileName))?.[0]
}
