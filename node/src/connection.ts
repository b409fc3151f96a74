/** A client's connection to its cluster, which its datasets share. */

import { ClientClosed } from './errors.js'
import { type Handle, native } from './native.js'
import { executor, openSlot } from './slots.js'

/** Closes what no program can close any more. */
const forgotten = new FinalizationRegistry((handle: Handle) => {
  process.emitWarning('a Spikewire client was not closed: call close() or use `await using`')
  void new Promise<void>(executor)
  native.close(handle, openSlot())
})

/** A client's connection to its cluster. */
export class Connection {
  /** @internal The number of the client; one that no client has once it is closed. */
  handle: Handle
  #closing: Promise<void> | undefined

  constructor(handle: Handle) {
    this.handle = handle
    forgotten.register(this, handle, this)
  }

  /** Whether commands can be sent. */
  get isOpen(): boolean {
    return this.#closing === undefined
  }

  /** Throws when it is closed. */
  check(): void {
    if (!this.isOpen) throw new ClientClosed('the client is closed', -5)
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
      native.close(handle, slot)
    }
    return this.#closing
  }
}

/** A number that no client has. */
const CLOSED = 0xffff_ffff
