/** Expressions that the server evaluates. */

/** An expression; made by the functions of `exp`. */
export class Expression {
  /** @internal */
  readonly encoded: Uint8Array

  /** @internal */
  constructor(encoded: Uint8Array) {
    this.encoded = encoded
  }
}
