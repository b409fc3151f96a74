/** Jobs for Cassandra clients and their results, in the format of the Python lab. */

import type { Access } from './access.js'
import type { BuildInfo } from './build-info.js'
import type { Usage } from './job.js'

/** What one call does. */
export type Operation = 'insert' | 'select' | 'page'

/** One cell in one process. Durations are in seconds. */
export interface CqlJob {
  action: 'cql'
  step: 'describe' | 'measure'
  /** The npm name of the client. */
  client: string
  operation: Operation
  /** Calls in flight. */
  depth: number
  host: string
  port: number
  /** Whether the server generates the rows itself. */
  canned: boolean
  keys: number
  seed: number
  warmup: number
  duration: number
  server_pid: number | null
  /** The statement of each operation. */
  statements: { [operation in Operation]: string }
  /** The columns of a row of a page. */
  columns: string[]
  /** The partition of the rows of a page, their number, and the page size to ask for. */
  page: { partition: number; rows: number; size: number }
  /** Bytes of an item's blob. */
  payload: number
  access?: Access
}

/** The result of one measured run. */
export interface CqlResult extends Usage {
  client: string
  version: string
  build?: BuildInfo
  protocol: string
  row_type: string
  loop: string
  python: null
  /** Successful calls; in pages each row is one. */
  operations: number
  errors: number
  timeouts: number
  first_error: string | null
  /** Peak resident bytes: when the client was ready, and at the end. */
  memory: { ready: number; peak: number }
  cpus: number[]
  load_average: number[]
}
