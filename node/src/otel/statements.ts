/** The description of a Cassandra statement in spans: its operation, keyspace and table. */

import type { Attributes } from '@opentelemetry/api'
import { Bound, Prepared } from '../cql.js'
import type { Described } from './call.js'

const WORD = '[\\p{L}\\p{N}_]+'
const NAME = `("(?:[^"]|"")+"|${WORD})`
const TARGET = `(?:${NAME}\\s*\\.\\s*)?${NAME}`
const pattern = (text: string) => new RegExp(text, 'iu')

/** How to find the table of an operation. */
const TABLES: { readonly [operation: string]: RegExp } = {
  SELECT: pattern(`\\bFROM\\s+${TARGET}`),
  DELETE: pattern(`\\bFROM\\s+${TARGET}`),
  INSERT: pattern(`\\bINTO\\s+${TARGET}`),
  UPDATE: pattern(`\\bUPDATE\\s+${TARGET}`),
  TRUNCATE: pattern(`\\bTRUNCATE\\s+(?:TABLE\\s+)?${TARGET}`),
}
const SCHEMA = pattern(
  '^(?:CREATE|ALTER|DROP)\\s+(?:CUSTOM\\s+)?(TABLE|COLUMNFAMILY|KEYSPACE|TYPE)\\s+' +
    `(?:IF\\s+(?:NOT\\s+)?EXISTS\\s+)?${TARGET}`,
)
const USE = pattern(`^USE\\s+${NAME}`)
const BEFORE = /^(?:\s|--[^\n]*\n|\/\/[^\n]*\n|\/\*.*?\*\/)*/s
const FIRST = new RegExp(`^${WORD}`, 'u')
const STRING = /'(?:[^']|'')*'|\$\$.*?\$\$/gs

/** The summary of a statement. */
export interface Summary {
  readonly operation: string
  readonly keyspace: string
  readonly table: string
}

/** `SELECT shop.items`. */
function textOf({ operation, keyspace, table }: Summary): string {
  const target = [keyspace, table].filter((name) => name !== '').join('.')
  return `${operation} ${target}`.trimEnd()
}

const summaries = new Map<string, Summary>()
/** The maximum number of texts whose summaries are kept. */
const MOST = 1024

/** The summary of a statement's text, as far as it parses. A CQL statement has one table. */
export function summary(text: string): Summary {
  const known = summaries.get(text)
  if (known !== undefined) return known
  const result = summarize(text)
  if (summaries.size >= MOST) {
    for (const oldest of summaries.keys()) {
      summaries.delete(oldest)
      break
    }
  }
  summaries.set(text, result)
  return result
}

function summarize(text: string): Summary {
  const rest = text.replace(STRING, "''").replace(BEFORE, '')
  const operation = (FIRST.exec(rest)?.[0] ?? '').toUpperCase()
  const schema = SCHEMA.exec(rest)
  if (schema !== null) {
    const kind = `${operation} ${schema[1]?.toUpperCase()}`
    const [keyspace, name] = [bare(schema[2]), bare(schema[3])]
    if (kind.endsWith('KEYSPACE')) return { operation: kind, keyspace: name, table: '' }
    return { operation: kind, keyspace, table: name }
  }
  const use = USE.exec(rest)
  if (use !== null) return { operation, keyspace: bare(use[1]), table: '' }
  const m = Object.hasOwn(TABLES, operation) ? TABLES[operation]?.exec(rest) : undefined
  return { operation, keyspace: bare(m?.[1]), table: bare(m?.[2]) }
}

/** A name in the server's spelling. */
function bare(name: string | undefined): string {
  if (name === undefined) return ''
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase()
}

/** Options that are attributes. */
const OPTIONS = {
  consistency: 'cassandra.consistency.level',
  pageSize: 'cassandra.page.size',
  idempotent: 'cassandra.query.idempotent',
} as const

/** What is traced of a call. */
export interface Statement {
  readonly verb: string
  /** The statement; `undefined` for a batch. */
  readonly statement: unknown
  /** Values, or rows of values, that are passed separately from the text. */
  readonly parameters?: unknown
  readonly options?: unknown
  /** The number of statements of a batch. */
  readonly length?: number
}

/** A call of a session with this keyspace. */
export function described(call: Statement, keyspace: string): Described {
  const { verb, statement, parameters } = call
  const attributes: Attributes = { 'db.system.name': 'cassandra' }
  const text = textOfStatement(statement)
  let short = call.length === undefined ? summary(text) : { ...NOTHING, operation: 'BATCH' }
  let size = call.length
  // Values must not be traced: text is only included if they are passed separately.
  const isApart = typeof parameters === 'object' && parameters !== null
  if (text && (verb === 'prepare' || isApart || typeof statement !== 'string')) {
    attributes['db.query.text'] = text
  }
  if (verb === 'executeMany') {
    size = Array.isArray(parameters) ? parameters.length : undefined
    if (size !== 1) short = { ...short, operation: `BATCH ${short.operation}` }
  } else if (verb === 'prepare') {
    short = { ...short, operation: 'PREPARE' }
  }
  const options = (call.options ?? {}) as { readonly [name: string]: unknown }
  const namespace = short.keyspace || String(options['keyspace'] ?? keyspace)
  attributes['db.operation.name'] = short.operation
  attributes['db.query.summary'] = textOf(short)
  if (namespace) attributes['db.namespace'] = namespace
  if (short.table) attributes['db.collection.name'] = short.table
  for (const [option, name] of Object.entries(OPTIONS)) {
    const value = options[option]
    if (value !== undefined && value !== null) attributes[name] = value as string
  }
  return { name: textOf(short) || verb, attributes, size }
}

const NOTHING: Summary = { operation: '', keyspace: '', table: '' }

function textOfStatement(statement: unknown): string {
  if (statement instanceof Bound) return statement.prepared.text
  if (statement instanceof Prepared) return statement.text
  return typeof statement === 'string' ? statement : ''
}
