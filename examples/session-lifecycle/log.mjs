import { appendFileSync, readFileSync } from 'node:fs'

const { source, reason } = JSON.parse(readFileSync(0, 'utf8'))
if (!process.env.HOOKLINE_SYNTHETIC) appendFileSync('session.log', `${process.argv[2]} ${source ?? reason}\n`)
