/** Where code of other languages computes the home directory, and puts paths together: both are made literals. */

/** How languages ask for the home; a group, where there is one, is what follows `~`. */
const HOMES: readonly RegExp[] = [
  /(?:\bpathlib\s*\.\s*)?\bPath\s*\.\s*home\s*\(\s*\)/g,
  /\b(?:os\s*\.\s*path\s*\.\s*)?expanduser\s*\(\s*["']~([^"']*)["']\s*\)/g,
  /\bPath\s*\(\s*["']~([^"']*)["']\s*\)\s*\.\s*expanduser\s*\(\s*\)/g,
  /\bos\s*\.\s*environ(?:b)?\s*\[\s*b?["'](?:HOME|USERPROFILE)["']\s*\]/g,
  /\b(?:os\s*\.\s*)?(?:environ\s*\.\s*get|[gG]etenv)\s*\(\s*["'](?:HOME|USERPROFILE)["'][^)]*\)/g,
  /\b(?:require|import)\s*\(\s*["'](?:node:)?os["']\s*\)\s*\)?\s*\.\s*(?:homedir\s*\(\s*\)|userInfo\s*\(\s*\)\s*\.\s*homedir)/g,
  /\b(?:os\s*\.\s*)?(?:homedir|user_home_dir|home_dir|get_home_dir|gethomedir|UserHomeDir)\s*!?\s*\(\s*\)/g,
  /\bprocess\s*\.\s*env\s*(?:\.\s*(?:HOME|USERPROFILE)\b|\[\s*["'](?:HOME|USERPROFILE)["']\s*\])/g,
  /\b(?:Deno|Bun)\s*\.\s*env\s*(?:\.\s*get\s*\(\s*["']HOME["']\s*\)|\.\s*HOME\b)/g,
  /\bNSHomeDirectory\s*\(\s*\)/g,
  /\bDir\s*\.\s*home(?:\s*\(\s*\))?/g,
  /\bENV\s*(?:\[\s*["']HOME["']\s*\]|\.\s*fetch\s*\(\s*["']HOME["'][^)]*\))/g,
  /\bFile\s*\.\s*expand_path\s*\(\s*["']~([^"']*)["']\s*\)/g,
  /\$ENV\s*\{\s*["']?HOME["']?\s*\}/g,
  /\$_(?:SERVER|ENV)\s*\[\s*["']HOME["']\s*\]/g,
  /\bSystem\s*\.\s*(?:user_home!?\s*(?:\(\s*\))?|getProperty\s*\(\s*["']user\.home["']\s*\)|getenv\s*\(\s*["']HOME["']\s*\))/g,
  /\$(?:::)?env\s*\(\s*HOME\s*\)/g,
  /\bENVIRON\s*\[\s*["']HOME["']\s*\]/g,
  /\b(?:Sys\s*\.\s*getenv|path\s*\.\s*expand|path_expand|fs::path_home)\s*\(\s*["'](?:HOME|~)["']\s*\)/g,
]

/** Code with homes written out, in two readings: as strings of their own, and as part of the string they stand in. */
export function withHomes(code: string, home: string): readonly string[] {
  if (!/home|~|USERPROFILE/i.test(code)) return [code]
  const replaced = (put: (rest: string) => string) =>
    HOMES.reduce((text, pattern) => text.replace(pattern, (_, rest) => put(typeof rest === 'string' ? rest : '')), code)
  const apart = replaced((rest) => JSON.stringify(home + rest))
  if (apart === code) return [code]
  return [apart, replaced((rest) => home + rest).replace(/[$#]?\{\s*(\/[^{}"'\s]*)\s*\}/g, '$1')]
}
