/**
 * The errors of statements and sessions; all are subclasses of `CqlError`.
 *
 * Invalid arguments are a `TypeError` or a `RangeError` instead, and nothing is sent.
 */

/** Why one attempt of a statement failed. */
export interface FailedAttempt {
  /** The address of the node; `null` if no node was involved. */
  readonly node: string | null
  readonly reason: string
}

/** Base class of all Cassandra errors. */
export class CqlError extends Error {
  /** The server's error code; `null` for client-side failures. */
  readonly code: number | null
  /** The address of the node; `null` if no node was involved. */
  readonly node: string | null
  /** How often the request was sent; 0 if nothing was sent. */
  readonly attempts: number
  /** Whether a write may have been applied despite the error. */
  readonly inDoubt: boolean
  /** Node and reason of each attempt, in order. */
  readonly failedAttempts: readonly FailedAttempt[]
  /** The index of the row that failed, from 0; only on errors of `executeMany`. */
  declare readonly row?: number

  /** Created by the engine. */
  constructor(
    message: string,
    code: number | null = null,
    node: string | null = null,
    attempts = 0,
    inDoubt = false,
    failedAttempts: readonly FailedAttempt[] = [],
  ) {
    super(describe(message, code, node, attempts, inDoubt))
    this.code = code
    this.node = node
    this.attempts = attempts
    this.inDoubt = inDoubt
    this.failedAttempts = failedAttempts
  }
}

function describe(
  message: string,
  code: number | null,
  node: string | null,
  attempts: number,
  inDoubt: boolean,
): string {
  const details: string[] = []
  if (code !== null) details.push(`code 0x${code.toString(16).padStart(4, '0')}`)
  if (node !== null) details.push(`node ${node}`)
  if (attempts > 1) details.push(`${attempts} attempts`)
  if (inDoubt) details.push('the write may have been applied')
  return details.length > 0 ? `${message} (${details.join(', ')})` : message
}

/** The statement's total timeout has expired. */
export class Timeout extends CqlError {}
/** No connection could be opened, or it was lost during the request. */
export class ConnectionFailed extends CqlError {}
/** No node is available, or the node's circuit breaker is open after too many failures. */
export class NodeUnavailable extends CqlError {}
/** The queue of requests that wait for a node is full (`queueLimit`). */
export class TooBusy extends CqlError {}
/** The session or the query is closed. */
export class SessionClosed extends CqlError {}
/** A node sent an invalid frame, or reported that it received one. */
export class ProtocolError extends CqlError {}
/** The server rejected the user or the password, or requires a login and none was configured. */
export class AuthenticationFailed extends CqlError {}

/** The server rejected the statement; `code` says why. */
export class ServerError extends CqlError {}

/** Base class of errors about the number of replicas. */
export class ReplicasMissing extends ServerError {
  /** The requested consistency level. */
  declare readonly consistency: string
  /** The number of replicas that answered; for `Unavailable`, of those that are alive. */
  declare readonly received: number
  /** The number of replicas required. */
  declare readonly required: number
}

/** Too few replicas are alive for the consistency level; nothing was executed. */
export class Unavailable extends ReplicasMissing {}
/**
 * The coordinator is overloaded or shutting down; or so many requests wait for it that the statement
 * would not be answered within its `timeout`, so that it was not sent.
 */
export class Overloaded extends ServerError {}
/** A partition is used more often than its table allows (Scylla). The statement is not sent again. */
export class RateLimited extends Overloaded {
  /** What was limited: `read`, `write` or `other`. */
  declare readonly operation: string
  /** Whether the coordinator rejected the statement, so that no replica has seen it. */
  declare readonly byCoordinator: boolean
}
/** The coordinator is still joining the cluster. */
export class Bootstrapping extends ServerError {}

/** Too few replicas acknowledged a write in time. */
export class WriteTimeout extends ReplicasMissing {
  /**
   * The kind of write: `SIMPLE`, `BATCH`, `UNLOGGED_BATCH`, `COUNTER`, `BATCH_LOG`, `CAS`, `VIEW`
   * or `CDC`.
   */
  declare readonly writeType: string
  /** How often other conditional writes interfered; `null` if the server does not say. */
  declare readonly contentions: number | null
}

/** Too few replicas answered a read in time. */
export class ReadTimeout extends ReplicasMissing {
  /** Whether the replica asked for the data itself (rather than a digest) answered. */
  declare readonly dataPresent: boolean
}

/** Replicas failed during a read. */
export class ReadFailure extends ReplicasMissing {
  /** The number of replicas that failed. */
  declare readonly failures: number
  /** Whether the replica asked for the data itself (rather than a digest) answered. */
  declare readonly dataPresent: boolean
}

/** Replicas failed during a write. */
export class WriteFailure extends ReplicasMissing {
  /** The number of replicas that failed. */
  declare readonly failures: number
  /** The kind of write, as in `WriteTimeout`. */
  declare readonly writeType: string
}

/**
 * It is unknown whether a conditional write was applied; a read at consistency `serial` finds out.
 */
export class WriteUnknown extends ReplicasMissing {}

/** A user-defined function failed. */
export class FunctionFailed extends ServerError {
  /** Its keyspace. */
  declare readonly keyspace: string
  /** Its name. */
  declare readonly functionName: string
  /** The types of its arguments. */
  declare readonly argumentTypes: readonly string[]
}

/** The statement is not valid CQL. */
export class SyntaxException extends ServerError {}
/** The user lacks a permission. */
export class Unauthorized extends ServerError {}
/** The statement is invalid: an unknown keyspace, table or column, or a wrong type. */
export class InvalidRequest extends ServerError {}

/** The keyspace or table exists already. */
export class AlreadyExists extends InvalidRequest {
  /** The keyspace. */
  declare readonly keyspace: string
  /** The table; `null` if the keyspace exists already. */
  declare readonly table: string | null
}
