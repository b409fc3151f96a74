/** The connection of a client or session to its cluster, shared with datasets. */

import type { Handle, Slot } from '../addon/native.js'
import { executor, openSlot } from './slots.js'

/** A kind of connection: to Aerospike or to Cassandra. */
export interface ConnectionKind {
  /** The name in the warning about a connection that was not closed. */
  readonly name: string
  /** Tells the native part to close it. */
  close(handle: Handle, slot: Slot): void
  /** The error of calls after it was closed. */
  closed(): Error
  /** Releases one that became unreachable, without a warning; by default it is closed. */
  forget?(handle: Handle): void
}

/** Closes connections that became unreachable without having been closed. */
const forgotten = new FinalizationRegistry(([kind, handle]: [ConnectionKind, Handle]) => {
  if (kind.forget !== undefined) return kind.forget(handle)
  process.emitWarning(`a ${kind.name} was not closed: call close() or use \`await using\``)
  void new Promise<void>(executor)
  kind.close(handle, openSlot())
})

/** The connection of a client or session to its cluster. */
export class Connection {
  /** @internal The number of the client; an invalid number once it is closed. */
  handle: Handle
  readonly #kind: ConnectionKind
  #closing: Promise<void> | undefined

  constructor(handle: Handle, kind: ConnectionKind) {
    this.handle = handle
    this.#kind = kind
    forgotten.register(this, [kind, handle], this)
  }

  /** Whether commands can be sent. */
  get isOpen(): boolean {
    return this.#closing === undefined
  }

  /** Throws if it is closed. */
  check(): void {
    if (!this.isOpen) throw this.#kind.closed()
  }

  /** Closes it; closing again returns the same promise. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      const closed = new Promise<void>(executor)
      const slot = openSlot()
      const handle = this.handle
      this.#closing = closed
      this.handle = CLOSED
      forgotten.unregister(this)
      this.#kind.close(handle, slot)
    }
    return this.#closing
  }
}

/** A number that no client has. */
const CLOSED = 0xffff_ffff
