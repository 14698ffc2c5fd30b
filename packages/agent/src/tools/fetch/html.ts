/**
 * HTML made readable: without what is not content, with blocks on lines of their own. Not a parser: what it gets wrong is
 * only text. A tag ends at the next `<` at the latest, so that no page can make this slow.
 */
export function readable(html: string, format: 'text' | 'markdown'): string {
  const content = html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<(script|style|noscript|template|svg|head|iframe)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, (whole, name: string) =>
      name.toLowerCase() === 'head' ? titleOf(whole) : '',
    )
  const marked = format === 'markdown' ? markdown(content) : content
  const plain = marked
    .replace(/<li\b[^<>]*>/gi, '\n- ')
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(
      /<(?:\/?(?:p|div|section|article|main|header|footer|nav|aside|ul|ol|table|tr|blockquote|pre|form|h[1-6]|dl|dt|dd|figure))\b[^<>]*>/gi,
      '\n',
    )
    .replace(/<\/t[dh]>/gi, '\t')
    .replace(/<[a-z/!][^<>]*>/gi, '')
  return decodeEntities(plain)
    .split('\n')
    .map((line) => line.replace(/[^\S\t]+/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function titleOf(head: string): string {
  const title = /<title\b[^>]*>([\s\S]*?)<\/title>/i.exec(head)?.[1]
  return title === undefined ? '' : `<p>${title}</p>`
}

function markdown(html: string): string {
  return html
    .replace(/<h([1-6])\b[^<>]*>/gi, (_, level: string) => `\n\n${'#'.repeat(Number(level))} `)
    .replace(/<a\b[^<>]*?\bhref=(?:"([^"<>]*)"|'([^'<>]*)')[^<>]*>([\s\S]{0,500}?)<\/a>/gi, (_, one, other, label) => {
      const text = String(label)
        .replace(/<[^<>]*>/g, '')
        .trim()
      return text === '' ? '' : `[${text}](${one ?? other})`
    })
    .replace(/<\/?(?:strong|b)\b[^<>]*>/gi, '**')
    .replace(/<\/?code\b[^<>]*>/gi, '`')
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  copy: '©',
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole
  })
}
