/** Numbers that are stored as floats. */

/** A number that is stored as a float even if it is whole. */
export interface Double {
  /** The number. */
  Double: number
  /** The number. */
  value(): number
}

interface DoubleConstructor {
  /**
   * @param value - A number, or its text.
   * @throws TypeError for anything else
   */
  new (value: number | string): Double
  readonly prototype: Double
}

function construct(this: Double, value: unknown): void {
  if (new.target === undefined) {
    throw new Error('Invalid use of Double constructor: write `new Double(...)`')
  }
  this.Double = Number.parseFloat(String(value))
  if (Number.isNaN(this.Double)) throw new TypeError(`a Double must be a number, not ${value}`)
}

construct.prototype.value = function (this: Double): number {
  return this.Double
}
Object.defineProperty(construct, 'name', { value: 'Double' })

export const Double = construct as unknown as DoubleConstructor
