import { moveOut } from './cli.ts'

moveOut()
