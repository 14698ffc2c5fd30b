import { defineOutlet, inWords } from './kind.ts'

const mostMs = 15_000

export const mail = defineOutlet({
  doc: 'Mail, by SMTP: `smtp://user:$PASSWORD@mail.example.com:587`, or `smtps://`.',
  takesDecisions: false,
  needs: ['from', 'to'],
  async send({ alerts }, { url, from, to }) {
    // Loaded when there is something to send: most servers send no mail.
    const { createTransport } = await import('nodemailer')
    const waits = { connectionTimeout: mostMs, greetingTimeout: mostMs, socketTimeout: mostMs }
    const transport = createTransport({ url, ...waits, disableFileAccess: true, disableUrlAccess: true })
    try {
      const [first] = alerts
      const subject =
        alerts.length === 1 ? `${first!.ended === null ? '' : 'Over: '}${first!.title}` : `${alerts.length} alerts`
      const text = alerts
        .map((alert) => `${inWords(alert)}\n${alert.ended ?? alert.last}, ${alert.count} ×\n`)
        .join('\n')
      await transport.sendMail({ from, to, subject: `Hookline: ${subject}`, text })
    } finally {
      transport.close()
    }
  },
})
