import { setTimeout as pause } from 'node:timers/promises'
import { openMachine, openShipper } from 'hookline/internal'

/** Sends the journals of several machines at once, and says how long it took. */
process.once('message', async (places) => {
  const started = performance.now()
  const sent = await Promise.all(places.map(ship))
  const seconds = (performance.now() - started) / 1000
  process.send({ lines: sent.reduce((sum, each) => sum + each, 0), seconds })
})

async function ship({ directory, journal }) {
  const shipper = openShipper({ machine: openMachine(directory), journal, directory })
  for (;;) {
    try {
      await shipper.catchUp()
      return shipper.state.sent
    } catch (error) {
      // The server has enough for now.
      if (!/enough/.test(error.message)) throw error
      await pause(50)
    }
  }
}
