import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, keepProof, Refused } from '../api.ts'
import { fail, notice } from '../state.ts'

interface Asked {
  proven: boolean
  key?: string
  question?: string
  secret?: boolean
  /** An identity provider shows it instead: they sign in again. */
  sign_in?: string
}

const asking = signal<{ asked: Asked; done(proven: boolean): void } | undefined>(undefined)

/** Does it; where the server wants to see a person first, lets them show it, and does it again. Undefined: it was not done, and why is shown. */
export async function asPerson<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.code !== 'proof-needed') {
      fail(error)
      return undefined
    }
  }
  try {
    const asked = await call<Asked>('POST', '/api/proof')
    const proven =
      asked.proven ||
      (await new Promise<boolean>((resolve) => {
        asking.value = { asked, done: resolve }
      }))
    return proven ? await work() : undefined
  } catch (error) {
    fail(error)
    return undefined
  } finally {
    asking.value = undefined
  }
}

/** The one place where a person proves to be one. */
export function ProofDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)
  const open = asking.value
  useEffect(() => {
    setTyped('')
    setWrong(false)
    if (open) dialog.current?.showModal()
    else dialog.current?.close()
  }, [open])
  if (!open) return <dialog ref={dialog} />
  const again = open.asked.sign_in
  if (again !== undefined)
    return (
      <dialog ref={dialog} onClose={() => open.done(false)} aria-labelledby="proof-title">
        <h2 id="proof-title">Is it you?</h2>
        <p>This loosens what your rules hold. Sign in again to show that you are there; then do it once more.</p>
        <div class="buttons">
          <button type="button" onClick={() => open.done(false)}>
            Cancel
          </button>
          <a class="button main" href={`${again}?to=${encodeURIComponent(location.pathname + location.search)}`}>
            Sign in again
          </a>
        </div>
      </dialog>
    )
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      const result = await call<Asked>('POST', '/api/proof/answer', { typed })
      setTyped('')
      if (result.key !== undefined) keepProof(result.key)
      if (result.proven) return open.done(true)
      if (result.question !== undefined) return setWrong(true)
      open.done(false)
      notice.value = { text: 'What you typed does not match. Nothing was changed.', bad: true }
    } catch (error) {
      fail(error)
      open.done(false)
    }
  }
  const field = {
    autocomplete: 'off',
    value: typed,
    autofocus: true,
    onInput: (event: { currentTarget: HTMLInputElement }) => setTyped(event.currentTarget.value),
  } as const
  return (
    <dialog ref={dialog} onClose={() => open.done(false)} aria-labelledby="proof-title">
      <form onSubmit={submit}>
        <h2 id="proof-title">Is it you?</h2>
        <p>This loosens what your rules hold. Only you may do that, and no program for you.</p>
        <label>
          {(open.asked.question ?? '').replace(/:\s*$/, '').replaceAll('`', '')}
          {open.asked.secret ? <input type="password" {...field} /> : <input type="text" {...field} />}
        </label>
        {wrong && <p class="bad">It does not match. Try again.</p>}
        <div class="buttons">
          <button type="button" onClick={() => open.done(false)}>
            Cancel
          </button>
          <button type="submit" class="main">
            It is me
          </button>
        </div>
      </form>
    </dialog>
  )
}
