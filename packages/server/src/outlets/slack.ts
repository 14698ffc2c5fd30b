import { defineOutlet, inWords, postTo } from './kind.ts'

/** The shape of Slack's incoming webhooks, which Mattermost, Rocket.Chat and others take as well. https://api.slack.com/messaging/webhooks */
export const slack = defineOutlet({
  doc: 'An incoming webhook of Slack, or of whatever takes the same shape.',
  takesDecisions: false,
  needs: [],
  async send({ alerts }, { url }, post) {
    const text = alerts
      .map((alert) => `${alert.ended === null ? ':rotating_light:' : ':white_check_mark:'} ${escaped(inWords(alert))}`)
      .join('\n')
    await postTo(post, url, { 'content-type': 'application/json' }, JSON.stringify({ text }))
  },
})

/** These three have a meaning there: https://api.slack.com/reference/surfaces/formatting#escaping */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
