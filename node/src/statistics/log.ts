/** Events as lines of a log. */

import type { Event, SlowCommand } from './events.js'

/** The levels at which events are logged. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** A logger with a method for each level, such as `console`, or one of pino or winston. */
export type Logger = { readonly [level in LogLevel]: (line: string) => unknown }

/** A function that gets each line, with its event and its level. */
export type LogFunction = (line: string, event: Event, level: LogLevel) => void

/** Writes a line. */
export type Write = (line: string, event: Event, level: LogLevel) => void

/**
 * How lines are written by a logger; the default is `console`.
 *
 * @throws TypeError if it is no logger
 */
export function writing(logger: Logger | LogFunction | undefined): Write {
  if (logger === undefined) return writing(console)
  if (typeof logger === 'function') return logger
  const isLogger =
    typeof logger === 'object' && logger !== null && LEVELS.every((level) => level in logger)
  if (!isLogger) {
    throw new TypeError(
      `logger must be a function, or an object with the methods ${LEVELS.join(', ')}, such as console`,
    )
  }
  return (line, _, level) => void logger[level](line)
}

export const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** The level and the line of an event; `undefined` for slow commands, which are logged otherwise. */
export function lineOf(event: Event): [LogLevel, string] | undefined {
  switch (event.type) {
    case 'nodeUp':
      return ['info', `node ${event.node} is up`]
    case 'nodeDown':
      return ['warn', `node ${event.node} is down`]
    case 'nodeAdded':
      return ['info', `node ${event.node} was added to the cluster`]
    case 'nodeRemoved':
      return ['warn', `node ${event.node} was removed from the cluster`]
    case 'breakerOpened':
      return ['warn', `node ${event.node} failed too often: its circuit breaker is open`]
    case 'breakerClosed':
      return ['info', `the circuit breaker of node ${event.node} is closed again`]
    case 'mapChanged':
      return ['debug', 'the partition map changed']
    case 'schemaChanged':
      return ['debug', 'the schema changed']
    case 'eventsLost':
      return [
        'warn',
        `${event.count} events were lost: they arrived faster than listeners handled them`,
      ]
    default:
      return undefined
  }
}

/** The line of a slow command. */
export function slowLine(event: SlowCommand): string {
  const { operation, namespace, milliseconds, result, node, records, attempts } = event
  return (
    `${operation} in ${namespace || '-'} took ${milliseconds.toFixed(3)} ms: ${result} by ` +
    `${node || 'no node'} (records=${records}, attempts=${attempts})`
  )
}
