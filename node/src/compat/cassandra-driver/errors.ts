/** The errors of the drop-in, under the other driver's names. */

import { callable } from './callable.js'

/** Base class of the errors. */
class DriverErrorClass extends Error {
  /** What the error is about in general. */
  info = 'Cassandra Driver Error'

  constructor(message: string) {
    super(message)
    this.name = this.constructor.name
    // Without the constructors of the classes below.
    Error.captureStackTrace(this, this.constructor)
    // As in the other driver, it is the instance's own property and is printed with it.
    Object.defineProperty(this, 'name', { enumerable: true, writable: true, configurable: true })
  }
}
Object.defineProperty(DriverErrorClass, 'name', { value: 'DriverError' })

/** Base class of the errors. */
export const DriverError = callable(DriverErrorClass)
/** Base class of the errors. */
export type DriverError = DriverErrorClass

/** No node could be asked, or none has answered. */
export class NoHostAvailableError extends DriverError {
  override info = 'No host is available, or none could be reached by the driver.'
  /** The errors by node. */
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  innerErrors: any

  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  constructor(innerErrors?: any, message?: string) {
    super(message || describe(innerErrors))
    this.innerErrors = innerErrors
  }
}

function describe(innerErrors: { [host: string]: unknown } | null | undefined): string {
  const [first] = Object.entries(innerErrors ?? {})
  const about = first === undefined ? '' : ` The first, ${first[0]}: ${first[1]}. See innerErrors.`
  return `No host could execute the statement.${about}`
}

/** An error that the server sent; `code` is one of `types.responseErrorCodes`. */
export class ResponseError extends DriverError {
  override info = 'The server answered with an error message.'
  code: number
  /** The statement that failed. */
  declare query?: string
  /** The node that sent it. */
  declare coordinator?: string
  /** The consistency level, of errors about replicas. */
  declare consistencies?: number
  /** How many replicas were needed. */
  declare required?: number
  /** How many are alive (`unavailableException`). */
  declare alive?: number
  /** How many answered. */
  declare received?: number
  /** How many replicas were to answer. */
  declare blockFor?: number
  /** How many replicas failed. */
  declare failures?: number
  /** Reasons of failures by node. */
  declare reasons?: { [node: string]: number } | undefined
  /** The kind of write. */
  declare writeType?: string
  /** Whether the replica that had the data answered. */
  declare isDataPresent?: number
  /** The keyspace that exists already, or of the function that failed. */
  declare keyspace?: string
  /** The table that exists already. */
  declare table?: string
  /** The function that failed. */
  declare functionName?: string
  /** The types of its arguments. */
  declare argTypes?: string[]
  declare isWriteFailure?: boolean

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Something is wrong within the driver, or in a node. */
export class DriverInternalError extends DriverError {
  override info = 'The driver or a node has a fault.'
}

/** Logging in failed. */
export class AuthenticationError extends DriverError {
  override info = 'The driver or a node reported that logging in failed.'
  declare additionalInfo?: unknown
}

/** An argument of a method is not valid. */
export class ArgumentError extends DriverError {
  override info = 'An argument of a method is not valid.'
}

/** The statement took longer than its `readTimeout`. */
export class OperationTimedOutError extends DriverError {
  override info = 'The server has not answered within the read timeout.'
  /** The node, if known. */
  host: string | undefined

  constructor(message: string, host?: string) {
    super(message)
    this.host = host
  }
}

/** Something is not supported by the drop-in, or by this version of Cassandra. */
export class NotSupportedError extends DriverError {
  override info = 'The driver or the version of Cassandra does not have this.'
}

/** All connections to a node have as many requests as they may have. */
export class BusyConnectionError extends DriverError {
  override info = 'All connections to a host are at their limit (pooling.maxRequestsPerConnection).'

  constructor(address: string, maxRequestsPerConnection: number, connectionLength: number) {
    const each = connectionLength === 1 ? 'its connection' : 'each connection'
    super(`Host ${address} is busy: ${maxRequestsPerConnection} requests are in flight on ${each}`)
  }
}

/** An integer of variable length is beyond what a number can have. */
export class VIntOutOfRangeException extends DriverError {
  override info = 'An integer is out of range for a number.'

  constructor(long: { toString(): string }) {
    super(`${long} is beyond what a number can have`)
  }
}
