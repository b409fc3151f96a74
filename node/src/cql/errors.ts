/**
 * Every failure of a statement, in one tree under `CqlError`.
 *
 * Bad arguments are rejected with `TypeError` or `RangeError` instead, before anything is sent.
 */

/** How one of the attempts of a statement failed. */
export interface FailedAttempt {
  /** The address of its node; `null` when no node was involved. */
  readonly node: string | null
  readonly reason: string
}

/** The root of these errors. */
export class CqlError extends Error {
  /** The server's error code; `null` for failures on this side. */
  readonly code: number | null
  /** The address of the node; `null` when no node was involved. */
  readonly node: string | null
  /** How often the request was sent; 0 when nothing was. */
  readonly attempts: number
  /** Whether a write may have been applied nevertheless. */
  readonly inDoubt: boolean
  /** Node and reason of each attempt, in order. */
  readonly failedAttempts: readonly FailedAttempt[]
  /** The number of the row that it is about, from 0; only errors of `executeMany` have it. */
  declare readonly row?: number

  /** The engine makes these. */
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
  const circumstances: string[] = []
  if (code !== null) circumstances.push(`code 0x${code.toString(16).padStart(4, '0')}`)
  if (node !== null) circumstances.push(`node ${node}`)
  if (attempts > 1) circumstances.push(`${attempts} attempts`)
  if (inDoubt) circumstances.push('the write may have been applied')
  return circumstances.length > 0 ? `${message} (${circumstances.join(', ')})` : message
}

/** The statement's total timeout passed. */
export class Timeout extends CqlError {}
/** No connection could be made, or it broke under the request. */
export class ConnectionFailed extends CqlError {}
/** No node can be asked, or the node failed too often lately. */
export class NodeUnavailable extends CqlError {}
/** As many requests wait for a node as may (`queueLimit`). */
export class TooBusy extends CqlError {}
/** The session or the query is closed. */
export class SessionClosed extends CqlError {}
/** What a node sent makes no sense, or it says so of what was sent. */
export class ProtocolError extends CqlError {}
/** The server refuses the user or the password, or asks for them and there are none. */
export class AuthenticationFailed extends CqlError {}

/** The server refused the statement; `code` says why. */
export class ServerError extends CqlError {}

/** How many replicas a statement waited for. */
export class ReplicasMissing extends ServerError {
  /** The level that was to be reached. */
  declare readonly consistency: string
  /** Replicas that answered; for `Unavailable`, those that are alive. */
  declare readonly received: number
  /** Replicas that had to. */
  declare readonly required: number
}

/** Too few replicas are alive for the consistency level: nothing was done. */
export class Unavailable extends ReplicasMissing {}
/** The coordinator has too much to do, or shuts down. */
export class Overloaded extends ServerError {}
/** The coordinator is only just joining the cluster. */
export class Bootstrapping extends ServerError {}

/** Too few replicas acknowledged a write in time. */
export class WriteTimeout extends ReplicasMissing {
  /**
   * What was being written: `SIMPLE`, `BATCH`, `UNLOGGED_BATCH`, `COUNTER`, `BATCH_LOG`, `CAS`, `VIEW`
   * or `CDC`.
   */
  declare readonly writeType: string
  /** How often other conditional writes got in the way; `null` where that is not said. */
  declare readonly contentions: number | null
}

/** Too few replicas answered a read in time. */
export class ReadTimeout extends ReplicasMissing {
  /** Whether the replica that was asked for the data itself answered. */
  declare readonly dataPresent: boolean
}

/** Replicas failed at a read. */
export class ReadFailure extends ReplicasMissing {
  /** Replicas that failed. */
  declare readonly failures: number
  /** Whether the replica that was asked for the data itself answered. */
  declare readonly dataPresent: boolean
}

/** Replicas failed at a write. */
export class WriteFailure extends ReplicasMissing {
  /** Replicas that failed. */
  declare readonly failures: number
  /** What was being written. */
  declare readonly writeType: string
}

/** It is not known whether a conditional write was applied: a read at `serial` tells. */
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

/** The text of the statement is not CQL. */
export class SyntaxException extends ServerError {}
/** The user may not do that. */
export class Unauthorized extends ServerError {}
/** The statement makes no sense here: an unknown keyspace, table or column, a wrong type. */
export class InvalidRequest extends ServerError {}

/** There is such a keyspace or table already. */
export class AlreadyExists extends InvalidRequest {
  /** The keyspace. */
  declare readonly keyspace: string
  /** The table; `null` where it is the keyspace. */
  declare readonly table: string | null
}
