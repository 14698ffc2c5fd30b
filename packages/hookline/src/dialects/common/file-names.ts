/** Files that by their name belong to one system. Apart from the dialects, so that none need be loaded to tell. */
export const fileNames = {
  native: /^\.?hookline(?:\.[\w-]+)*\.(?:ya?ml|jsonc?)$/,
  crush: /^\.?crush\.jsonc?$/,
  starchild: /^shell_hooks\.(?:ya?ml|jsonc?)$/,
} as const

export function dialectOfFile(fileName: string): string | undefined {
  return Object.entries(fileNames).find(([, pattern]) => pattern.test(fileName))?.[0]
}
