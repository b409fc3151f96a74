/** Creates errors for failures reported by the engine. */

import {
  AlreadyExists,
  AuthenticationFailed,
  Bootstrapping,
  ConnectionFailed,
  CqlError,
  type FailedAttempt,
  FunctionFailed,
  InvalidRequest,
  NodeUnavailable,
  Overloaded,
  ProtocolError,
  ReadFailure,
  ReadTimeout,
  ReplicasMissing,
  ServerError,
  SessionClosed,
  SyntaxException,
  Timeout,
  TooBusy,
  Unauthorized,
  Unavailable,
  WriteFailure,
  WriteTimeout,
  WriteUnknown,
} from './errors.js'

type ErrorClass = typeof CqlError

const BY_KIND: { readonly [kind: string]: ErrorClass } = {
  timeout: Timeout,
  connection: ConnectionFailed,
  authentication: AuthenticationFailed,
  no_node: NodeUnavailable,
  circuit_open: NodeUnavailable,
  busy: TooBusy,
  malformed: ProtocolError,
  closed: SessionClosed,
}

const BY_CODE: ReadonlyMap<number, ErrorClass> = new Map<number, ErrorClass>([
  [0x000a, ProtocolError],
  [0x0100, AuthenticationFailed],
  [0x1000, Unavailable],
  [0x1001, Overloaded],
  [0x1002, Bootstrapping],
  [0x1100, WriteTimeout],
  [0x1200, ReadTimeout],
  [0x1300, ReadFailure],
  [0x1400, FunctionFailed],
  [0x1500, WriteFailure],
  [0x1700, WriteUnknown],
  [0x2000, SyntaxException],
  [0x2100, Unauthorized],
  [0x2200, InvalidRequest],
  [0x2400, AlreadyExists],
])

const ROOTS = [CqlError, ServerError, ReplicasMissing]
for (const kind of [...ROOTS, ...Object.values(BY_KIND), ...BY_CODE.values()]) {
  Object.defineProperty(kind.prototype, 'name', { value: kind.name, configurable: true })
}

/**
 * Creates the error for a failure. `details` has names and values, alternating; `failedAttempts`
 * has nodes and reasons.
 */
export function makeError(
  kind: string,
  code: number | null,
  message: string,
  node: string | null,
  attempts: number,
  inDoubt: boolean,
  details: readonly unknown[],
  failedAttempts: readonly (string | null)[],
): CqlError {
  const errorClass = code === null ? BY_KIND[kind] : BY_CODE.get(code)
  const failed: FailedAttempt[] = []
  for (let at = 0; at < failedAttempts.length; at += 2) {
    failed.push({ node: failedAttempts[at] ?? null, reason: failedAttempts[at + 1] ?? '' })
  }
  const error = new (errorClass ?? ServerError)(message, code, node, attempts, inDoubt, failed)
  for (let at = 0; at < details.length; at += 2) {
    Object.defineProperty(error, details[at] as string, {
      value: details[at + 1],
      enumerable: true,
      configurable: true,
    })
  }
  return error
}
