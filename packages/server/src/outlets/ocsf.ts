import type { Alert } from '../audit/alerts.ts'
import type { Decision } from '../decisions/index.ts'

const product = { name: 'Hookline', vendor_name: 'Hookline' }

/**
 * What is in the store, as events of the Open Cybersecurity Schema Framework: a decision as API Activity (6003), an alert as Detection Finding (2004).
 * https://schema.ocsf.io/1.3.0/classes/detection_finding
 */
export const ocsfOf = {
  decision({ id, time, event, outcome, subject, reason, host, session, tool, call, machine }: Decision): object {
    const isBlocked = outcome === 'deny' || outcome === 'halt'
    return {
      ...{ category_uid: 6, class_uid: 6003, activity_id: 99, activity_name: event, type_uid: 600_399 },
      ...{ time: Date.parse(time), severity_id: isBlocked ? 3 : 1, status_id: outcome === 'failure' ? 2 : 1 },
      ...{ action_id: isBlocked ? 2 : 1, disposition_id: isBlocked ? 2 : 1, message: subject },
      ...(reason !== null && { status_detail: reason }),
      metadata: { version: '1.3.0', profiles: ['security_control'], uid: String(id), product },
      actor: { app_name: host, session: { uid: session ?? '' } },
      api: { operation: tool ?? event, request: { uid: call ?? String(id) } },
      src_endpoint: { name: machine ?? host },
      unmapped: { outcome },
    }
  },
  alert({ id, kind, title, detail, severity, about, raised, last, count, ended }: Alert): object {
    return {
      ...{ category_uid: 2, class_uid: 2004, type_uid: ended === null ? 200_401 : 200_403 },
      ...{ activity_id: ended === null ? 1 : 3, time: Date.parse(ended ?? last), status_id: ended === null ? 1 : 4 },
      severity_id: severity >= 9 ? 5 : severity >= 7 ? 4 : severity >= 5 ? 3 : 2,
      message: detail,
      finding_info: { uid: id, title, types: [kind], first_seen_time: Date.parse(raised), desc: detail },
      count,
      metadata: { version: '1.3.0', uid: `${id}${ended === null ? '' : ':ended'}`, product },
      unmapped: { about },
    }
  },
}
