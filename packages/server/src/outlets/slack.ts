import { defineOutlet, inWords, postTo } from './kind.ts'

/** A text over 40,000 characters is refused, and nobody reads hundreds of lines: a network that is down makes all machines quiet at once. */
const mostLines = 40

/** The shape of Slack's incoming webhooks, which Mattermost, Rocket.Chat and others take as well. https://api.slack.com/messaging/webhooks */
export const slack = defineOutlet({
  doc: 'An incoming webhook of Slack, or of whatever takes the same shape.',
  takesDecisions: false,
  needs: [],
  async send({ alerts }, { url }, post) {
    const lines = alerts
      .slice(0, mostLines)
      .map((alert) => `${alert.ended === null ? ':rotating_light:' : ':white_check_mark:'} ${escaped(inWords(alert))}`)
    if (alerts.length > mostLines) lines.push(`and ${alerts.length - mostLines} more, which the console shows`)
    await postTo(post, url, { 'content-type': 'application/json' }, JSON.stringify({ text: lines.join('\n') }))
  },
})

/** These three have a meaning there: https://api.slack.com/reference/surfaces/formatting#escaping */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
