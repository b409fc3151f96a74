/** A client's connection to its cluster, which its datasets share. */

import { ClientClosed } from './errors.js'
import { type Handle, native, type Slot } from './native.js'
import { executor, openSlot } from './slots.js'

/** What has a connection. */
export interface ConnectionKind {
  /** For the warning that it was not closed. */
  readonly name: string
  /** Lets the native part close it. */
  close(handle: Handle, slot: Slot): void
  /** The error of a call on one that is closed. */
  closed(): Error
}

const CLIENT: ConnectionKind = {
  name: 'Spikewire client',
  close: (handle, slot) => native.close(handle, slot),
  closed: () => new ClientClosed('the client is closed', -5),
}

/** Closes what no program can close any more. */
const forgotten = new FinalizationRegistry(([kind, handle]: [ConnectionKind, Handle]) => {
  process.emitWarning(`a ${kind.name} was not closed: call close() or use \`await using\``)
  void new Promise<void>(executor)
  kind.close(handle, openSlot())
})

/** A client's connection to its cluster. */
export class Connection {
  /** @internal The number of the client; one that no client has once it is closed. */
  handle: Handle
  readonly #kind: ConnectionKind
  #closing: Promise<void> | undefined

  constructor(handle: Handle, kind: ConnectionKind = CLIENT) {
    this.handle = handle
    this.#kind = kind
    forgotten.register(this, [kind, handle], this)
  }

  /** Whether commands can be sent. */
  get isOpen(): boolean {
    return this.#closing === undefined
  }

  /** Throws when it is closed. */
  check(): void {
    if (!this.isOpen) throw this.#kind.closed()
  }

  /** Closes it; closing again waits for the same end. */
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
