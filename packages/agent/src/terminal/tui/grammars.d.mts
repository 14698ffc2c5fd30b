/**
 * The types of `grammars.mjs`, by hand: those of highlight.js bring the browser's along, and with them names such as
 * `window` and `name` into every file.
 */
export interface Emphasize {
  registered(language: string): boolean
  highlight(
    language: string,
    code: string,
    sheet: Readonly<Record<string, (text: string) => string>>,
  ): { value: string }
}

export function createEmphasize(grammars: object): Emphasize
export const grammars: object
