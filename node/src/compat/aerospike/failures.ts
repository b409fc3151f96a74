/** Arguments that cannot be sent, with the code that the call fails with. */

/** The client rejects an argument. */
export const PARAMETER = -2
/** A node rejects a request that has it. */
export const INVALID_REQUEST = 4
/** A node rejects an operation on a list or map that has it. */
export const NOT_APPLICABLE = 26

/**
 * An operation, expression, context or filter that cannot be sent. The call that it is for fails with
 * an `AerospikeError` of this code.
 */
export class ArgumentFailure extends Error {
  /** `-2` if the client rejects it, `4` or `26` if a node would. */
  readonly code: number

  constructor(message: string, code: number = PARAMETER) {
    super(message)
    this.name = 'ArgumentFailure'
    this.code = code
  }
}

/**
 * What `make` returns. Errors of the engine about a value, a type or a range become failures: in the
 * other client, a node finds them, with this code.
 */
export function asArgument<T>(make: () => T, code: number = INVALID_REQUEST): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) {
      throw new ArgumentFailure(error.message, code)
    }
    throw error
  }
}
