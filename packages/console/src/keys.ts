import { useEffect } from 'preact/hooks'

/** Moving through a list goes on while the key is held. */
const repeats = new Set(['j', 'k', 'ArrowDown', 'ArrowUp'])

/** Keys of a screen, by name. What is typed into a field is no key. */
export function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isField = target.matches('input:not([type=checkbox]), textarea, select')
      // A key that is held down acts once.
      if (event.repeat && !repeats.has(event.key)) return
      if (event.ctrlKey || event.metaKey || event.altKey || (isField && event.key !== 'Escape')) return
      if (document.querySelector('dialog[open]') || !Object.hasOwn(keys, event.key)) return
      if (event.key === 'Enter' && /^(?:BUTTON|A|SUMMARY)$/.test(target.tagName)) return
      event.preventDefault()
      keys[event.key]!()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}
