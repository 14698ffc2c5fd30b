import { ruleCommand } from '../rules/command.ts'

export const command = ruleCommand('deny')
