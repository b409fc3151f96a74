/** Metrics: a client calls the methods of its `metrics`. */

import { EventEmitter } from 'node:events'
import { callable } from './callable.js'
import type { AuthenticationError, OperationTimedOutError, ResponseError } from './errors.js'

class ClientMetricsBase {
  onAuthenticationError(_error: Error | AuthenticationError): void {}
  onConnectionError(_error: Error): void {}
  onReadTimeoutError(_error: ResponseError): void {}
  onWriteTimeoutError(_error: ResponseError): void {}
  onUnavailableError(_error: Error): void {}
  onClientTimeoutError(_error: OperationTimedOutError): void {}
  onOtherError(_error: Error): void {}
  onClientTimeoutRetry(_error: Error): void {}
  onOtherErrorRetry(_error: Error): void {}
  onReadTimeoutRetry(_error: Error): void {}
  onUnavailableRetry(_error: Error): void {}
  onWriteTimeoutRetry(_error: Error): void {}
  onIgnoreError(_error: Error): void {}
  onSpeculativeExecution(): void {}
  onSuccessfulResponse(_latency: number[]): void {}
  onResponse(_latency: number[]): void {}
}
Object.defineProperty(ClientMetricsBase, 'name', { value: 'ClientMetrics' })

/** The base of metrics of programs: its methods do nothing. */
export const ClientMetrics = callable(ClientMetricsBase)
/** The base of metrics of programs: its methods do nothing. */
export type ClientMetrics = ClientMetricsBase

/** Emitters of the events of `DefaultMetrics`; the event is always `'increment'` with the error. */
export class DefaultMetrics extends ClientMetrics {
  readonly errors: {
    authentication: EventEmitter
    clientTimeout: EventEmitter
    connection: EventEmitter
    other: EventEmitter
    readTimeout: EventEmitter
    unavailable: EventEmitter
    writeTimeout: EventEmitter
  } & EventEmitter
  readonly retries: {
    clientTimeout: EventEmitter
    other: EventEmitter
    readTimeout: EventEmitter
    unavailable: EventEmitter
    writeTimeout: EventEmitter
  } & EventEmitter
  readonly speculativeExecutions: EventEmitter
  readonly ignoredErrors: EventEmitter
  readonly responses: { success: EventEmitter } & EventEmitter

  constructor() {
    super()
    const group = <N extends string>(...names: N[]) => {
      const parts = Object.fromEntries(names.map((name) => [name, new EventEmitter()]))
      return Object.assign(new EventEmitter(), parts) as {
        [name in N]: EventEmitter
      } & EventEmitter
    }
    const all = ['clientTimeout', 'other', 'readTimeout', 'unavailable', 'writeTimeout'] as const
    this.errors = group('authentication', 'connection', ...all)
    this.retries = group(...all)
    this.speculativeExecutions = new EventEmitter()
    this.ignoredErrors = new EventEmitter()
    this.responses = group('success')
  }

  #error(
    kind: 'authentication' | 'connection' | 'clientTimeout' | 'other' | Replicas,
    error: Error,
  ) {
    this.errors[kind].emit('increment', error)
    this.errors.emit('increment', error)
  }

  #retry(kind: 'clientTimeout' | 'other' | Replicas, error: Error) {
    this.retries[kind].emit('increment', error)
    this.retries.emit('increment', error)
  }

  override onAuthenticationError(error: Error): void {
    this.#error('authentication', error)
  }

  override onConnectionError(error: Error): void {
    this.#error('connection', error)
  }

  override onReadTimeoutError(error: ResponseError): void {
    this.#error('readTimeout', error)
  }

  override onWriteTimeoutError(error: ResponseError): void {
    this.#error('writeTimeout', error)
  }

  override onUnavailableError(error: Error): void {
    this.#error('unavailable', error)
  }

  override onClientTimeoutError(error: OperationTimedOutError): void {
    this.#error('clientTimeout', error)
  }

  override onOtherError(error: Error): void {
    this.#error('other', error)
  }

  override onClientTimeoutRetry(error: Error): void {
    this.#retry('clientTimeout', error)
  }

  override onOtherErrorRetry(error: Error): void {
    this.#retry('other', error)
  }

  override onReadTimeoutRetry(error: Error): void {
    this.#retry('readTimeout', error)
  }

  override onUnavailableRetry(error: Error): void {
    this.#retry('unavailable', error)
  }

  override onWriteTimeoutRetry(error: Error): void {
    this.#retry('writeTimeout', error)
  }

  override onIgnoreError(error: Error): void {
    this.ignoredErrors.emit('increment', error)
  }

  override onSpeculativeExecution(): void {
    this.speculativeExecutions.emit('increment')
  }

  override onSuccessfulResponse(latency: number[]): void {
    this.responses.success.emit('increment', latency)
  }

  override onResponse(latency: number[]): void {
    this.responses.emit('increment', latency)
  }
}

const { onResponse, onSuccessfulResponse } = DefaultMetrics.prototype

/** Whether nobody is told of responses. */
export function isUnobserved(metrics: ClientMetrics): boolean {
  if (metrics.onResponse !== onResponse) return false
  if (metrics.onSuccessfulResponse !== onSuccessfulResponse) return false
  const { responses } = metrics as DefaultMetrics
  return (
    responses.listenerCount('increment') === 0 && responses.success.listenerCount('increment') === 0
  )
}

type Replicas = 'readTimeout' | 'unavailable' | 'writeTimeout'
