/** A thread that sleeps until each of a list of times and then wakes the thread that started it. */

import { parentPort, workerData } from 'node:worker_threads'

const { origin, pending } = workerData as { origin: bigint; pending: Int32Array }
const nothing = new Int32Array(new SharedArrayBuffer(4))

parentPort?.once('message', (instants: Float64Array) => {
  for (const instant of instants) {
    const left = instant - Number(process.hrtime.bigint() - origin)
    if (left > 0) Atomics.wait(nothing, 0, 0, left / 1e6)
    // A pending message serves for this time as well.
    if (Atomics.exchange(pending, 0, 1) === 0) parentPort?.postMessage(null)
  }
})
