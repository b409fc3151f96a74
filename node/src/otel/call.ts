/** One call: its span, its duration and their attributes. */

import type {
  Attributes,
  Histogram,
  MeterProvider,
  Span,
  Tracer,
  TracerProvider,
} from '@opentelemetry/api'
import { CqlError, Rows } from '../cql.js'
import { ServerError, SpikewireError } from '../index.js'
import { api } from './api.js'

/** Where spans and metrics go. */
export interface InstrumentOptions {
  /** Default: the global one. */
  tracerProvider?: TracerProvider | undefined
  /** Default: the global one. */
  meterProvider?: MeterProvider | undefined
}

export const SCHEMA = { schemaUrl: 'https://opentelemetry.io/schemas/1.33.0' }
export const NAME = 'spikewire'

/** In seconds: the boundaries from the conventions, and some below, as most commands are faster. */
const BOUNDARIES = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** The tracer and the histogram. */
export class Telemetry {
  readonly tracer: Tracer
  readonly durations: Histogram

  constructor({ tracerProvider, meterProvider }: InstrumentOptions) {
    const tracers = tracerProvider ?? api.trace.getTracerProvider()
    const meters = meterProvider ?? api.metrics.getMeterProvider()
    this.tracer = tracers.getTracer(NAME, undefined, SCHEMA)
    this.durations = meters
      .getMeter(NAME, undefined, SCHEMA)
      .createHistogram('db.client.operation.duration', {
        unit: 's',
        description: 'Duration of database client operations.',
        advice: { explicitBucketBoundaries: BOUNDARIES },
      })
  }
}

/** A call to be made. */
export interface Described {
  /** The name of the span. */
  readonly name: string
  readonly attributes: Attributes
  /** The number of records or statements, if there are several. */
  readonly size: number | undefined
}

/** Attributes left out of the histogram, which would otherwise have a series per statement. */
const ONLY_SPANS = new Set([
  ...['spikewire.node', 'db.query.text'],
  ...['cassandra.page.size', 'cassandra.query.idempotent'],
])

type Function = (...args: unknown[]) => unknown

/** A started call. */
export class Call {
  readonly #attributes: Attributes
  readonly #durations: Histogram
  readonly #span: Span
  readonly #started: number
  #isOver = false

  constructor({ tracer, durations }: Telemetry, { name, attributes, size }: Described) {
    this.#attributes = attributes
    this.#durations = durations
    const ofSpan =
      size !== undefined && size > 1
        ? { ...attributes, 'db.operation.batch.size': size }
        : attributes
    // Its parent is the active span, that of the caller.
    this.#span = tracer.startSpan(name, { kind: api.SpanKind.CLIENT, attributes: ofSpan })
    this.#started = performance.now()
  }

  /** Calls a verb, and ends with its outcome: a promise, or a callback in its last argument. */
  run(verb: Function, args: readonly unknown[]): unknown {
    const callback = args.at(-1)
    try {
      if (typeof callback !== 'function') return this.follow(verb(...args))
      const ended = (error: unknown, value: unknown): void => {
        this.#outcome(error ?? undefined, value)
        callback(error, value)
      }
      return verb(...args.slice(0, -1), ended)
    } catch (error) {
      this.end(error)
      throw error
    }
  }

  /** Ends it with a result: at once, or when it is a promise, with that. */
  follow(result: unknown): unknown {
    if (!(result instanceof Promise)) {
      this.#outcome(undefined, result)
      return result
    }
    return result.then(
      (value) => {
        this.#outcome(undefined, value)
        return value
      },
      (error) => {
        this.end(error)
        throw error
      },
    )
  }

  #outcome(error: unknown, value: unknown): void {
    if (error === undefined && value instanceof Rows) {
      // The driver chooses the node, which is only known at the end.
      const where = endpoint(value.node)
      Object.assign(this.#attributes, where)
      this.#span.setAttributes(where)
      if (value.attempts > 1) this.#span.setAttribute('spikewire.attempts', value.attempts)
    }
    this.end(error)
  }

  /** Ends the call, with an error or without. Ending again has no effect. */
  end(error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    const took = (performance.now() - this.#started) / 1000
    if (error !== undefined) {
      const more = ofError(error)
      Object.assign(this.#attributes, more)
      this.#span.setAttributes(more)
      if ((error instanceof SpikewireError || error instanceof CqlError) && error.attempts > 1) {
        this.#span.setAttribute('spikewire.attempts', error.attempts)
      }
      const message = error instanceof Error ? error.message : String(error)
      this.#span.setStatus({ code: api.SpanStatusCode.ERROR, message })
    }
    const ofAll = Object.entries(this.#attributes).filter(([name]) => !ONLY_SPANS.has(name))
    this.#durations.record(took, Object.fromEntries(ofAll))
    this.#span.end()
  }
}

function ofError(error: unknown): Attributes {
  const values: Attributes = { 'error.type': errorType(error) }
  if (error instanceof ServerError) values['db.response.status_code'] = String(error.code)
  if (error instanceof CqlError && error.code !== null) {
    const code = error.code.toString(16).toUpperCase()
    values['db.response.status_code'] = code.padStart(4, '0')
  }
  if ((error instanceof SpikewireError || error instanceof CqlError) && error.node !== null) {
    Object.assign(values, endpoint(error.node))
  }
  return values
}

/** The name of an error's class; that of an abort is in its `name`. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return error.name === 'Error' ? error.constructor.name : error.name
}

/** The attributes of a node, from its optional name and its address. */
export function endpoint(node: string): Attributes {
  const m = /^(?:(.*) )?(.+):(\d+)$/.exec(node)
  if (m === null) return {}
  const [, name, host, port] = m as unknown as [string, string | undefined, string, string]
  const address = host.replace(/^\[(.*)\]$/, '$1')
  const values: Attributes = { 'server.address': address, 'server.port': Number(port) }
  return name ? { ...values, 'spikewire.node': name } : values
}
