/**
 * What a fleet needs, computed from what was measured on one machine with two cores. Every number that goes in is here, with where it comes from; none of
 * what comes out was measured at that size.
 */
export const assumptions = {
  /** Of people who work with agents all day; a runner of CI has more. From nowhere but experience: put in your own. */
  entriesPerMachineDay: { value: 2_000, from: 'assumed' },
  /** How much more than the mean arrives in the busiest hour. */
  peak: { value: 6, from: 'assumed' },
  bytesPerLine: { value: 1_000, from: 'measured: bench/audit.mjs, lines of its journals' },
  /** Of PostgreSQL, for one entry: its line, its rows, its words and all their indexes. */
  bytesPerEntry: { value: 2_305, from: 'measured: npm run scale -- --fill 10000000' },
  /** Lines of text that compress well. */
  compression: { value: 8, from: 'assumed' },
  serverMsPerEntry: { value: 0.085, from: 'measured: npm run bench -- --only audit (CPU of the server)' },
  postgresMsPerEntry: { value: 0.052, from: 'measured in the same run (CPU of all its processes)' },
  /** One transaction holds the numbers of events until it is on the disk. */
  commitMs: { value: 4, from: 'measured: 227 single commits a second, with fsync' },
  lookSeconds: { value: 2, from: 'what the daemon does: it looks every two seconds' },
  waitingKbPerMachine: { value: 60, from: 'measured: 2,000 machines that wait for a policy took 119 MB' },
  policyKb: { value: 50, from: 'assumed' },
  policyChangesPerDay: { value: 5, from: 'assumed' },
  signOfLifeMinutes: { value: 5, from: 'what machines do' },
  keepDays: { value: 90, from: 'assumed' },
  /** Of a durable turn with one tool call whose model answers at once. */
  turnMs: { value: 11, from: 'estimated from two runs on a busy machine, six steps' },
  turnsPerSessionDay: { value: 5, from: 'assumed' },
  waitingKbPerSession: { value: 20, from: 'the bar of a session that waits for a person' },
  /** How busy a core may be on average in the busiest hour. */
  utilisation: { value: 0.6, from: 'assumed' },
}

const daySeconds = 86_400
const gb = 1_000_000_000

export function needsOf({ machines, sessions }, given = {}) {
  const of = Object.fromEntries(Object.entries(assumptions).map(([name, { value }]) => [name, given[name] ?? value]))
  const perDay = machines * of.entriesPerMachineDay
  const peak = (perDay / daySeconds) * of.peak
  const cores = (milliseconds, rate) => (milliseconds * rate) / 1000 / of.utilisation
  const turns = ((sessions * of.turnsPerSessionDay) / daySeconds) * of.peak
  return {
    entriesPerDay: perDay,
    entriesPerSecondAtPeak: peak,
    ingestCoresOfServers: cores(of.serverMsPerEntry, peak),
    ingestCoresOfPostgres: cores(of.postgresMsPerEntry, peak),
    /** Writers take turns, so that events become visible in their order: all of them together use one core of the database. */
    entriesPerSecondThatOneDatabaseTakes: (1000 / of.postgresMsPerEntry) * of.utilisation,
    /** What waits while a step is written goes into the next. */
    secondsFromMachineToConsoleAtPeak: of.lookSeconds + (2 * of.commitMs) / 1000,
    diskGbPerDay: (perDay * of.bytesPerEntry) / gb,
    diskGbKept: (perDay * of.bytesPerEntry * of.keepDays) / gb,
    objectStorageGbPerYear: (perDay * 365 * of.bytesPerLine) / of.compression / gb,
    networkInMbitAtPeak: (peak * of.bytesPerLine * 8) / of.compression / 1e6,
    memoryGbOfWaitingMachines: (machines * of.waitingKbPerMachine) / 1e6,
    signsOfLifePerSecond: machines / (of.signOfLifeMinutes * 60),
    policyGbPerDay: (machines * of.policyKb * of.policyChangesPerDay) / 1e6,
    turnsPerSecondAtPeak: turns,
    coresOfTurns: cores(of.turnMs, turns),
    memoryGbOfWaitingSessions: (sessions * of.waitingKbPerSession) / 1e6,
  }
}

/** What gives way first, and which existing part takes over. */
export function limitsOf(needs) {
  const limits = [
    {
      isReached: needs.entriesPerSecondAtPeak > needs.entriesPerSecondThatOneDatabaseTakes,
      what: 'one database takes fewer entries a second than come at the peak',
      takesOver:
        'one database for each region or group of machines; or Kafka, NATS or an OTLP collector in front, which evens the peak out',
    },
    {
      isReached: needs.ingestCoresOfPostgres > 16,
      what: 'PostgreSQL needs more than 16 cores to write',
      takesOver: 'one database for each group of machines; the console reads from replicas',
    },
    {
      isReached: needs.diskGbKept > 4_000,
      what: 'more than 4 TB lie in PostgreSQL',
      takesOver:
        'fewer days in PostgreSQL (--keep-days), and the lines themselves in object storage, compressed, one object for each part',
    },
    {
      isReached: needs.memoryGbOfWaitingMachines > 2,
      what: 'waiting for policies takes more than 2 GB of memory',
      takesOver: 'policies from a CDN or a bucket: they are signed files, and machines ask for them with an ETag',
    },
    {
      isReached: needs.coresOfTurns > 16,
      what: 'durable turns need more than 16 cores',
      takesOver: 'workers on more machines, and a database of their own for DBOS, apart from the audit',
    },
  ]
  return limits.filter(({ isReached }) => isReached).map(({ what, takesOver }) => ({ what, takesOver }))
}
