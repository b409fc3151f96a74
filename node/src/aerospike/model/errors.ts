/**
 * The errors of calls; all are subclasses of `SpikewireError`.
 *
 * Invalid arguments are a `TypeError` or a `RangeError` instead, and nothing is sent.
 */

import type { ErrorDetails } from './details.js'
import { Key } from './key.js'

export type { ErrorDetails, ErrorTrace } from './details.js'

/** Base class of all Spikewire errors. */
export class SpikewireError extends Error {
  /** The server's result code; negative for client-side failures. */
  readonly code: number
  /** Name and address of the node; `null` if no node was involved. */
  readonly node: string | null
  /** How often the call was attempted; 0 if nothing was sent. */
  readonly attempts: number
  /** Whether a write may have been applied despite the error. */
  readonly inDoubt: boolean
  /** The key of the call; `null` if the failure does not concern a single record. */
  key: Key | null = null
  /** What the server said beyond its code, if it was asked with `errorDetails`; else `null`. */
  details: ErrorDetails | null = null
  readonly #advice: string

  /** What to do about errors of this class; empty when their message is enough. */
  static readonly advice: string = ''

  /** Created by the engine. */
  constructor(
    message: string,
    code = -1,
    node: string | null = null,
    attempts = 0,
    inDoubt = false,
    advice: string | null = null,
  ) {
    const ofClass = new.target.advice
    super(describe(message, code, node, attempts, inDoubt, advice ?? ofClass))
    this.code = code
    this.node = node
    this.attempts = attempts
    this.inDoubt = inDoubt
    this.#advice = advice ?? ofClass
  }

  /** What to do about it, which is also behind the message; empty when the message is enough. */
  get advice(): string {
    return this.#advice
  }

  /**
   * A number that says more than `code` and means something together with it only; `null` if the
   * server sent none.
   */
  get subcode(): number | null {
    return this.details?.subcode ?? null
  }

  /** What `subcode` is called; `null` if there is none, or it is not known. */
  get subcodeName(): string | null {
    return this.details?.subcodeName ?? null
  }

  /** @internal */
  ofRecord(space: number, key: unknown): void {
    this.key = Key.known(space, key)
  }
}

function describe(
  message: string,
  code: number,
  node: string | null,
  attempts: number,
  inDoubt: boolean,
  advice: string,
): string {
  // The codes of failures on this side say no more than the class.
  const details = code >= 0 ? [`code ${code}`] : []
  if (node !== null && !message.includes(node)) details.push(`node ${node}`)
  if (attempts > 1) details.push(`${attempts} attempts`)
  if (inDoubt) details.push('the write may have been applied')
  const context = details.length > 0 ? ` (${details.join(', ')})` : ''
  return `${message}${context}${advice === '' ? '' : ` - ${advice}`}`
}

/** The server rejected the command; `code` says why. */
export class ServerError extends SpikewireError {}
/** The record does not exist. */
export class RecordNotFound extends ServerError {}
/** The record exists, and the call asked to create it. */
export class RecordExists extends ServerError {}
/** The record's generation is not the one the call expected: read it again and retry. */
export class GenerationMismatch extends ServerError {
  static override readonly advice: string =
    'the record has been written since it was read: read it again and retry'
}
/** The operation does not fit the type of the bin. */
export class BinTypeError extends ServerError {}
/** The bin exists, and the operation asked to create it. */
export class BinExists extends ServerError {}
/** The bin does not exist, and the operation needs it. */
export class BinNotFound extends ServerError {}
/** The list already has this value, or the map this key, and the operation asked for a new one. */
export class ElementExists extends ServerError {}
/** The map does not have this key, and the operation needs it. */
export class ElementNotFound extends ServerError {}
/**
 * The operation does not apply to the bin's value: an index out of range, a path that does not
 * exist, an expression without a value.
 */
export class OpNotApplicable extends ServerError {}
/** The record would exceed the namespace's max-record-size; the old record is unchanged. */
export class RecordTooBig extends ServerError {}
/** The record exists, but the call's `where` is not true for it. */
export class FilteredOut extends ServerError {}
/** A Lua function raised an error, or there is no such module or function. */
export class FunctionFailed extends ServerError {}
/** No secondary index fits the query: none exists on that bin with that type, or with that name. */
export class IndexNotFound extends ServerError {
  static override readonly advice: string =
    'create it with client.indexes.create(...), or leave out index and filter with where, which looks at every record'
}
/** The client's user lacks the privilege for this. */
export class PermissionDenied extends ServerError {
  static override readonly advice: string =
    'log in as a user with a role that permits it, or let a user-admin grant one'
}
/** There is no user of this name. */
export class UserNotFound extends ServerError {}
/** There is a user of this name already. */
export class UserExists extends ServerError {}
/** There is no role of this name, or it is a predefined one, which cannot be changed. */
export class RoleNotFound extends ServerError {}
/** There is a role of this name already. */
export class RoleExists extends ServerError {}
/** The cluster has no such namespace. */
export class NamespaceNotFound extends ServerError {}
/** The transaction is over, cannot have this call, or was refused by the server. */
export class TransactionError extends SpikewireError {}
/** Another transaction has written the record and is not over yet: abort, pause and retry. */
export class RecordLocked extends TransactionError {
  static override readonly advice: string =
    'abort the transaction and try again after a pause; client.runInTransaction does that'
}
/** The record changed after this transaction had read it: abort and retry. */
export class RecordChanged extends TransactionError {
  static override readonly advice: string =
    'abort the transaction and try again; client.runInTransaction does that'
}
/** The transaction's time is over; its writes are dropped unless it was committed. */
export class TransactionExpired extends TransactionError {
  static override readonly advice: string =
    'give it a longer timeout, of at most 120 seconds, or do less in it'
}
/** The transaction could not be committed. `inDoubt`: it may be committed nevertheless. */
export class CommitFailed extends TransactionError {
  /**
   * What failed: `'verify'`, because records that were read have changed or could not be checked;
   * or `'mark'`, the step from which on a transaction is committed.
   */
  part: 'verify' | 'mark' | '' = ''
  /** For `'verify'`: the errors of the records that stand in the way, each with its `key`. */
  records: readonly SpikewireError[] = []
}
/** The total timeout of the call expired, or the server's own did. */
export class Timeout extends SpikewireError {}
/** No connection could be opened, or it was lost during the call. */
export class ConnectionFailed extends SpikewireError {}
/** No node that could serve the record is reachable, or the node's circuit breaker is open. */
export class NodeUnavailable extends SpikewireError {}
/**
 * The call needs something that a node's server version or edition does not have, or, for a batch or
 * a query, that of any node. It was not sent. The message names both.
 */
export class FeatureUnavailable extends SpikewireError {}
/** A limit of this client was reached; the message names it. */
export class TooBusy extends SpikewireError {}
/**
 * A node has more to do than it can: given what waits for it already, the call would not be answered
 * within its `timeout`. It was not sent.
 */
export class Overloaded extends TooBusy {
  static override readonly advice: string =
    "slow down, give the call a longer timeout, or send it with { priority: 'background' }"
}
/** The node sent bytes that are not valid in this protocol. */
export class ProtocolError extends SpikewireError {}
/**
 * The program took no record of a query for longer than `socketTimeout`, and a node closed the
 * connection. Resume at `cursor`.
 */
export class QueryPaused extends SpikewireError {
  static override readonly advice: string =
    'resume with query({ resume: error.cursor }), or give the query a longer socketTimeout'
  /** Pass it as `resume` to a query with the same options. */
  cursor: Buffer = Buffer.alloc(0)
}
/** The query is closed; its `cursor` says where it ended. */
export class QueryClosed extends SpikewireError {}
/** The client is closed. */
export class ClientClosed extends SpikewireError {}
