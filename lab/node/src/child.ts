/**
 * A process that does one job: it receives the job, reports that it is prepared, waits for the
 * signal to start, and sends its answer. This lets several processes measure at the same time.
 */

import { type Answer, failure, type Job } from './job.js'
import { run } from './run.js'

/** Messages from the child. */
export type FromChild = { ready: true } | { answer: Answer }
/** Messages to the child. */
export type ToChild = { job: Job } | { go: true }

const send = (message: FromChild): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) throw new Error('this is started by the benchmark')
    process.send(message, () => resolve())
  })

let go = (): void => {}
const going = new Promise<void>((resolve) => {
  go = resolve
})

// Ctrl-C in a terminal reaches this process, too, but the benchmark decides when it ends.
process.on('SIGINT', () => {})
process.on('message', (message: ToChild) => {
  if ('go' in message) {
    go()
    return
  }
  const ready = async () => {
    await send({ ready: true })
    await going
  }
  // A client's own threads must not keep a finished process alive.
  run(message.job, ready)
    .catch((error: unknown) => failure(error))
    .then((answer) => send({ answer }))
    .then(() => process.exit(0))
})
// The parent process is gone.
process.on('disconnect', () => process.exit(1))
