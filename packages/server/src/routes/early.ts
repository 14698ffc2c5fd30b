import type { EarlyRoute } from '../http/route.ts'
import * as decisions from './decisions.ts'

/**
 * What needs nothing but the store, and so is answered from the first moment on; whatever else is asked for waits until all of the server is
 * loaded. Nothing here changes anything, or has parameters in its address.
 */
export const earlyRoutes: Readonly<Record<string, EarlyRoute>> = {
  listDecisions: decisions.listDecisions,
  stats: decisions.stats,
  headline: decisions.headline,
  series: decisions.series,
}
