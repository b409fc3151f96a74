/** Checks, before a client is measured, that it reads the records as they were written. */

import { inspect } from 'node:util'
import type { BenchClient } from './clients.js'
import type { Job } from './job.js'
import { isRecord, parseBins, recordOf, spreadKeys, valuePool } from './workload.js'

/** A record for a message, truncated. */
export const excerpt = (bins: unknown) =>
  inspect(bins, { breakLength: Number.POSITIVE_INFINITY }).slice(0, 200)

/** Throws unless the client reads the records as they were written. */
export async function check(job: Job, client: BenchClient): Promise<void> {
  const pool = valuePool(parseBins(job.bins), job.seed)
  const keys = spreadKeys(job.keys)
  if (job.shape.kind === 'single') {
    for (const key of keys) verify(key, (await client.get(key)).bins)
    return
  }
  const rows = Math.min(job.shape.rows, keys.length)
  for (let from = 0; from + rows <= keys.length; from += rows) {
    const batch = keys.slice(from, from + rows)
    const records = client.rows(await client.getMany(batch))
    if (records.length !== rows) throw new Error(`${rows} keys gave ${records.length} records`)
    records.forEach((bins, at) => {
      verify(batch[at] as number, bins)
    })
  }

  function verify(key: number, bins: unknown): void {
    const expected = recordOf(pool, key)
    if (!isRecord(expected, bins)) {
      throw new Error(`key ${key} reads back as ${excerpt(bins)}, not as ${excerpt(expected)}`)
    }
  }
}
