/**
 * Writes a whole set to a file, one line of JSON per record.
 *
 * The disk sets the pace: while the file's buffer is full, nothing more is read from the nodes, so
 * memory use does not depend on the size of the set.
 */

import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client, type Record } from 'spikewire'
import { withCluster } from './seeds.js'

interface Measurement {
  sensor: number
  value: number
}

await withCluster(async (seeds) => {
  await using client = await Client.connect(seeds)
  const measurements = client.dataset<Measurement>('test', 'measurements')
  await Promise.all(
    Array.from({ length: 5000 }, (_, n) => measurements.put(n, { sensor: n % 7, value: n / 8 })),
  )

  let lines = 0
  const asLines = new Transform({
    writableObjectMode: true,
    transform({ bins }: Record<Measurement>, _encoding, done) {
      lines += 1
      done(null, `${JSON.stringify(bins)}\n`)
    },
  })
  const file = 'measurements.jsonl'
  await pipeline(measurements.query().stream(), asLines, createWriteStream(file))
  console.log(`${lines} lines, ${(await stat(file)).size > 0 ? 'not ' : ''}empty`)
})
