import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from './keys.ts'
import { ProofDialog } from './parts/proof.tsx'
import { Fleet } from './screens/fleet.tsx'
import { Inbox } from './screens/inbox.tsx'
import { Journal } from './screens/journal.tsx'
import { Now } from './screens/now.tsx'
import { Replay } from './screens/replay.tsx'
import { Rules } from './screens/rules.tsx'
import { Sessions } from './screens/sessions.tsx'
import { SignIn } from './screens/sign-in.tsx'
import { Stats } from './screens/stats.tsx'
import { Try } from './screens/try.tsx'
import { go, live, loadMe, me, notice, place, signedIn, signOut, stats, waiting } from './state.ts'

/** The screens: one line each. The first is where the page begins. */
const screens: Readonly<Record<string, { name: string; key: string; Screen: ComponentType }>> = {
  '/now': { name: 'Now', key: '1', Screen: Now },
  '/inbox': { name: 'Inbox', key: '2', Screen: Inbox },
  '/sessions': { name: 'Sessions', key: '3', Screen: Sessions },
  '/rules': { name: 'Rules', key: '4', Screen: Rules },
  '/journal': { name: 'Journal', key: '5', Screen: Journal },
  '/try': { name: 'Try', key: '6', Screen: Try },
  '/replay': { name: 'Replay', key: '7', Screen: Replay },
  '/stats': { name: 'Stats', key: '8', Screen: Stats },
  '/fleet': { name: 'Fleet', key: '9', Screen: Fleet },
}

export function App() {
  useEffect(() => {
    if (signedIn.value === undefined) void loadMe()
  }, [])
  // Who it is, is known in a moment; unless the server says why it is not.
  if (signedIn.value === undefined)
    return (
      <main class="sign-in" hidden={!notice.value}>
        <h1>Hookline</h1>
        <Notice />
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      </main>
    )
  if (!signedIn.value) return <SignIn />
  const path = Object.hasOwn(screens, place.value.pathname) ? place.value.pathname : '/now'
  const { Screen, name } = screens[path]!
  document.title = `${waiting.value > 0 ? `(${waiting.value}) ` : ''}${name} · Hookline`
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: links work with the keyboard as they are
    // biome-ignore lint/a11y/noStaticElementInteractions: links stay in the page
    <div class="app" onClick={stayHere}>
      <a class="skip" href="#content">
        To the content
      </a>
      <Rail path={path} />
      <Top />
      <div id="content">{me.value && <Screen />}</div>
      <Notice />
      <ProofDialog />
      <Keys />
    </div>
  )
}

/** Links within the console change the address, not the page. */
function stayHere(event: MouseEvent): void {
  const link = (event.target as HTMLElement).closest('a')
  if (!link || link.origin !== location.origin || link.hash !== '' || link.hasAttribute('download') || link.pathname.startsWith('/api/') || event.metaKey || event.ctrlKey) return
  event.preventDefault()
  go(link.pathname + link.search)
}

function Rail({ path }: { path: string }) {
  return (
    <nav class="rail" aria-label="Screens">
      <strong class="brand">Hookline</strong>
      {Object.entries(screens).map(([at, { name }]) => (
        <a key={at} href={at} aria-current={at === path ? 'page' : undefined}>
          {name}
          {at === '/inbox' && waiting.value > 0 && <span class="count">{waiting.value}</span>}
        </a>
      ))}
    </nav>
  )
}

function Top() {
  const { failed_open: failed = 0 } = stats.value ?? {}
  return (
    <header class="top">
      <span class="machine">{location.host}</span>
      <a href="/journal?mark=failed" class={failed > 0 ? 'bad' : ''} title="Guards that failed and stopped nothing, in the last day">
        failed open: <strong>{failed}</strong>
      </a>
      <a href="/inbox" class={waiting.value > 0 ? 'warn' : ''}>
        waiting: <strong>{waiting.value}</strong>
      </a>
      <span class={live.value ? 'dim' : 'bad'} role="status">
        {live.value ? 'live' : 'not connected'}
      </span>
      <span class="spacer" />
      <span class="dim hint">/ to search, ? for keys</span>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </header>
  )
}

function Notice() {
  const said = notice.value
  useEffect(() => {
    if (!said || said.bad) return
    const timer = setTimeout(() => {
      notice.value = undefined
    }, 6_000)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <div class="notice-place" role="status" aria-live="polite">
      {said && (
        <div class={said.bad ? 'notice bad' : 'notice'}>
          <span>
            {said.text} {said.remedy && <span class="dim">{said.remedy}</span>}
          </span>
          <button
            type="button"
            class="quiet"
            aria-label="Close"
            onClick={() => {
              notice.value = undefined
            }}
          >
            ✕
          </button>
        </div>
      )}
    </div>
  )
}

const keys: readonly (readonly [string, string])[] = [
  ['1 … 9', 'the screens, in order'],
  ['/', 'search in the journal'],
  ['j k', 'next, previous'],
  ['y s a n', 'Inbox: once, this session, always, no'],
  ['x', 'Inbox: select, to answer several at once'],
  ['n', 'Rules: a new one'],
  ['Ctrl Enter', 'Try, Rules: try it, save it'],
  ['Esc', 'closes what is open'],
  ['?', 'these keys'],
]

function Keys() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  const search = () => {
    const focus = () => document.getElementById('search')?.focus()
    if (place.value.pathname === '/journal') return focus()
    go('/journal')
    setTimeout(focus)
  }
  useKeys({
    '?': () => setOpen(true),
    '/': search,
    ...Object.fromEntries(Object.entries(screens).map(([at, { key }]) => [key, () => go(at)])),
  })
  return (
    <dialog ref={dialog} onClose={() => setOpen(false)} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keys.map(([key, what]) => (
          <>
            <dt>{key}</dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <form method="dialog" class="buttons">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
