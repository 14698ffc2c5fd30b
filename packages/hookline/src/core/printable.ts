/** What a project has written must not be able to hide itself: what a terminal would act on is shown in escapes. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => (character === '\t' ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`),
  )
}
