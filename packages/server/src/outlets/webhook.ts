import { createHmac } from 'node:crypto'
import { defineOutlet, postTo } from './kind.ts'
import { ocsfOf } from './ocsf.ts'

/** As JSON, or as OCSF in JSON lines. With a secret, `x-hookline-signature` is the HMAC-SHA256 of the body. */
export const webhook = defineOutlet({
  doc: 'An address that gets alerts and decisions as JSON, or as OCSF in JSON lines.',
  takesDecisions: true,
  needs: [],
  async send({ alerts, decisions }, { url, secret, format = 'json' }, post) {
    const body =
      format === 'ocsf'
        ? [...alerts.map(ocsfOf.alert), ...decisions.map(ocsfOf.decision)]
            .map((each) => `${JSON.stringify(each)}\n`)
            .join('')
        : JSON.stringify({ alerts, decisions })
    const type = format === 'ocsf' ? 'application/x-ndjson' : 'application/json'
    const signed =
      secret === undefined
        ? {}
        : { 'x-hookline-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
    await postTo(post, url, { 'content-type': type, ...signed }, body)
  },
})
