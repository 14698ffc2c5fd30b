import { type Entry, rulesOf, subjectOf } from 'hookline/internal'
import { hostIn } from 'hookline/internal/server'

/**
 * One entry as an event of the Open Cybersecurity Schema Framework: API Activity (class 6003) with the profile security_control, which has what was
 * done about it. https://schema.ocsf.io/1.3.0/classes/api_activity
 */
export function asOcsf(entry: Entry): Record<string, unknown> {
  const isBlocked = entry.outcome === 'deny' || entry.outcome === 'halt'
  const reason = entry.halt?.reason ?? entry.decision?.reason
  return {
    ...{ category_uid: 6, class_uid: 6003, activity_id: 99, activity_name: entry.event, type_uid: 600_399 },
    time: Date.parse(entry.time),
    severity_id: isBlocked ? 3 : 1,
    status_id: entry.outcome === 'failure' ? 2 : 1,
    ...{ action_id: isBlocked ? 2 : 1, disposition_id: isBlocked ? 2 : 1 },
    message: subjectOf(entry),
    ...(reason !== undefined && { status_detail: reason }),
    metadata: {
      ...{ version: '1.3.0', profiles: ['security_control'], uid: entry.dispatch },
      product: { name: 'Hookline', vendor_name: 'Hookline' },
    },
    actor: { app_name: hostIn(entry), session: { uid: entry.session_id ?? '' } },
    api: { operation: entry.tool_name ?? entry.event, request: { uid: entry.call_id ?? entry.dispatch } },
    src_endpoint: { name: hostIn(entry) },
    ...(rulesOf(entry).length > 0 && { firewall_rule: { name: rulesOf(entry)[0] } }),
    unmapped: { outcome: entry.outcome, project: entry.project, rules: rulesOf(entry) },
  }
}
