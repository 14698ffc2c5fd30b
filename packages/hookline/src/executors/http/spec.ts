import * as z from 'zod/mini'
import { type Layer, type Note, note } from '../../core/index.ts'
import { checkUrl } from '../../guards/network/index.ts'

const ownHeaders =
  /^(?:host|connection|keep-alive|content-.*|transfer-encoding|accept-encoding|te|trailer|upgrade|expect|x-hookline-.*)$/i
const environmentName = z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'))
const headerName = z.string().check(
  z.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header'),
  z.refine((name) => !ownHeaders.test(name), 'is a header that Hookline sets itself'),
)

export const httpSpec = z.strictObject({
  url: z
    .string()
    .check(
      z.regex(/^https?:\/\//i, 'must start with http:// or https://'),
      z.describe('Where the payload is POSTed as JSON. The answer is the decision as JSON, or nothing.'),
    ),
  headers: z.optional(
    z
      .record(headerName, z.string())
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it
      .check(z.describe('More headers. `${env:NAME}` stands for a variable listed in `allowed_env`.')),
  ),
  allowed_env: z.optional(
    z.array(environmentName).check(z.describe('Variables of the host that headers may contain.')),
  ),
  secret_env: z.optional(
    environmentName.check(z.describe('The variable that holds the key for the header X-Hookline-Signature.')),
  ),
  allow_local: z.optional(
    z
      .boolean()
      .check(
        z.describe(
          'May reach loopback and private addresses; not from project files. Metadata addresses stay refused.',
        ),
      ),
  ),
  follow_redirects: z.optional(
    z.int().check(z.gte(0), z.lte(3), z.describe('How many redirects within the same origin are followed. Default 0.')),
  ),
  retries: z.optional(
    z
      .int()
      .check(z.gte(0), z.lte(3), z.describe('How often to ask again when nothing of an answer arrived. Default 0.')),
  ),
  body_limit: z.optional(
    z.int().check(z.positive(), z.describe('Bytes of the answer, decompressed. Default 1048576.')),
  ),
  ca_file: z.optional(
    z.string().check(z.minLength(1), z.describe('PEM file of the authorities to trust instead of the usual ones.')),
  ),
})

export type HttpSpec = z.infer<typeof httpSpec>

/** A project must not open the way into the machine it was cloned to. */
const localLayers: ReadonlySet<Layer> = new Set(['managed', 'fleet', 'user', 'session', 'code'])

/** What is known without a request: whether this layer may reach local addresses, and whether the URL is one. */
export function checkHttpSpec(spec: HttpSpec, layer: Layer): Note[] {
  const problems: Note[] = []
  const mayBeLocal = localLayers.has(layer)
  if (spec.allow_local && !mayBeLocal)
    problems.push(
      note('option-not-allowed', { option: 'allow_local', layer, fix: 'Move the hook to your user config.' }),
    )
  const { verdict, why } = checkUrl(spec.url, undefined, { allowLocal: spec.allow_local === true && mayBeLocal })
  if (verdict === 'refused')
    problems.push(
      note('spec-invalid', {
        type: 'http',
        path: 'url',
        detail: `is refused: ${why.replace(/\.$/, '')}`,
        fix: 'Use a public URL; for a service of your own, set `allow_local: true` in a user or managed config.',
      }),
    )
  return problems
}
