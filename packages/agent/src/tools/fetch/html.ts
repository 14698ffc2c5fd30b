import type TurndownService from 'turndown'

export type TextFormat = 'text' | 'markdown'

/** Longer pages are cut before they are converted: the model reads less than this anyway. */
const mostCharacters = 200_000

/** The converter needs minutes for pages that nest deeper than any real one; those only lose their tags. */
const deepest = 200

/** A page as text or Markdown, without what is not content. However the page is written, the time this takes is bounded. */
export async function readable(html: string, format: TextFormat): Promise<string> {
  const content = withoutHidden(html).slice(0, mostCharacters)
  if (nesting(content) > deepest) return tidy(content.replace(/<[a-z/!][^<>]*>/gi, ' '))
  services[format] ??= await openService(format)
  return tidy(services[format].turndown(content))
}

const services: Partial<Record<TextFormat, TurndownService>> = {}

/** Loaded with the first page: it brings an HTML parser along. */
async function openService(format: TextFormat): Promise<TurndownService> {
  const { default: Turndown } = await import('turndown')
  const service = new Turndown({ headingStyle: 'atx', bulletListMarker: '-', codeBlockStyle: 'fenced' })
  // A model reads `2 * 3` better than `2 \* 3`.
  service.escape = (text) => text
  if (format === 'markdown') return service
  service.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (text) => `\n\n${text}\n\n`,
  })
  service.addRule('inline', { filter: ['a', 'strong', 'b', 'em', 'i', 'code'], replacement: (text) => text })
  service.addRule('code', { filter: ['pre'], replacement: (_, node) => `\n\n${node.textContent}\n\n` })
  service.addRule('image', {
    filter: ['img'],
    replacement: (_, node) => (node as unknown as { alt?: string }).alt ?? '',
  })
  return service
}

function withoutHidden(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<(script|style|noscript|template|svg|head|iframe)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, (whole, name: string) =>
      name.toLowerCase() === 'head' ? titleOf(whole) : '',
    )
}

function titleOf(head: string): string {
  const title = /<title\b[^>]*>([\s\S]*?)<\/title>/i.exec(head)?.[1]
  return title === undefined ? '' : `<p>${title}</p>`
}

/** Elements that have no content, or that end where the next one begins. */
const shallow = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option'.split(
    ' ',
  ),
)

/** At most so many elements are open at once. An end tag without its start tag closes nothing. */
function nesting(html: string): number {
  const open = new Map<string, number>()
  let [depth, most] = [0, 0]
  for (const [, end, tag = ''] of html.matchAll(/<(\/?)([a-z][^\s/<>]*)/gi)) {
    const name = tag.toLowerCase()
    const count = open.get(name) ?? 0
    if (shallow.has(name) || (end && count === 0)) continue
    open.set(name, count + (end ? -1 : 1))
    depth += end ? -1 : 1
    most = Math.max(most, depth)
  }
  return most
}

const tidy = (text: string): string =>
  text
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
