/** Errors of the native session under the other driver's names. */

import * as native from '../../cql/errors.js'
import {
  AuthenticationError,
  BusyConnectionError,
  DriverError,
  DriverInternalError,
  NoHostAvailableError,
  OperationTimedOutError,
  ResponseError,
} from './errors.js'
import { consistencies, responseErrorCodes } from './types/constants.js'

/** What the native session adds to a message. */
const SUFFIX = / \((?:code 0x[0-9a-f]{4}|node |\d+ attempts|the write may)[^()]*\)$/

function messageOf(error: native.CqlError): string {
  return error.message.replace(SUFFIX, '')
}

/** Consistency levels by the native session's names. */
const LEVELS = new Map<string, number>(
  Object.entries(consistencies).flatMap(([name, level]) =>
    typeof level === 'number'
      ? [[name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`), level] as const]
      : [],
  ),
)
const NAMES = new Map([...LEVELS].map(([name, level]) => [level, name]))

/** The native session's name of a level; what is none is passed on, and refused there. */
export function levelName(level: number): string {
  return NAMES.get(level) ?? String(level)
}

/** Copies what a server's error says about replicas. */
function aboutReplicas(error: native.ReplicasMissing, into: ResponseError): void {
  into.consistencies = LEVELS.get(String(error.consistency).toLowerCase()) as number
  if (error instanceof native.Unavailable) {
    Object.assign(into, { required: error.required, alive: error.received })
    return
  }
  Object.assign(into, { received: error.received, blockFor: error.required })
  if (error instanceof native.WriteTimeout || error instanceof native.WriteFailure) {
    into.writeType = error.writeType
  }
  if (error instanceof native.ReadTimeout || error instanceof native.ReadFailure) {
    into.isDataPresent = error.dataPresent ? 1 : 0
  }
  if (error instanceof native.ReadFailure || error instanceof native.WriteFailure) {
    into.failures = error.failures
    into.isWriteFailure = error instanceof native.WriteFailure
  }
}

/** An error that the server sent. */
export function responseError(error: native.CqlError): ResponseError {
  const result = new ResponseError(error.code as number, messageOf(error))
  if (error.node !== null) result.coordinator = error.node
  if (error instanceof native.ReplicasMissing) aboutReplicas(error, result)
  else if (error instanceof native.AlreadyExists) {
    result.keyspace = error.keyspace
    if (error.table !== null) result.table = error.table
  } else if (error instanceof native.FunctionFailed) {
    result.keyspace = error.keyspace
    result.functionName = error.functionName
    result.argTypes = [...error.argumentTypes]
  }
  return result
}

/** Codes after which another node may succeed. */
const ELSEWHERE: readonly number[] = [
  responseErrorCodes.overloaded,
  responseErrorCodes.isBootstrapping,
]

function noHost(error: native.CqlError, cause: (reason: string, node: string) => Error) {
  const inner: { [node: string]: Error } = {}
  for (const { node, reason } of error.failedAttempts) {
    if (node !== null) inner[node] = cause(reason, node)
  }
  if (Object.keys(inner).length === 0 && error.node !== null) {
    inner[error.node] = cause(messageOf(error), error.node)
  }
  return new NoHostAvailableError(
    inner,
    Object.keys(inner).length === 0 ? messageOf(error) : undefined,
  )
}

/** The other driver's error for any error of the native session; others are returned as they are. */
export function translated(error: unknown, about?: { readTimeout?: number | undefined }): Error {
  if (!(error instanceof native.CqlError)) return error as Error
  if (error instanceof native.AuthenticationFailed) {
    return new AuthenticationError(messageOf(error))
  }
  if (error instanceof native.Timeout) {
    const { node } = error
    const who = node === null ? 'No host' : `The host ${node} did not reply`
    const limit = about?.readTimeout === undefined ? '' : ` ${about.readTimeout} ms`
    return new OperationTimedOutError(
      node === null ? `${who} replied before timeout${limit}` : `${who} before timeout${limit}`,
      node ?? undefined,
    )
  }
  if (error instanceof native.TooBusy) {
    return noHost(error, (_, node) => new BusyConnectionError(node, 0, 1))
  }
  if (error instanceof native.ConnectionFailed || error instanceof native.NodeUnavailable) {
    return noHost(error, connectionError)
  }
  if (error instanceof native.SessionClosed) {
    return new NoHostAvailableError(null, 'the client has been shut down')
  }
  if (error.code === null) {
    if (error instanceof native.Overloaded) {
      return noHost(error, (_, node) => new BusyConnectionError(node, 0, 1))
    }
    return new DriverInternalError(messageOf(error))
  }
  if (ELSEWHERE.includes(error.code)) return noHost(error, () => responseError(error))
  return responseError(error)
}

/** Codes of Node's errors, by the system's texts. */
const CAUSES: readonly [RegExp, string][] = [
  [/os error (?:61|111)/, 'ECONNREFUSED'],
  [/timed out|time limit|not (?:open|connected|answer)/i, 'ETIMEDOUT'],
  [/reset/i, 'ECONNRESET'],
  [/resolve|lookup|name or service/i, 'ENOTFOUND'],
  [/unreachable/i, 'EHOSTUNREACH'],
]

function connectionError(reason: string): Error {
  const error = new DriverError(reason)
  const code = CAUSES.find(([text]) => text.test(reason))?.[1]
  return code === undefined ? error : Object.assign(error, { code })
}

/** The error of connecting. */
export function connectError(error: unknown): Error {
  if (!(error instanceof native.CqlError) || error instanceof native.ServerError) {
    return translated(error)
  }
  if (error instanceof native.AuthenticationFailed) {
    return noHost(error, (reason) => new AuthenticationError(reason))
  }
  return noHost(error, connectionError)
}
