/** What the other driver has for DataStax Enterprise: names that say so when they are used. */

import { NotSupportedError } from './errors.js'

const WHY = 'it is a feature of DataStax Enterprise, not of Cassandra'

/** A class that cannot be used. */
function absent(name: string, why = WHY): new (...rest: unknown[]) => object {
  const reject = (): never => {
    throw new NotSupportedError(`${name} is not supported: ${why}`)
  }
  const kind = class {
    constructor() {
      reject()
    }
    static fromBuffer = reject
    static fromString = reject
    static toBuffer = reject
  }
  Object.defineProperty(kind, 'name', { value: name })
  return kind
}

/** What encodes values in the other driver; it cannot be used. */
export const Encoder: new (...rest: unknown[]) => object = absent(
  'Encoder',
  'values are encoded by the engine',
)

/** Classes of geometries; none can be used. */
export const geometry: { readonly [name: string]: new (...rest: unknown[]) => object } = {
  Point: absent('Point'),
  LineString: absent('LineString'),
  Polygon: absent('Polygon'),
  Geometry: absent('Geometry'),
}

/** A function that cannot be used. */
function absentFunction(name: string): () => never {
  const reject = (): never => {
    throw new NotSupportedError(`${name}() is not supported: ${WHY}`)
  }
  Object.defineProperty(reject, 'name', { value: name })
  return reject
}

/** Names of graph traversals, which are objects with a text. */
function names(texts: { readonly [name: string]: string }): { readonly [name: string]: object } {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { toString: () => text }]),
  )
}

/** Features of DataStax Enterprise; none can be used. */
export const datastax: {
  readonly graph: { readonly [name: string]: unknown }
  readonly search: { readonly [name: string]: unknown }
  readonly DateRange: unknown
} = {
  graph: {
    ...Object.fromEntries(
      [
        ...['GraphResultSet', 'Edge', 'Element', 'Path', 'Property', 'Vertex', 'VertexProperty'],
        ...['GraphTypeWrapper', 'UdtGraphWrapper'],
      ].map((name) => [name, absent(name)]),
    ),
    ...Object.fromEntries(
      [...['asInt', 'asFloat', 'asDouble', 'asTimestamp', 'asUdt'], 'getCustomTypeSerializers'].map(
        (name) => [name, absentFunction(name)],
      ),
    ),
    t: names({ id: 'id', key: 'key', label: 'label', value: 'value' }),
    direction: names({ both: 'BOTH', in: 'IN', out: 'OUT', in_: 'IN' }),
  },
  search: { DateRange: absent('DateRange'), DateRangeBound: absent('DateRangeBound') },
  DateRange: absent('DateRange'),
}
