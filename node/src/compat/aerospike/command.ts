/** Commands: what a call of the client is, and how its outcome reaches a callback or a promise. */

import type { Slot } from '../../addon/native.js'
import { SpikewireError } from '../../aerospike/model/errors.js'
import { executor, openSlot, rejectCall } from '../../bridge/slots.js'
import { AerospikeError, invalid, toError } from './error.js'

/** Is called with the outcome of a call, never before the call has returned. */
export type Callback<T> = (error?: AerospikeError, result?: T) => void

/** The client of a command. */
export interface CommandClient {
  readonly captureStackTraces: boolean
  /** How many commands wait for their outcome. */
  inFlight: number
  isConnected(checkTenderErrors?: boolean): boolean
}

/** A command, as errors have it. */
interface CommandParts {
  readonly client: CommandClient
  readonly args: readonly unknown[]
  readonly key: unknown
  stack?: string
}

type CommandClass = new (client?: unknown, args?: readonly unknown[], key?: unknown) => CommandParts

/** The base class of commands of a name. */
export function Command(name: string): CommandClass {
  return class Command implements CommandParts {
    readonly client: CommandClient
    readonly args: readonly unknown[]
    readonly key: unknown
    declare stack?: string

    constructor(client?: unknown, args: readonly unknown[] = [], key?: unknown) {
      this.client = client as CommandClient
      this.args = args
      this.key = key
    }

    /** The name of the call. */
    asCommand(): string {
      return name
    }
  }
}

const classes = new Map<string, CommandClass>()

/** The class of commands of a name. */
function classOf(name: string): CommandClass {
  let commandClass = classes.get(name)
  if (commandClass === undefined) {
    commandClass = class extends Command(name) {}
    Object.defineProperty(commandClass, 'name', { value: `${name}Command` })
    classes.set(name, commandClass)
  }
  return commandClass
}

/** The command of an error. */
function commandOf(client: CommandClient, name: string, key: unknown, stack: string | undefined) {
  const command = new (classOf(name))(client, key === undefined ? [] : [key], key)
  if (stack !== undefined) command.stack = stack
  return command
}

/** Calls a callback in a turn of its own, so that what it throws is an uncaught exception. */
function later<T>(callback: Callback<T>, error: AerospikeError | null, result?: T): void {
  if (error === null || result !== undefined) process.nextTick(callback, error, result)
  else process.nextTick(callback, error)
}

/** The error of a call, or its result; besides an error, what callbacks get, too. */
export type Outcome<T> = readonly [error: AerospikeError | null, result?: T | undefined]

/** The stack of the call, if the client records them. */
function stackOf(client: CommandClient): string | undefined {
  if (!client.captureStackTraces) return undefined
  const at: { stack?: string } = {}
  Error.captureStackTrace(at, stackOf)
  return at.stack
}

/** Where a callback is expected: `undefined` and `null` mean a promise. */
export function checkCallback(callback: unknown): void {
  if (callback === undefined || callback === null || typeof callback === 'function') return
  throw new TypeError('Callback must be a function')
}

/**
 * Runs a call of the native part. `send` gets the slot to settle; `convert` makes the result, and
 * `rescue` the outcome of an error.
 *
 * An `AerospikeError` of `send` is the outcome of the call. Any other error is thrown, or rejects the
 * promise, as it is: arguments of a wrong kind.
 */
export function run<N, T>(
  client: CommandClient,
  name: string,
  key: unknown,
  callback: Callback<T> | null | undefined,
  convert: (value: N) => T,
  send: (slot: Slot) => void,
  rescue: (error: AerospikeError) => Outcome<T> = unchanged,
): Promise<T> | undefined {
  checkCallback(callback)
  const stack = stackOf(client)
  if (!client.isConnected(false)) {
    const error = new AerospikeError('Not connected.', commandOf(client, name, key, stack))
    if (!callback) return Promise.reject(error)
    later(callback, error)
    return undefined
  }
  let resolve: ((value: T) => void) | undefined
  let reject: ((error: unknown) => void) | undefined
  const promise = callback
    ? undefined
    : new Promise<T>((resolves, rejects) => {
        resolve = resolves
        reject = rejects
      })
  const finish = (error: AerospikeError | null, result?: T): void => {
    client.inFlight--
    if (callback) later(callback, error, result)
    else if (error === null) resolve?.(result as T)
    else reject?.(error)
  }
  const fail = (error: unknown): void => {
    const [failure, result] = rescue(failureOf(error, client, name, key, stack))
    finish(failure, result)
  }
  let wrongKind: ArgumentKind | undefined
  executor(
    (value: N) => {
      let result: T
      try {
        result = convert(value)
      } catch (error) {
        fail(error)
        return
      }
      finish(null, result)
    },
    (error) => {
      if (wrongKind === undefined) fail(error)
      else client.inFlight--
    },
  )
  client.inFlight++
  const slot = openSlot()
  try {
    send(slot)
  } catch (error) {
    if (callback && error instanceof ArgumentKind) wrongKind = error
    rejectCall(slot, error)
    if (wrongKind !== undefined) throw wrongKind
  }
  return promise
}

function unchanged(error: AerospikeError): Outcome<never> {
  return [error]
}

/** The error of a call, with its command. */
function failureOf(
  error: unknown,
  client: CommandClient,
  name: string,
  key?: unknown,
  stack?: string,
): AerospikeError {
  if (error instanceof ArgumentKind) return error as unknown as AerospikeError
  const command = commandOf(client, name, key, stack)
  if (!(error instanceof AerospikeError)) return toError(error, command) as AerospikeError
  if (error.command !== null) return error
  error.command = command
  if (stack !== undefined) error.setStackTrace(stack)
  return error
}

/** An argument of a wrong kind: thrown, or rejects the promise. */
export class ArgumentKind extends TypeError {
  static {
    Object.defineProperty(ArgumentKind.prototype, 'name', { value: 'TypeError' })
  }
}

/** Checks that an argument is an object. */
export function checkObject(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) {
    throw new ArgumentKind(`${what} must be an object`)
  }
}

/** Checks that an argument is an object, or left out. */
export function checkOptional(value: unknown, what: string): void {
  if (value === undefined || value === null || typeof value === 'object') return
  throw new ArgumentKind(`${what} must be an object`)
}

/** Checks that an argument is an array. */
export function checkArray(value: unknown, what: string): void {
  if (!Array.isArray(value)) throw new ArgumentKind(`${what} must be an array`)
}

/** The failure of a call because of a part of it; says which, and keeps why as its cause. */
export function partInvalid(part: string, cause: unknown): unknown {
  if (cause instanceof AerospikeError || cause instanceof ArgumentKind) return cause
  if (cause instanceof SpikewireError || !(cause instanceof Error)) return cause
  const code = (cause as { code?: unknown }).code
  const error = invalid(`${part} invalid`)
  if (typeof code === 'number') error.code = code
  error.cause = cause
  return error
}

/** A call that waits for promises of Spikewire. */
export function runAsync<T>(
  client: CommandClient,
  name: string,
  callback: Callback<T> | null | undefined,
  call: () => Promise<T>,
): Promise<T> | undefined {
  checkCallback(callback)
  const stack = stackOf(client)
  const begin = async (): Promise<T> => {
    if (!client.isConnected(false)) throw new AerospikeError('Not connected.')
    return await call()
  }
  const outcome = begin().catch((error) => {
    throw failureOf(error, client, name, undefined, stack)
  })
  if (!callback) return outcome
  outcome.then(
    (value) => later(callback, null, value),
    (error) => later(callback, error),
  )
  return undefined
}
