export { addressOf, enrol, type MachineClient, openMachine, refusalOf } from './client.ts'
export { type Enrolment, forget, readEnrolment } from './enrolment.ts'
export { fleetDirectory, machineDirectory, ownDirectory } from './place.ts'
export { openShipper, type Shipper, type ShipState } from './ship.ts'
