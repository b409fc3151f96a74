/** Operators of conditions and assignments. */

import { ArgumentError } from '../errors.js'

/** A condition other than equality. */
export class QueryOperator {
  /** The operator as CQL. */
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: a value of a program
  readonly value: any
  /** Whether it consists of two conditions. */
  readonly hasChildValues: boolean
  readonly isInOperator: boolean

  constructor(key: string, value: unknown, hasChildValues = false, isInOperator = false) {
    this.key = key
    this.value = value
    this.hasChildValues = hasChildValues
    this.isInOperator = isInOperator
  }
}

/** An assignment that depends on what a column has. */
export class QueryAssignment {
  readonly sign: '+' | '-'
  // biome-ignore lint/suspicious/noExplicitAny: a value of a program
  readonly value: any
  /** Whether the value comes before the column. */
  readonly inverted: boolean

  constructor(sign: '+' | '-', value: unknown, inverted = false) {
    this.sign = sign
    this.value = value
    this.inverted = inverted
  }
}

/** Operators of conditions and assignments. */
export const q = {
  /** One of these values. */
  in_(values: unknown[]): QueryOperator {
    if (!Array.isArray(values)) throw new ArgumentError('the values of in_ must be an array')
    return new QueryOperator('IN', values, false, true)
  },
  gt: (value: unknown): QueryOperator => new QueryOperator('>', value),
  gte: (value: unknown): QueryOperator => new QueryOperator('>=', value),
  lt: (value: unknown): QueryOperator => new QueryOperator('<', value),
  lte: (value: unknown): QueryOperator => new QueryOperator('<=', value),
  notEq: (value: unknown): QueryOperator => new QueryOperator('!=', value),
  /** Both conditions on a column. */
  and: (one: unknown, two: unknown): QueryOperator => new QueryOperator('AND', [one, two], true),
  /** Adds to a counter. */
  incr: (value: unknown): QueryAssignment => new QueryAssignment('+', value),
  decr: (value: unknown): QueryAssignment => new QueryAssignment('-', value),
  /** Adds to the end of a list, or to a set or map. */
  append: (value: unknown): QueryAssignment => new QueryAssignment('+', value),
  prepend: (value: unknown): QueryAssignment => new QueryAssignment('+', value, true),
  remove: (value: unknown): QueryAssignment => new QueryAssignment('-', value),
}
