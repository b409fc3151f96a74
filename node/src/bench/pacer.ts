/** A thread that sleeps until each of some instants and then wakes the one that started it. */

import { parentPort, workerData } from 'node:worker_threads'

const { origin, told } = workerData as { origin: bigint; told: Int32Array }
const nothing = new Int32Array(new SharedArrayBuffer(4))

parentPort?.once('message', (instants: Float64Array) => {
  for (const instant of instants) {
    const left = instant - Number(process.hrtime.bigint() - origin)
    if (left > 0) Atomics.wait(nothing, 0, 0, left / 1e6)
    // A message that has not been taken will do for this instant as well.
    if (Atomics.exchange(told, 0, 1) === 0) parentPort?.postMessage(null)
  }
})
