/** The error of all calls, with the code of the server or of the client. */

import { SpikewireError } from '../../aerospike/model/errors.js'
import { status } from './status.js'

/** What an error has of the command that failed. */
export interface CommandOfError {
  client?: unknown
  stack?: string | undefined
}

/** The parts of a failure. */
interface Failure {
  code: number
  message?: string | undefined
  func?: string | null | undefined
  file?: string | null | undefined
  line?: string | number | null | undefined
  inDoubt?: boolean | undefined
}

/** A command failed: `code` says why. */
export class AerospikeError extends Error {
  /** The result code, one of `status`. */
  code: number = status.ERR_CLIENT
  /** The command; `null` if there is none. */
  command: CommandOfError | null
  /** Where in the C client it happened; here always `null`. */
  func: string | null = null
  /** Where in the C client it happened; here always `null`. */
  file: string | null = null
  /** Where in the C client it happened; here always `null`. */
  line: number | null = null
  /** Whether a write may have been applied despite the error. */
  inDoubt = false
  /** What Spikewire says about it. */
  declare cause?: unknown

  constructor(message?: string, command?: CommandOfError | null) {
    super(message)
    this.command = command ?? null
    if (command?.stack) this.setStackTrace(command.stack)
  }

  static {
    Object.defineProperty(AerospikeError.prototype, 'name', {
      value: 'AerospikeError',
      configurable: true,
      writable: true,
    })
  }

  /** The error for a failure; `null` if there is none. */
  static fromASError(
    failure: Failure | null | undefined,
    command?: CommandOfError,
  ): AerospikeError | null {
    if (!failure || failure.code === status.OK) return null
    if (failure instanceof AerospikeError) return failure
    const error = new AerospikeError(
      AerospikeError.formatMessage(failure.message, failure.code),
      command,
    )
    error.code = failure.code
    error.inDoubt = failure.inDoubt ?? false
    error.func = failure.func ?? null
    error.file = failure.file ?? null
    error.line = Number.parseInt(String(failure.line), 10)
    return error
  }

  /** A message in which the name of a code is replaced by what it means. */
  static formatMessage(message: string | undefined, code: number): string | undefined {
    return message?.replace(/AEROSPIKE_[A-Z_]+/, () => status.getMessage(code))
  }

  /** Replaces the stack by that of another error; the first line stays. */
  setStackTrace(stack: string): void {
    const value = stack.replace(/^.*$/m, () => `${this.name}: ${this.message}`)
    Object.defineProperty(this, 'stack', { value, configurable: true, writable: true })
  }

  /** Whether the server has rejected the command. */
  isServerError(): boolean {
    return this.code > status.OK
  }

  /** The client of the command. */
  get client(): unknown {
    return this.command?.client
  }
}

/** An error of a call with invalid arguments. */
export function invalid(message: string, command?: CommandOfError): AerospikeError {
  const error = new AerospikeError(message, command)
  error.code = status.ERR_PARAM
  return error
}

/** What this drop-in cannot do. */
export function unsupported(what: string): AerospikeError {
  const error = new AerospikeError(`${what} is not supported by spikewire/compat/aerospike`)
  error.code = status.ERR_UNSUPPORTED_FEATURE
  return error
}

/** Codes of Spikewire for failures of the client that have another one here. */
const CLIENT_CODES: { readonly [code: number]: number } = {
  [status.ERR_CONNECTION]: status.ERR_ASYNC_CONNECTION,
}

/** The message of a failure; its advice names verbs and options of the native client. */
function withoutAdvice({ message, advice }: SpikewireError): string {
  return advice === '' ? message : message.slice(0, -` - ${advice}`.length)
}

/** The error for what a call of Spikewire was rejected with. */
export function toError(failure: unknown, command?: CommandOfError): unknown {
  if (failure instanceof AerospikeError) return failure
  if (failure instanceof SpikewireError) {
    const error = new AerospikeError(withoutAdvice(failure), command)
    error.code = CLIENT_CODES[failure.code] ?? failure.code
    error.inDoubt = failure.inDoubt
    error.cause = failure
    return error
  }
  if (failure instanceof TypeError || failure instanceof RangeError) {
    const error = invalid(failure.message, command)
    error.cause = failure
    return error
  }
  return failure
}
