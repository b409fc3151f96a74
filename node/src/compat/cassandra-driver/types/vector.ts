/** Vectors. */

/** All of them, since every `Float32Array` is an instance as well. */
const vectors = new WeakSet<object>()

/** A `vector`: its elements are also its properties `0`, `1`, and so on. */
export class Vector {
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  readonly elements: any[]
  readonly length: number
  readonly subtype: string | null | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  [index: number]: any

  /**
   * @param elements - at least one
   * @param subtype - the type of the elements, as CQL
   * @throws TypeError without elements, or if they are no array
   */
  constructor(elements: Float32Array | readonly unknown[], subtype?: string | null) {
    if (elements instanceof Float32Array) this.elements = Array.from(elements)
    else if (Array.isArray(elements)) this.elements = elements
    else throw new TypeError('the elements of a vector must be a Float32Array or an array')
    if (this.elements.length === 0) throw new TypeError('a vector must have at least one element')
    this.length = this.elements.length
    this.subtype = subtype
    const proxy = new Proxy(this, BY_INDEX)
    vectors.add(proxy)
    // biome-ignore lint/correctness/noConstructorReturn: elements are properties of the proxy
    return proxy
  }

  static get [Symbol.species](): typeof Vector {
    return Vector
  }

  /** A `Float32Array` counts as one, too. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Float32Array || vectors.has(value as object)
  }

  toString(): string {
    return `[${this.elements.toString()}]`
  }

  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  at(index: number): any {
    return this.elements[index]
  }

  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  [Symbol.iterator](): IterableIterator<any> {
    return this.elements[Symbol.iterator]()
  }

  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  forEach(callback: (value: any, index: number, array: any[]) => void): void {
    this.elements.forEach(callback)
  }

  getSubtype(): string | null | undefined {
    return this.subtype
  }
}

const isIndex = (key: string | symbol): key is string =>
  typeof key === 'string' && /^(?:0|[1-9]\d*)$/.test(key)

const BY_INDEX: ProxyHandler<Vector> = {
  get: (vector, key) =>
    isIndex(key) ? vector.elements[Number(key)] : Reflect.get(vector, key, vector),
  set: (vector, key, value) => {
    if (!isIndex(key)) return Reflect.set(vector, key, value, vector)
    vector.elements[Number(key)] = value
    return true
  },
  // What is enumerated are the elements and their number, as in the other driver.
  ownKeys: (vector) => [...vector.elements.keys()].map(String).concat('length'),
  getOwnPropertyDescriptor: (vector, key) =>
    isIndex(key) && Number(key) < vector.length
      ? {
          value: vector.elements[Number(key)],
          enumerable: true,
          configurable: true,
          writable: true,
        }
      : Reflect.getOwnPropertyDescriptor(vector, key),
  has: (vector, key) => (isIndex(key) ? Number(key) < vector.length : Reflect.has(vector, key)),
}
