import { appendFileSync, readFileSync } from 'node:fs'

const { notification_level: level, notification_message: message } = JSON.parse(readFileSync(0, 'utf8'))
if (!process.env.HOOKLINE_SYNTHETIC) appendFileSync('alerts.log', `${level}: ${message}\n`)
