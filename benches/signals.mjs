// The cost of metrics in Node.js: CPU time per command, in one process, with metrics off, counted,
// with stages timed, with a subscriber of `spikewire:command` and with spans of OpenTelemetry, in
// interleaved rounds.
//
//     node benches/signals.mjs [ROUNDS] [PACKAGE]
//
// A cluster in another process answers. The table has the median of all rounds for the process, and
// the median difference from off in the same round. PACKAGE is the folder of another build of the npm
// package, such as one of an earlier commit: only its client, with metrics off, is compared then.

import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const NODE = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../node')
const require = createRequire(join(NODE, 'package.json'))
const { Client } = require('./dist/index.js')
const { instrument } = require('./dist/otel.js')
const { BasicTracerProvider } = require('@opentelemetry/sdk-trace-base')

const [TASKS, COMMANDS] = [32, 12_800]
const rounds = Number(process.argv[2] ?? 15)
const other = process.argv[3]

/** CPU time of a command, in microseconds. */
async function run(users) {
  const start = process.cpuUsage()
  const work = async () => {
    for (let at = 0; at < COMMANDS / TASKS; at++) await users.get(1)
  }
  await Promise.all(Array.from({ length: TASKS }, work))
  const { user, system } = process.cpuUsage(start)
  return (user + system) / COMMANDS
}

const median = (numbers) => numbers.sort((one, two) => one - two)[numbers.length >> 1]
const ignore = () => {}

async function measure(seeds) {
  const client = await Client.connect(seeds)
  const users = client.dataset('test', 'users')
  await users.put(1, { n: 1 })
  const traced = instrument(client, { tracerProvider: new BasicTracerProvider() })
  const modes = {
    off: [users, () => client.metrics.disable()],
    counters: [users, () => client.metrics.enable()],
    stages: [users, () => client.metrics.enable({ stages: true })],
    channel: [users, () => subscribe('spikewire:command', ignore)],
    spans: [traced.dataset('test', 'users'), () => {}],
  }
  let before
  if (other) {
    // What subscribers and spans make of the compiled code is not to be compared.
    for (const mode of ['counters', 'stages', 'channel', 'spans']) delete modes[mode]
    before = await require(resolve(other, 'dist/index.js')).Client.connect(seeds)
    modes.other = [before.dataset('test', 'users'), () => {}]
  }
  const times = Object.fromEntries(Object.keys(modes).map((mode) => [mode, []]))
  for (let round = 0; round <= rounds; round++) {
    // In another order each time: what runs after what must not matter.
    const names = Object.keys(modes)
    for (const name of [...names.slice(round % names.length), ...names.slice(0, round % names.length)]) {
      const [dataset, turn] = modes[name]
      turn()
      const took = await run(dataset)
      client.metrics.disable()
      unsubscribe('spikewire:command', ignore)
      // The first round is the warm-up.
      if (round > 0) times[name].push(took)
    }
  }
  for (const [mode, all] of Object.entries(times)) {
    const more = median(all.map((time, at) => time / times.off[at])) - 1
    const text = `${(100 * more).toFixed(1)}%`
    console.log(`${mode.padEnd(9)} ${median([...all]).toFixed(2)} µs  ${more < 0 ? '' : '+'}${text}`)
  }
  await client.close()
  await before?.close()
}

const server = spawn(process.execPath, [join(NODE, 'dist/cli/main.js'), 'serve', '--port', '0'])
try {
  const [text] = await once(server.stdout.setEncoding('utf8'), 'data')
  await measure(text.replace('ready', '').trim().split('\n')[0])
} finally {
  server.kill()
}
