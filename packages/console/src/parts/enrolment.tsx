import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { fail, me, tell } from '../state.ts'
import type { Answered } from '../types.ts'
import { Time } from './words.tsx'

type Made = Answered<'makeEnrolment'>

const group = '[a-z0-9][a-z0-9\\-]{0,39}'

/** Makes a token by which machines join, and shows the command to run on them. The token is in this answer and nowhere else. */
export function Enrolment() {
  const [made, setMade] = useState<Made>()
  const [isBusy, setBusy] = useState(false)
  if (me.value?.role !== 'admin') return <p>An administrator of this server lets machines in.</p>
  const make = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    setBusy(true)
    try {
      const body = { group: String(given.get('group')), uses: Number(given.get('uses')), hours: Number(given.get('hours')) }
      setMade(await call<Made>('POST', '/api/enrolments', body))
    } catch (error) {
      fail(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section class="enrolment" aria-label="Add machines">
      <form
        class="buttons"
        onSubmit={(event) => {
          event.preventDefault()
          void make(event.currentTarget)
        }}
      >
        <label>
          group
          <input name="group" defaultValue="default" required pattern={group} title="Lower-case letters, digits and dashes" size={12} />
        </label>
        <label>
          machines
          <input name="uses" type="number" defaultValue="1" required min={1} max={100_000} />
        </label>
        <label>
          hours
          <input name="hours" type="number" defaultValue="24" required min={1} max={8_784} />
        </label>
        <button type="submit" class="main" disabled={isBusy}>
          Make a token
        </button>
      </form>
      {made && <Command {...made} />}
    </section>
  )
}

function Command({ enrolment, secret, root }: Made) {
  const command = `sudo hookline enroll ${location.origin} --token ${secret}${root === null ? '' : ` --root sha256:${root}`}`
  const { left, expires } = enrolment
  return (
    <div role="status">
      <p>
        On {left === 1 ? 'the machine' : `up to ${left.toLocaleString()} machines`}, until <Time at={expires} />. It is shown only here; without
        {' '}<code>sudo</code>, for one user alone.
      </p>
      <pre>{command}</pre>
      <button type="button" onClick={() => void navigator.clipboard.writeText(command).then(() => tell('Copied: run it on each machine.'), fail)}>
        Copy
      </button>
    </div>
  )
}
