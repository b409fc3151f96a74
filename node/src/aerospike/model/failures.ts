/** Creates errors for failures reported by the engine. */

import {
  BinExists,
  BinNotFound,
  BinTypeError,
  ClientClosed,
  ConnectionFailed,
  ElementExists,
  ElementNotFound,
  FilteredOut,
  FunctionFailed,
  GenerationMismatch,
  IndexNotFound,
  NamespaceNotFound,
  NodeUnavailable,
  OpNotApplicable,
  PermissionDenied,
  ProtocolError,
  QueryClosed,
  QueryPaused,
  RecordExists,
  RecordNotFound,
  RecordTooBig,
  RoleExists,
  RoleNotFound,
  ServerError,
  SpikewireError,
  Timeout,
  TooBusy,
  UserExists,
  UserNotFound,
} from './errors.js'

type ErrorClass = typeof SpikewireError

const BY_KIND: { readonly [kind: string]: ErrorClass } = {
  timeout: Timeout,
  connection: ConnectionFailed,
  no_node: NodeUnavailable,
  circuit_open: NodeUnavailable,
  no_namespace: NamespaceNotFound,
  busy: TooBusy,
  malformed: ProtocolError,
  paused: QueryPaused,
  query_closed: QueryClosed,
  closed: ClientClosed,
}

const BY_CODE: ReadonlyMap<number, ErrorClass> = new Map<number, ErrorClass>([
  [2, RecordNotFound],
  [3, GenerationMismatch],
  [5, RecordExists],
  [6, BinExists],
  [9, Timeout],
  [12, BinTypeError],
  [13, RecordTooBig],
  [17, BinNotFound],
  [20, NamespaceNotFound],
  [23, ElementNotFound],
  [24, ElementExists],
  [26, OpNotApplicable],
  [27, FilteredOut],
  [60, UserNotFound],
  [61, UserExists],
  [70, RoleNotFound],
  [71, RoleExists],
  [81, PermissionDenied],
  [100, FunctionFailed],
  [201, IndexNotFound],
])

for (const kind of [SpikewireError, ServerError, ...Object.values(BY_KIND), ...BY_CODE.values()]) {
  Object.defineProperty(kind.prototype, 'name', { value: kind.name, configurable: true })
}

/** The error for invalid arguments, with the codes of Node's own errors. */
function invalidArgument(range: boolean, message: string): TypeError | RangeError {
  const error = range ? new RangeError(message) : new TypeError(message)
  Error.captureStackTrace?.(error, makeError)
  return Object.assign(error, { code: range ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE' })
}

/** Creates the error for a failure reported by the engine, or for invalid arguments. */
export function makeError(
  kind: string,
  code: number,
  message: string,
  node: string | null = null,
  attempts = 0,
  inDoubt = false,
): Error {
  if (kind === 'type' || kind === 'range') return invalidArgument(kind === 'range', message)
  const errorClass = kind === 'server' ? (BY_CODE.get(code) ?? ServerError) : BY_KIND[kind]
  return new (errorClass ?? SpikewireError)(message, code, node, attempts, inDoubt)
}
