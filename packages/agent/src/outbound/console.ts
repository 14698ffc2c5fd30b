import * as z from 'zod/mini'
import { defineChannel } from './channel.ts'

export const toConsole = defineChannel({
  doc: 'Prints the message where the agent runs.',
  options: z.strictObject({}),
  open: (_, { name, write }) => {
    return async (text) => write(`[${name}] ${text}`)
  },
})
