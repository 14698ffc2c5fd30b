import ipaddr from 'ipaddr.js'

/**
 * docker-agent's patterns: `example.com` and what is below it, `.example.com` and `*.example.com` only what is below, an address, or
 * a range such as `10.0.0.0/8`.
 */
export function matchesDomain(host: string, pattern: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  const wanted = pattern.trim().toLowerCase().replace(/\.$/, '')
  if (wanted.includes('/')) return isInRange(name, wanted)
  const below = wanted.replace(/^\*?\./, '')
  if (below !== wanted) return name.endsWith(`.${below}`)
  return name === wanted || (!ipaddr.isValid(name) && name.endsWith(`.${wanted}`))
}

function isInRange(host: string, range: string): boolean {
  if (!ipaddr.isValid(host)) return false
  try {
    const address = ipaddr.process(host)
    const [base, bits] = ipaddr.parseCIDR(range)
    return address.kind() === base.kind() && address.match([base, bits] as never)
  } catch {
    return false
  }
}
