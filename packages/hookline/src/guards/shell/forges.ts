/** Servers where everybody's repositories are; any other one is somebody's. */
const FORGES =
  '(?:www\\.|ssh\\.)?(?:github\\.com|gitlab\\.com|bitbucket\\.org|codeberg\\.org|git\\.sr\\.ht|dev\\.azure\\.com|huggingface\\.co|sourceware\\.org|git\\.kernel\\.org|salsa\\.debian\\.org|localhost|127\\.0\\.0\\.1)'
const FOREIGN = new RegExp(`^(?:(?:https?|ssh|git|ftp)://(?:[^/@]*@)?|[\\w.-]+@)(?!${FORGES}[:/])[\\w.-]+[:/]`)
const KNOWN = new RegExp(`^(?:[a-z+]+://(?:[^/@]*@)?|[\\w.-]+@)?${FORGES}(?:[:/]|$)`, 'i')

/** A server by its address, and none of those. */
export const isForeignServer = (url: string): boolean => FOREIGN.test(url)

/** One of those, with or without the rest of an address. */
export const isForge = (url: string): boolean => KNOWN.test(url)
