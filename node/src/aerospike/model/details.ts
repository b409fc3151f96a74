/** What servers say about failures beyond their result codes. */

/**
 * Where in an expression a failure happened. What the server did not say is `null`, or empty.
 */
export interface ErrorTrace {
  /** When it failed: while the server read the expression, or on a record. */
  readonly phase: 'build' | 'evaluation' | null
  /** Where the operation begins in the bytes of the compiled expression. */
  readonly offset: number | null
  /** The operation. */
  readonly op: string | null
  /** How many operations it is inside of. */
  readonly depth: number | null
  /** The operations from the outermost to this one; `'...'` for some of them. */
  readonly path: readonly string[]
  /** That part of the expression as text. */
  readonly snippet: string | null
  /** What the operation gave: it failed, it was false, or what it is about is not there. */
  readonly outcome: 'fault' | 'false' | 'absent' | null
  /** How the expression was sent: compiled, or as text. */
  readonly language: 'msgpack' | 'ael'
  /** Where the operation begins in an expression sent as text, in bytes. */
  readonly textOffset: number | null
  /** How many bytes of that text it has. */
  readonly textLength: number | null
  /** The line of that text, from 1. */
  readonly line: number | null
  /** The column in that line, from 1. */
  readonly column: number | null
  /** What the operation was about, as text. */
  readonly operands: readonly string[]
}

/**
 * What a server said about a failure beyond its result code: see the option `errorDetails`. What it
 * did not say is `null`.
 */
export interface ErrorDetails {
  /** A number that means something together with the `code` of the error only. */
  readonly subcode: number | null
  /** What that number is called; `null` for one that is not known. */
  readonly subcodeName: string | null
  /** The server's message. Its text may differ from server to server. */
  readonly message: string | null
  /** Where in an expression it happened. */
  readonly trace: ErrorTrace | null
}
