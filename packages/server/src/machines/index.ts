export { type Enrolment, type Machine, type Machines, openMachines } from './machines.ts'
