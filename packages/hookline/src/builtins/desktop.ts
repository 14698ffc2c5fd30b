/** The program that shows a notice on the desktop, and its arguments; undefined where none is known. */
export const desktopNotice = (platform: string, title: string, text: string): [string, string[]] | undefined =>
  desktops[platform]?.(title, text)

/** The text is an argument, never part of a script. */
const desktops: Record<string, (title: string, text: string) => [string, string[]]> = {
  linux: (title, text) => ['notify-send', ['--', title, text]],
  darwin: (title, text) => [
    'osascript',
    [
      '-e',
      'on run argv',
      '-e',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      '-e',
      'end run',
      title,
      text,
    ],
  ],
}
