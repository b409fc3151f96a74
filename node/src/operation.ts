/** Operations on the bins of a record. */

/** One step of `operate`; made by the functions of `op`. */
export class Operation {
  /** @internal */
  readonly encoded: Uint8Array

  /** @internal */
  constructor(encoded: Uint8Array) {
    this.encoded = encoded
  }
}
