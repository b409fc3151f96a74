/**
 * A process that does one job. It is told the job, says when it is prepared, is told to go on, and
 * sends its answer: several of them then measure at the same time.
 */

import { type Answer, failure, type Job } from './job.js'
import { run } from './run.js'

/** What a child says. */
export type FromChild = { ready: true } | { answer: Answer }
/** What a child is given. */
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

// Ctrl-C in a terminal reaches this process, too: the benchmark ends it.
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
// The process that started this is gone.
process.on('disconnect', () => process.exit(1))
