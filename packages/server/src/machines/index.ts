export {
  type Enrolment,
  type Machine,
  type MachinePolicy,
  type Machines,
  openMachines,
  policyOf,
  policyStates,
} from './machines.ts'
