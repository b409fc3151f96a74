/** Trackers of requests. */

import { EventEmitter } from 'node:events'
import { callable } from './callable.js'
import type { ExecutionOptions } from './contracts.js'
import { ArgumentError } from './errors.js'
import type { Host } from './hosts.js'

/** A statement, or those of a batch. */
export type TrackedQuery = string | readonly (string | { query: string; params?: unknown })[]

/** Its parameters. */
// biome-ignore lint/suspicious/noExplicitAny: the other driver's type
export type TrackedParameters = any[] | { [name: string]: any } | null

class RequestTrackerBase {
  /** Called after each request; lengths are in bytes. */
  onSuccess(
    _host: Host,
    _query: TrackedQuery,
    _parameters: TrackedParameters,
    _executionOptions: ExecutionOptions,
    _requestLength: number,
    _responseLength: number,
    _latency: number[],
  ): void {}

  /** Called after each request that failed; its length is 0. */
  onError(
    _host: Host,
    _query: TrackedQuery,
    _parameters: TrackedParameters,
    _executionOptions: ExecutionOptions,
    _requestLength: number,
    _error: Error,
    _latency: number[],
  ): void {}

  /** Called when the client shuts down. */
  shutdown(): void {}
}
Object.defineProperty(RequestTrackerBase, 'name', { value: 'RequestTracker' })

/** The base of trackers of programs. */
export const RequestTracker = callable(RequestTrackerBase)
/** The base of trackers of programs. */
export type RequestTracker = RequestTrackerBase

/** Options of `RequestLogger`. */
export interface RequestLoggerOptions {
  /** From how many milliseconds on a request is slow. */
  slowThreshold?: number
  /** From how many bytes on a request is large. */
  requestSizeThreshold?: number
  logNormalRequests?: boolean
  logErroredRequests?: boolean
  /** Characters of statements in messages. Default: 500. */
  messageMaxQueryLength?: number
  /** Characters of each parameter. Default: 50. */
  messageMaxParameterValueLength?: number
  /** Characters of stack traces. Default: 200. */
  messageMaxErrorStackTraceLength?: number
}

/**
 * Emits messages about requests: its `emitter` has the events `'slow'`, `'large'`, `'normal'` and
 * `'failure'`.
 */
export class RequestLogger extends RequestTracker {
  logNormalRequests: boolean | undefined
  logErroredRequests: boolean | undefined
  readonly emitter: EventEmitter = new EventEmitter()
  readonly #options: RequestLoggerOptions

  /** @throws ArgumentError without options */
  constructor(options: RequestLoggerOptions) {
    super()
    if (!options) throw new ArgumentError('RequestLogger requires options')
    this.#options = options
    this.logNormalRequests = options.logNormalRequests
    this.logErroredRequests = options.logErroredRequests
  }

  override onSuccess(
    host: Host,
    query: TrackedQuery,
    parameters: TrackedParameters,
    executionOptions: ExecutionOptions,
    requestLength: number,
    responseLength: number,
    latency: number[],
  ): void {
    const { slowThreshold = 0, requestSizeThreshold = 0 } = this.#options
    const took = milliseconds(latency)
    const about = () =>
      `${sizes(requestLength, responseLength)}): ${this.#text(query, parameters, executionOptions)}`
    const start = `[${host.address}] `
    const ms = Math.floor(took)
    if (slowThreshold > 0 && took > slowThreshold) {
      this.emitter.emit('slow', `${start}Slow request, took ${ms} ms (${about()}`)
    } else if (requestSizeThreshold > 0 && requestLength > requestSizeThreshold) {
      const text = this.#text(query, parameters, executionOptions)
      const length = sizes(requestLength, responseLength)
      const message = `Request exceeded length, ${length} (took ${ms} ms): ${text}`
      this.emitter.emit('large', start + message)
    } else if (this.logNormalRequests) {
      this.emitter.emit('normal', `${start}Request completed normally, took ${ms} ms (${about()}`)
    }
  }

  override onError(
    host: Host,
    query: TrackedQuery,
    parameters: TrackedParameters,
    executionOptions: ExecutionOptions,
    requestLength: number,
    error: Error,
    latency: number[],
  ): void {
    const { requestSizeThreshold = 0, messageMaxErrorStackTraceLength = 200 } = this.#options
    const stack = (error.stack ?? String(error)).slice(0, messageMaxErrorStackTraceLength)
    const ms = Math.trunc(milliseconds(latency))
    const size = sizes(requestLength)
    const rest = () => `${this.#text(query, parameters, executionOptions)}; error: ${stack}`
    if (requestSizeThreshold > 0 && requestLength > requestSizeThreshold) {
      const what = 'Request exceeded length and execution failed'
      const message = `[${host.address}] ${what}, ${size} (took ${ms} ms): ${rest()}`
      this.emitter.emit('large', message)
    } else if (this.logErroredRequests) {
      const message = `Request execution failed, took ${ms} ms (${size}): ${rest()}`
      this.emitter.emit('failure', `[${host.address}] ${message}`)
    }
  }

  #text(query: TrackedQuery, parameters: TrackedParameters, options: ExecutionOptions): string {
    const { messageMaxQueryLength: most = 500, messageMaxParameterValueLength: value = 50 } =
      this.#options
    if (typeof query !== 'string') return batchText(query, options, most, value)
    const text = query.slice(0, most)
    const about = parametersText(parameters, most - text.length - 1, value)
    return `${text}${about}${options.isPrepared() ? '' : ' (not prepared)'}`
  }
}

function milliseconds([seconds = 0, nanoseconds = 0]: readonly number[]): number {
  return seconds * 1000 + nanoseconds / 1_000_000
}

function size(length: number): string {
  return length > 1000 ? `${Math.round(length / 1024)} KB` : `${length} bytes`
}

function sizes(request: number, response?: number): string {
  const reply = response === undefined ? '' : ` / response size ${size(response)}`
  return `request size ${size(request)}${reply}`
}

function batchText(
  queries: Exclude<TrackedQuery, string>,
  options: ExecutionOptions,
  most: number,
  mostOfValue: number,
): string {
  const kind = options.isBatchLogged() ? 'LOGGED ' : ''
  const prepared = options.isPrepared() ? '' : ' not prepared'
  let text = ''
  for (const [at, item] of queries.entries()) {
    if (text.length >= most)
      return `${kind}BATCH w/ ${queries.length}${prepared} queries (${text},...)`
    const { query, params = null } = typeof item === 'string' ? { query: item } : item
    text += `${at === 0 ? '' : ','}${query.slice(0, most - text.length)}`
    if (text.length < most) {
      text += parametersText(params as TrackedParameters, most - text.length, mostOfValue)
    }
  }
  return `${kind}BATCH w/ ${queries.length}${prepared} queries (${text})`
}

function parametersText(parameters: TrackedParameters, room: number, most: number): string {
  if (room <= 3) return ' [...]'
  if (!parameters) return ' []'
  const all: [string, unknown][] = Array.isArray(parameters)
    ? parameters.map((value) => ['', value])
    : Object.entries(parameters)
  let [text, left, at] = ['', room, 0]
  for (; at < all.length && left > 0; at++) {
    const [name, value] = all[at] as [string, unknown]
    if (at > 0) {
      text += ','
      left--
    }
    const part = `${name === '' ? '' : `${name}:`}${String(value)}`.slice(0, Math.min(most, left))
    text += part
    left -= part.length
  }
  return ` [${text}${at < all.length ? '...' : ''}]`
}
