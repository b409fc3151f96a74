/** What a program uses of other packages, and what differs, by the tables of their drop-ins. */

import { DIFFERENCES as AEROSPIKE } from '../aerospike/differences.js'
import { DIFFERENCES as CASSANDRA } from '../cassandra-driver/differences.js'
import { type Differences, findDifference } from '../differences.js'
import { usesOf } from './uses.js'

/** The packages that have drop-ins. */
export const TABLES: readonly Differences[] = [AEROSPIKE, CASSANDRA]

/** A name at a line of a file. */
export interface Finding {
  readonly peer: string
  readonly name: string
  readonly verdict: 'same' | 'differs' | 'missing'
  /** What differs, or what to do instead. */
  readonly about: string
  readonly file: string
  readonly line: number
}

/** The findings about one file. */
export function findingsOf(source: string, file: string): Finding[] {
  return TABLES.flatMap((table) =>
    usesOf(source, table.peer).flatMap(({ name, line }): Finding[] => {
      const { peer } = table
      const difference = findDifference(table, name)
      if (difference === undefined) {
        // Options are only told where they differ: what else is in objects is the program's own.
        if (name.endsWith(')')) return []
        return [{ peer, name, verdict: 'same', about: '', file, line }]
      }
      const about = difference.kind === 'missing' ? difference.instead : difference.how
      return [{ peer, name, verdict: difference.kind, about, file, line }]
    }),
  )
}
