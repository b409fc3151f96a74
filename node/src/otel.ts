/** OpenTelemetry: a span for each call, its duration as a metric, and what a client holds. */

import { inspect } from 'node:util'
import type { Session } from './cql.js'
import type { Client } from './index.js'
import { checkOptions } from './options/check.js'
import type { InstrumentOptions } from './otel/call.js'
import { traceClient } from './otel/client.js'
import { type ObserveOptions, observeClient } from './otel/gauges.js'
import { traceSession } from './otel/session.js'

export type { InstrumentOptions } from './otel/call.js'
export type { ObserveOptions } from './otel/gauges.js'

/**
 * The same client or session, with a span for every call and its duration in the histogram
 * `db.client.operation.duration`; the client itself is unchanged. Closing the view closes it.
 *
 * The parent of a span is the active span where the verb is called. Datasets, transactions, queries
 * and batches of the view are traced as well.
 *
 * @throws TypeError if the argument is neither, or is instrumented already
 */
export function instrument<C extends Client | Session>(client: C, options?: InstrumentOptions): C {
  checkOptions(options, ['tracerProvider', 'meterProvider'])
  const view = traceClient(client, options ?? {}) ?? traceSession(client, options ?? {})
  if (view === undefined) throw noClient(client)
  return view as C
}

/**
 * Creates instruments that read `client.stats()` whenever metrics are collected: connections and
 * breakers of each node, commands in flight and waiting; while commands are counted
 * (`client.metrics.enable()`), also their number by kind, namespace, node and result.
 *
 * Calls are not slowed down. The instruments do not keep the client alive, and report nothing once
 * it is closed.
 *
 * @throws TypeError if the argument is neither a client nor a session
 */
export function observe(client: Client | Session, options?: ObserveOptions): void {
  checkOptions(options, ['meterProvider', 'attributes'])
  if (typeof client?.stats !== 'function') throw noClient(client)
  observeClient(client, options ?? {})
}

function noClient(candidate: unknown): TypeError {
  return new TypeError(`client must be a Client or a Session, not ${inspect(candidate)}`)
}
