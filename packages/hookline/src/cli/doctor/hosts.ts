import { formatNote } from '../../core/index.ts'
import type { Ground, Host } from '../../hosts/index.ts'
import { type HostStatus, hostNamed, type Proof, prove, statusOf } from '../../install/index.ts'
import { wrap } from '../text/layout.ts'
import type { Paint } from '../text/paint.ts'

/** What a host itself says of our entry, and what became of the canary. */
export interface HostProof {
  host: Host
  status: HostStatus
  proof?: Proof
  ok: boolean
}

/** Through the host where it can say what it has loaded, and through the line that it runs. */
export async function proveHosts(names: readonly string[], ground: Ground): Promise<HostProof[]> {
  const proofs: HostProof[] = []
  for (const name of names) {
    const host = await hostNamed(name)
    const status = statusOf(host, ground)
    const [scope] = status.scopes
    if (scope === undefined) {
      proofs.push({ host, status, ok: false })
      continue
    }
    const proof = await prove(host, scope, ground)
    const isListed = proof.listed === undefined || (proof.listed.ours > 0 && proof.listed.trusted !== false)
    proofs.push({ host, status, proof, ok: proof.canary.blocked && isListed && status.status === 'installed' })
  }
  return proofs
}

export function jsonOfProofs(proofs: readonly HostProof[]) {
  return {
    ok: proofs.every(({ ok }) => ok),
    hosts: proofs.map(({ host, status, proof, ok }) => ({
      name: host.name,
      ok,
      status: status.status,
      canary: proof?.canary.blocked ?? false,
      canary_ms: proof?.canary.ms ?? null,
      listed: proof?.listed ?? null,
      problems: status.problems.map(formatNote),
    })),
  }
}

export function showProofs(proofs: readonly HostProof[], paint: Paint, width: number): string[] {
  return proofs.flatMap(({ host, status, proof, ok }) => {
    const said = proof ? [listedWords(host, proof), canaryWords(proof)] : ['not installed']
    return [
      `${ok ? paint.green('✓') : paint.red('✗')} ${host.called.padEnd(12)} ${said.join(' · ')}`,
      ...status.problems.map(formatNote).flatMap((text) => wrap(text, width - 4).map((line) => `    ${line}`)),
      ...(proof ? [] : [`    Run: hookline install ${host.name}`]),
      ...(proof && !proof.canary.blocked ? [`    ${proof.canary.said.split('\n')[0] ?? ''}`] : []),
    ]
  })
}

function listedWords({ setup }: Host, { listed }: Proof): string {
  if (!listed)
    return setup.listing ? 'the agent is not here to say what it has loaded' : 'the agent cannot say what it has loaded'
  if (listed.ours === 0) return 'the agent has not loaded our entry'
  return listed.trusted === false ? 'loaded, but not trusted: the agent skips it' : 'loaded, as the agent says'
}

const canaryWords = ({ canary }: Proof): string =>
  canary.blocked ? `canary blocked in ${canary.ms} ms` : 'the canary was not blocked'
