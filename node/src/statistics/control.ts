/** Control of a client's counters and events: `client.metrics`. */

import { inspect } from 'node:util'
import type { Connection } from '../bridge/connection.js'
import { checkOptions } from '../options/check.js'
import { type EventListener, listen } from './events.js'
import {
  LEVELS,
  type LogFunction,
  type Logger,
  type LogLevel,
  lineOf,
  slowLine,
  writing,
} from './log.js'
import { native } from './native.js'
import { Stats } from './stats.js'

/** Options of `client.metrics.enable`. */
export interface EnableOptions {
  /** Whether the stages of commands are timed, too. Default: false. */
  stages?: boolean | undefined
}

/** Options of `client.metrics.logSlow`. */
export interface LogSlowOptions {
  /** Where lines go; `null`: nowhere, there are only events. Default: `console`. */
  logger?: Logger | LogFunction | null | undefined
  /** The level of the lines. Default: `'warn'`. */
  level?: LogLevel | undefined
}

/** The end of the slow-command log of a connection that has one. */
const logs = new WeakMap<Connection, () => void>()

/** The statistics of a client or session. */
export function statsOf(connection: Connection): Stats {
  connection.check()
  return new Stats(native.metricsStats(connection.handle))
}

/**
 * Switches the counting of a client on and off, and reports events; `client.metrics`.
 *
 * Counting is off by default. When on, it adds a few percent to the cost of commands; when off, next
 * to nothing. All methods throw `ClientClosed` after the client was closed.
 */
export class Metrics {
  readonly #connection: Connection

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  get #handle(): number {
    this.#connection.check()
    return this.#connection.handle
  }

  /** Whether commands are counted. */
  get enabled(): boolean {
    return native.metricsState(this.#handle)[0]
  }

  /** Whether the stages of commands are timed, too. */
  get stages(): boolean {
    return native.metricsState(this.#handle)[1]
  }

  /**
   * Counts every command from now on. `stages` also times the stages of commands (`stats().stages`),
   * which costs a few percent more: composing the request, waiting to be sent, waiting for the
   * reply, decoding it, and resuming the task.
   *
   * @throws TypeError for invalid options
   */
  enable(options?: EnableOptions): void {
    checkOptions(options, ['stages'])
    native.metricsSwitch(this.#handle, true, options?.stages ?? false)
  }

  /** Stops counting; the counters stay until `reset()`. */
  disable(): void {
    native.metricsSwitch(this.#handle, false, false)
  }

  /** Resets the counters to zero. */
  reset(): void {
    native.metricsReset(this.#handle)
  }

  /**
   * Calls `listener` with every event from now on, such as `{ type: 'nodeDown', node }`; returns a
   * function that ends this. Events are looked for every 100 ms, which does not keep the process
   * alive, or the client. What a listener throws is thrown again as an uncaught exception.
   *
   * @throws TypeError if the listener is not a function
   */
  onEvent(listener: EventListener): () => void {
    return listen(this.#connection, listener)
  }

  /**
   * Logs nodes joining and leaving, and circuit breakers, from now on; returns a function that stops
   * this. Losses have the level `warn`, recoveries `info`, changes of the partition map `debug`; for
   * slow commands use `logSlow`.
   *
   * @param logger - an object with a method for each level, or a function. Default: `console`
   * @throws TypeError if it is neither
   */
  logEvents(logger?: Logger | LogFunction): () => void {
    const write = writing(logger)
    return listen(this.#connection, ((event) => {
      const line = lineOf(event)
      if (line !== undefined) write(line[1], event, line[0])
    }) satisfies EventListener)
  }

  /**
   * Logs every command that takes at least so many milliseconds from now on, in place of an earlier
   * limit; `null`: none. Needs `enable()`.
   *
   * @throws TypeError, RangeError for an invalid limit or logger
   */
  logSlow(slowerThan: number | null, options?: LogSlowOptions): void {
    checkOptions(options, ['logger', 'level'])
    const { logger, level = 'warn' } = options ?? {}
    if (!LEVELS.includes(level)) {
      throw new RangeError(`level must be one of ${LEVELS.join(', ')}; got ${inspect(level)}`)
    }
    const write = logger === null ? undefined : writing(logger)
    native.metricsSlowerThan(this.#handle, slowerThan)
    logs.get(this.#connection)?.()
    logs.delete(this.#connection)
    if (slowerThan === null || slowerThan === undefined || write === undefined) return
    const listener: EventListener = (event) => {
      if (event.type === 'slowCommand') write(slowLine(event), event, level)
    }
    logs.set(this.#connection, listen(this.#connection, listener))
  }

  [inspect.custom](): string {
    if (!this.#connection.isOpen) return 'Metrics(closed)'
    if (!this.enabled) return 'Metrics(off)'
    return this.stages ? 'Metrics(on, with stages)' : 'Metrics(on)'
  }
}
