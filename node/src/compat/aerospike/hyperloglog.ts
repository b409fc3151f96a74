/** Sketches. */

/** A HyperLogLog sketch. */
export class HyperLogLog {
  /** The sketch in the server's format. */
  buffer: Buffer

  constructor(buffer: Buffer) {
    if (!(buffer instanceof Uint8Array)) throw new TypeError('buffer must be a Buffer')
    this.buffer = buffer
  }
}
