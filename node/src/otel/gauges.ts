/** A client's state and counters as asynchronous instruments that read its statistics. */

import type { Attributes, Meter, MeterProvider, Observable } from '@opentelemetry/api'
import {
  CLIENT_INSTRUMENTS,
  COMMANDS_INSTRUMENTS,
  type InstrumentOf,
  NODES_INSTRUMENTS,
} from '../metrics/table.js'
import type { CommandStats, NodeStats, Stats } from '../statistics/stats.js'
import { api } from './api.js'
import { endpoint, NAME } from './call.js'
import { targetOf } from './proxy.js'

/** Options of `observe`. */
export interface ObserveOptions {
  /** Default: the global one. */
  meterProvider?: MeterProvider | undefined
  /** Added to every value, to tell several clients of a program apart. Default: none. */
  attributes?: { readonly [name: string]: string } | undefined
}

/** A client or session. */
interface Observed {
  readonly isOpen: boolean
  stats(): Stats
}

/** Reports the values of an instrument. */
type Read = (stats: Stats, report: (value: number, attributes: Attributes) => void) => void

/** Creates the instruments of a client. */
export function observeClient(client: Observed, options: ObserveOptions): void {
  const provider = options.meterProvider ?? api.metrics.getMeterProvider()
  const meter = provider.getMeter(NAME)
  const known = new WeakRef(targetOf(client))
  const more = options.attributes ?? {}
  const reads = new Map<Observable, Read>([
    ...created(meter, NODES_INSTRUMENTS, ({ nodes }) => nodes, ofNode),
    ...created(
      meter,
      CLIENT_INSTRUMENTS,
      (stats) => [stats],
      () => ({}),
    ),
    ...created(meter, COMMANDS_INSTRUMENTS, ({ commands }) => commands, ofCommand),
  ])
  meter.addBatchObservableCallback(
    (result) => {
      const client = known.deref()
      if (client === undefined || !client.isOpen) return
      const stats = client.stats()
      for (const [instrument, read] of reads) {
        read(stats, (value, attributes) => {
          result.observe(instrument, value, { ...more, ...attributes })
        })
      }
    },
    [...reads.keys()],
  )
}

function created<T>(
  meter: Meter,
  table: readonly InstrumentOf<T>[],
  of: (stats: Stats) => readonly T[],
  attributes: (one: T) => Attributes,
): [Observable, Read][] {
  return table.map(({ name, kind, unit, help, number }) => {
    const options = { unit, description: help }
    const instrument =
      kind === 'counter'
        ? meter.createObservableCounter(name, options)
        : kind === 'gauge'
          ? meter.createObservableGauge(name, options)
          : meter.createObservableUpDownCounter(name, options)
    const read: Read = (stats, report) => {
      for (const one of of(stats)) report(number(one), attributes(one))
    }
    return [instrument, read]
  })
}

function ofNode({ name, address }: NodeStats): Attributes {
  return { ...endpoint(address), 'spikewire.node': name }
}

function ofCommand({ operation, namespace, node, result }: CommandStats): Attributes {
  return {
    'db.operation.name': operation,
    'db.namespace': namespace,
    'spikewire.node': node.split(' ')[0] ?? '',
    'spikewire.result': result,
  }
}
