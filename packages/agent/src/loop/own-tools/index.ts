import type { Tool } from '../../core/index.ts'
import type { Session } from '../session.ts'
import { askUser } from './ask-user.ts'
import { backgroundAgents } from './background-agents.ts'
import { claimCompletion } from './claim-completion.ts'
import { handoff } from './handoff.ts'
import { sendMessage } from './send-message.ts'
import { skills } from './skills.ts'
import { transferTask } from './transfer-task.ts'

/** The tools that need the loop itself, one line each. Each decides for which sessions it is present. */
const own: readonly ((session: Session) => readonly Tool[])[] = [
  askUser,
  transferTask,
  backgroundAgents,
  handoff,
  sendMessage,
  claimCompletion,
  skills,
]

export const loopTools = (session: Session): Tool[] => own.flatMap((make) => make(session))
