/** What clients and sessions report to a program's OpenTelemetry, in memory. */

import assert from 'node:assert/strict'
import { type Attributes, context, SpanKind } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())

/** A point of a metric. */
export interface Point {
  readonly attributes: Attributes
  readonly value: unknown
}

/** The spans and metrics of a program. */
export class Telemetry {
  readonly #spans = new InMemorySpanExporter()
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  readonly #reader = new PeriodicExportingMetricReader({
    exporter: this.#metrics,
    exportIntervalMillis: 3_600_000,
  })
  readonly tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.#spans)],
  })
  readonly meterProvider = new MeterProvider({ readers: [this.#reader] })

  /** The options of `instrument`. */
  get providers(): { tracerProvider: BasicTracerProvider; meterProvider: MeterProvider } {
    return { tracerProvider: this.tracerProvider, meterProvider: this.meterProvider }
  }

  /** The spans that ended since the last call. */
  spans(): ReadableSpan[] {
    const spans = this.#spans.getFinishedSpans()
    this.#spans.reset()
    return spans
  }

  /** The name and the attributes of the only span since the last call. */
  onlySpan(): [name: string, attributes: Attributes] {
    const spans = this.spans()
    assert.deepEqual(
      spans.map(({ kind }) => kind),
      [SpanKind.CLIENT],
      spans.map(({ name }) => name).join(', '),
    )
    const [span] = spans as [ReadableSpan]
    return [span.name, span.attributes]
  }

  /** The points of a metric. */
  async points(name: string): Promise<Point[]> {
    this.#metrics.reset()
    await this.#reader.forceFlush()
    return this.#metrics
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => dataPoints as Point[])
  }

  async end(): Promise<void> {
    await this.tracerProvider.shutdown()
    await this.meterProvider.shutdown()
  }
}
