/** Traces: what the cluster did for a request executed with `tracing: true`. */

import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Timeout } from './errors.js'
import type { ExecuteOptions } from './options.js'
import { type Row, Rows } from './rows.js'

/** One step of a traced request. */
export interface TraceEvent {
  /** What was done. */
  readonly activity: string
  /** The address of the node that did it. */
  readonly source: string
  /** Microseconds since the request reached that node; `null` if unknown. */
  readonly elapsed: number | null
  /** The thread that did it. */
  readonly thread: string | null
  /** The time, as a version 1 UUID. */
  readonly id: string
}

/** The trace of one request. */
export interface Trace {
  /** Its id, as in `tracingIds`. */
  readonly id: string
  /** The kind of request, such as `'Execute CQL3 query'`. */
  readonly request: string
  /** The address of the coordinator. */
  readonly coordinator: string
  /** The address of the client as seen by the coordinator. */
  readonly client: string | null
  /** Its duration in microseconds. */
  readonly duration: number
  /** When it started. */
  readonly startedAt: Date
  /** The text of the statement, its consistency and others, by name. */
  readonly parameters: { readonly [name: string]: string }
  /** The steps, in chronological order. */
  readonly events: readonly TraceEvent[]
  /** The addresses of all nodes involved. */
  readonly nodes: readonly string[]
}

/** Options of `trace`. */
export interface TraceOptions {
  /** How long to wait for the trace to be complete, in milliseconds. Default: 10,000. */
  timeout?: number | undefined
  /** Cancels the call; its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Executes a statement. */
type Execute = (text: string, values: string[], options: ExecuteOptions) => Promise<Rows>

const SESSION = 'SELECT * FROM system_traces.sessions WHERE session_id = ?'
const EVENTS = 'SELECT * FROM system_traces.events WHERE session_id = ?'
/** The pause before each attempt (ms); the last one applies to all further attempts. */
const PAUSES = [0, 5, 10, 20, 50, 100]

/** Waits until a trace is complete, and returns it. */
export async function readTrace(
  execute: Execute,
  result: Rows<unknown> | string,
  options: TraceOptions | undefined,
): Promise<Trace> {
  const id = idOf(result)
  const { timeout, signal } = read(options)
  const ends = performance.now() + timeout
  for (let look = 0; ; look++) {
    await sleep(PAUSES[Math.min(look, PAUSES.length - 1)])
    signal?.throwIfAborted()
    const session = (await execute(SESSION, [id], { consistency: 'one', signal })).first()
    if (typeof session?.['duration'] === 'number') {
      return traceOf(id, session, await execute(EVENTS, [id], { consistency: 'one', signal }))
    }
    if (performance.now() >= ends) {
      throw new Timeout(`the trace ${id} is not complete after ${timeout} ms`)
    }
  }
}

/** The id of a result's last trace, or the id itself. */
function idOf(result: Rows<unknown> | string): string {
  if (typeof result === 'string') return result
  if (!(result instanceof Rows)) {
    throw new TypeError(`a result or the id of a trace was expected, not ${inspect(result)}`)
  }
  const last = result.tracingIds.at(-1)
  if (last !== undefined) return last
  throw new RangeError('the result has no trace: execute the statement with tracing: true')
}

function read(options: TraceOptions = {}): { timeout: number; signal: AbortSignal | undefined } {
  for (const name of Object.keys(options)) {
    if (name !== 'timeout' && name !== 'signal') {
      throw new TypeError(`unknown option ${name}; there are: signal, timeout`)
    }
  }
  const { timeout = 10_000, signal } = options
  if (typeof timeout !== 'number' || !(timeout >= 0)) {
    throw new RangeError(`timeout must be milliseconds as a number, not ${inspect(timeout)}`)
  }
  signal?.throwIfAborted()
  return { timeout, signal }
}

function traceOf(id: string, session: Row, rows: Rows): Trace {
  const events = rows.rows.map((row) => ({
    activity: row['activity'] as string,
    source: row['source'] as string,
    elapsed: row['source_elapsed'] as number | null,
    thread: row['thread'] as string | null,
    id: row['event_id'] as string,
  }))
  const coordinator = session['coordinator'] as string
  const parameters = session['parameters'] ?? {}
  return {
    id,
    request: session['request'] as string,
    coordinator,
    client: (session['client'] ?? null) as string | null,
    duration: session['duration'] as number,
    startedAt: session['started_at'] as Date,
    // A `Map` if the session has the option `maps: 'map'`.
    parameters: (parameters instanceof Map
      ? Object.fromEntries(parameters)
      : parameters) as Trace['parameters'],
    events,
    nodes: [...new Set([coordinator, ...events.map(({ source }) => source)])],
  }
}
