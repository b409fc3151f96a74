/** Options of `client.dataset`. */

import { Codec, type CodecOptions } from '../codec/codec.js'
import { Conversion } from './conversion.js'
import { Schema } from './schema.js'
import type { RecordSchema } from './schemas.js'

/** Options of a dataset. */
export interface DatasetOptions {
  /** What its records look like. Default: anything. */
  schema?: RecordSchema | undefined
  /** The bins that reads without `bins` read. Default: those of the schema, if it has no others. */
  bins?: readonly string[] | undefined
  /** Forms of classes and bins of this dataset, before those of the client. Default: the client's. */
  codec?: Codec | CodecOptions | undefined
}

/** Options of a dataset with a schema, which determines the types of its records. */
export interface TypedOptions<S extends RecordSchema> extends DatasetOptions {
  schema: S
}

const KNOWN = ['schema', 'bins', 'codec']

/** Compiled schemas, because datasets are often created anew. */
const schemas = new WeakMap<object, Schema>()

/** What a dataset of a client converts. Throws for invalid options. */
export function conversionOf(
  client: Conversion | undefined,
  options: DatasetOptions | undefined,
): Conversion | undefined {
  if (options === undefined || options === null) return client
  if (typeof options !== 'object') {
    throw new TypeError(`options must be an object, not ${typeof options}`)
  }
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`unknown option ${unknown}; there are: ${KNOWN.join(', ')}`)
  }
  const { schema, bins, codec } = options
  if (bins !== undefined && !(Array.isArray(bins) && bins.every((it) => typeof it === 'string'))) {
    throw new TypeError('bins must be an array of bin names')
  }
  const known = schema === undefined ? undefined : compiled(schema)
  return Conversion.of(Codec.both(client?.codec, Codec.of(codec)), known, bins)
}

function compiled(schema: RecordSchema): Schema {
  const isKey = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  const known = isKey ? schemas.get(schema) : undefined
  if (known !== undefined) return known
  const added = new Schema(schema)
  schemas.set(schema, added)
  return added
}
