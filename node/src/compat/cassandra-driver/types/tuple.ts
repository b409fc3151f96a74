/** Tuples. */

/** A `tuple`. */
export class Tuple {
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  readonly elements: any[]
  readonly length: number

  /** @throws TypeError without elements */
  constructor(...elements: unknown[]) {
    if (elements.length === 0) throw new TypeError('a tuple must have at least one element')
    this.elements = elements
    this.length = elements.length
  }

  static fromArray(elements: readonly unknown[]): Tuple {
    return new Tuple(...elements)
  }

  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  get(index = 0): any {
    return this.elements[index]
  }

  toString(): string {
    return `(${this.elements.map(String).join(',')})`
  }

  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  toJSON(): any[] {
    return this.elements
  }

  /** The elements, as a new array. */
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  values(): any[] {
    return [...this.elements]
  }
}
