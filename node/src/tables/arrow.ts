/**
 * The memory of Arrow tables. They are read by their structure, so any version of `apache-arrow`
 * will do, and none is needed. The native half is `crates/spikewire-node/src/tables/parts.rs`.
 */

/**
 * A column: its name, type and length; the index of its first bit in bitmaps; its bitmap of rows that
 * have a value; its buffers; the columns inside of it.
 */
export type ColumnParts = [
  name: string,
  word: string,
  length: number,
  firstBit: number,
  valid: Uint8Array | undefined,
  buffers: Uint8Array[],
  inner: ColumnParts[],
]

/** Some rows of a table: their number, and columns. */
export type BatchParts = [rows: number, columns: ColumnParts[]]

/** The type of a column. */
interface ArrowType {
  readonly typeId: number
  readonly bitWidth?: number
  readonly isSigned?: boolean
  readonly precision?: number
  readonly scale?: number
  readonly unit?: number
  readonly byteWidth?: number
  readonly listSize?: number
  readonly children?: readonly { readonly name: string }[] | null
  readonly indices?: ArrowType
  toString(): string
}

/** The memory of a column. */
interface ArrowData {
  readonly type: ArrowType
  readonly length: number
  readonly offset: number
  readonly nullCount: number
  readonly nullBitmap?: Uint8Array
  readonly valueOffsets?: ArrayBufferView
  readonly values?: ArrayBufferView
  readonly children: readonly ArrowData[]
  readonly dictionary?: { readonly data: readonly ArrowData[] }
}

interface ArrowBatch {
  readonly schema: { readonly fields: readonly { readonly name: string }[] }
  readonly data: ArrowData
}

/** The batches of a table or of a record batch. */
export function batchParts(table: object): BatchParts[] {
  const { batches } = table as { batches?: readonly ArrowBatch[] }
  const all = batches ?? [table as ArrowBatch]
  return all.map(({ data, schema }) => {
    const columns = data.children.map((column, at) =>
      partsOf(schema.fields[at]?.name ?? String(at), column),
    )
    return [data.length, columns]
  })
}

const SECONDS = ['s', 'ms', 'us', 'ns']

/** Numbers of types, as Arrow for JavaScript has them. */
const TYPE = {
  DICTIONARY: -1,
  NULL: 1,
  INT: 2,
  FLOAT: 3,
  BINARY: 4,
  UTF8: 5,
  BOOL: 6,
  DECIMAL: 7,
  DATE: 8,
  TIME: 9,
  TIMESTAMP: 10,
  LIST: 12,
  STRUCT: 13,
  FIXED_BINARY: 15,
  FIXED_LIST: 16,
  MAP: 17,
  DURATION: 18,
  LARGE_BINARY: 19,
  LARGE_UTF8: 20,
} as const

function wordOf(type: ArrowType): string {
  const unit = SECONDS[type.unit ?? 0]
  switch (type.typeId) {
    case TYPE.DICTIONARY:
      return `dictionary:${wordOf(type.indices as ArrowType)}`
    case TYPE.NULL:
      return 'null'
    case TYPE.INT:
      return `${type.isSigned ? 'int' : 'uint'}${type.bitWidth}`
    case TYPE.FLOAT:
      return ['float16', 'float32', 'float64'][type.precision ?? 2] as string
    case TYPE.BINARY:
      return 'binary'
    case TYPE.UTF8:
      return 'utf8'
    case TYPE.BOOL:
      return 'bool'
    case TYPE.DECIMAL:
      return `decimal:${type.bitWidth ?? 128}:${type.precision}:${type.scale}`
    case TYPE.DATE:
      return type.unit === 0 ? 'date32' : 'date64'
    case TYPE.TIME:
      return `time${type.bitWidth}:${unit}`
    case TYPE.TIMESTAMP:
      return `timestamp:${unit}`
    case TYPE.LIST:
      return 'list'
    case TYPE.STRUCT:
      return 'struct'
    case TYPE.FIXED_BINARY:
      return `fixedBinary:${type.byteWidth}`
    case TYPE.FIXED_LIST:
      return `fixedList:${type.listSize}`
    case TYPE.MAP:
      return 'map'
    case TYPE.DURATION:
      return `duration:${unit}`
    case TYPE.LARGE_BINARY:
      return 'largeBinary'
    case TYPE.LARGE_UTF8:
      return 'largeUtf8'
    default:
      return String(type)
  }
}

function partsOf(name: string, data: ArrowData): ColumnParts {
  const { type, length, offset, nullCount, nullBitmap, dictionary } = data
  const word = wordOf(type)
  const isNull = type.typeId === TYPE.NULL
  // Data may not have counted its nulls yet, which it does when it is asked.
  const valid = !isNull && nullCount > 0 ? nullBitmap : undefined
  const names = type.children ?? []
  const inner =
    dictionary === undefined
      ? data.children.map((child, at) => partsOf(names[at]?.name ?? String(at), child))
      : [dictionaryParts(name, dictionary.data)]
  return [name, word, length, offset, valid, isNull ? [] : buffersOf(data), inner]
}

function dictionaryParts(name: string, data: readonly ArrowData[]): ColumnParts {
  const [first, ...others] = data
  if (first === undefined || others.length > 0) {
    throw new TypeError(`column ${name}: its dictionary came in parts; make one of them first`)
  }
  return partsOf(name, first)
}

/** The buffers of values, in the order of Arrow's format. */
function buffersOf({ type, valueOffsets, values }: ArrowData): Uint8Array[] {
  const buffers: Uint8Array[] = []
  const hasOffsets = [
    ...[TYPE.BINARY, TYPE.UTF8, TYPE.LIST, TYPE.MAP, TYPE.LARGE_BINARY, TYPE.LARGE_UTF8],
  ] as number[]
  if (hasOffsets.includes(type.typeId)) buffers.push(memory(valueOffsets))
  const nested = [TYPE.LIST, TYPE.MAP, TYPE.STRUCT, TYPE.FIXED_LIST] as number[]
  if (!nested.includes(type.typeId)) buffers.push(memory(values))
  return buffers
}

function memory(view: ArrayBufferView | undefined): Uint8Array {
  if (view === undefined) return new Uint8Array(0)
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength)
}
