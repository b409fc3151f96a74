/** Executes the statements of a model; each is promise once per shape of documents. */

import type { ResultSet } from '../result-set.js'
import { type Generated, insert, remove, select, update } from './generated.js'
import type { ModelMappingInfo } from './model-info.js'
import {
  type Doc,
  type DocInfo,
  type MappingExecutionOptions,
  orderOf,
  pagedOptions,
  propertiesOf,
  shapeOf,
  singleOptions,
  writtenOf,
} from './properties.js'
import { Result, rowsAdapter } from './result.js'
import {
  type TableSource,
  tableForSelect,
  tablesForInsert,
  tablesForRemove,
  tablesForUpdate,
} from './table-choice.js'

/** A client, as far as mappers need it. */
export interface MappedClient extends TableSource {
  readonly keyspace: string | undefined
  connect(): Promise<void>
  log(type: string, message: string): void
  execute(query: string, params: never, options: never): Promise<ResultSet>
  batch(queries: never, options: never): Promise<ResultSet>
}

/** What changes documents. */
export type Change = 'insert' | 'update' | 'remove'

/** Executes a statement with a document of the same shape. */
export type Executor<T> = (
  doc: Doc | null,
  docInfo: DocInfo | null,
  options?: MappingExecutionOptions | null,
) => Promise<Result<T>>

/** From how many shapes on a warning is logged. */
const MANY = 100

/** The statements of a model. */
export class MappingHandler {
  readonly info: ModelMappingInfo
  readonly #client: MappedClient
  readonly #statements = new Map<string, Promise<Generated[]>>()
  readonly #queries = new Set<string>()

  constructor(client: MappedClient, info: ModelMappingInfo) {
    this.#client = client
    this.info = info
  }

  /** The statements for a shape, promise once. */
  #cached(shape: string, make: () => Promise<Generated[]>): Promise<Generated[]> {
    const known = this.#statements.get(shape)
    if (known !== undefined) return known
    const promise = make()
    promise.catch(() => this.#statements.delete(shape))
    this.#statements.set(shape, promise)
    if (this.#statements.size === MANY) {
      this.#client.log(
        'warning',
        `There are ${MANY} kinds of documents of a model. Let them have the same properties, with ` +
          'undefined or types.unset for values to leave',
      )
    }
    return promise
  }

  /** Reads documents by conditions. */
  async getSelectExecutor<T>(
    doc: Doc,
    docInfo: DocInfo | null,
    withAllKeys: boolean,
  ): Promise<Executor<T>> {
    checkDoc(doc)
    const { info } = this
    const make = async () => {
      const where = propertiesOf(Object.keys(doc), doc, info)
      const fields = propertiesOf(docInfo?.fields ?? [], doc, info)
      const order = orderOf(docInfo, info)
      await this.#client.connect()
      const table = await tableForSelect(this.#client, info, withAllKeys, where, fields, order)
      return [select(table, info, where, fields, order, docInfo)]
    }
    return this.#reader(await this.#cached(`get${withAllKeys}${shapeOf(doc, docInfo)}`, make))
  }

  /** Reads all documents. */
  getSelectAllExecutor<T>(docInfo: DocInfo | null): Executor<T> {
    const { info } = this
    const fields = propertiesOf(docInfo?.fields ?? [], {}, info)
    const table = info.tables[0]?.name ?? ''
    return this.#reader([select(table, info, [], fields, orderOf(docInfo, info), docInfo)])
  }

  #reader<T>([statement]: readonly Generated[]): Executor<T> {
    const { query, params } = statement as Generated
    return async (doc, docInfo, options) => {
      const values = params(doc, docInfo)
      const result = await this.#execute(query, values, pagedOptions(options, true))
      if (!result.columns) throw new Error('the statement has no rows')
      return new Result(result, this.info, rowsAdapter<T>(result))
    }
  }

  #execute(query: string, params: unknown[], options: object): Promise<ResultSet> {
    return this.#client.execute(query, params as never, options as never)
  }

  /** The statements of a change, one per table. */
  statements(change: Change, doc: Doc, docInfo: DocInfo | null): Promise<Generated[]> {
    return this.#cached(change + shapeOf(doc, docInfo), () => this.#generate(change, doc, docInfo))
  }

  async #generate(change: Change, doc: Doc, docInfo: DocInfo | null): Promise<Generated[]> {
    const { info } = this
    const client = this.#client
    const written = writtenOf(doc, docInfo, info)
    const conditions = docInfo?.when ?? {}
    const when = propertiesOf(Object.keys(conditions), conditions, info)
    if (change !== 'insert' && when.length > 0 && docInfo?.ifExists) {
      throw new Error('when and ifExists exclude each other')
    }
    await client.connect()
    if (change === 'insert') {
      const tables = await tablesForInsert(client, info, written)
      oneTable(tables, docInfo?.ifNotExists, 'ifNotExists')
      return tables.map((table) => insert(table, info, written, docInfo))
    }
    const isConditional = when.length > 0 || docInfo?.ifExists
    if (change === 'update') {
      const tables = await tablesForUpdate(client, info, written, when)
      oneTable(tables, isConditional, 'when or ifExists')
      return tables.map((table) => update(table, info, written, docInfo, when))
    }
    const tables = await tablesForRemove(client, info, written, when)
    oneTable(tables, isConditional, 'when or ifExists')
    return tables.map((table) => remove(table, info, written, docInfo, when))
  }

  async #change<T>(change: Change, doc: Doc, docInfo: DocInfo | null): Promise<Executor<T>> {
    checkDoc(doc)
    const statements = await this.statements(change, doc, docInfo)
    const isIdempotent = statements.every((it) => it.isIdempotent)
    return async (values, about, options) => {
      const settings = singleOptions(options, isIdempotent)
      const [first] = statements as [Generated]
      const result =
        statements.length === 1
          ? await this.#execute(first.query, first.params(values, about), settings)
          : await this.#client.batch(
              statements.map((it) => ({
                query: it.query,
                params: it.params(values, about),
              })) as never,
              settings as never,
            )
      return new Result(result, this.info, rowsAdapter<T>(result))
    }
  }

  getInsertExecutor<T>(doc: Doc, docInfo: DocInfo | null): Promise<Executor<T>> {
    return this.#change('insert', doc, docInfo)
  }

  getUpdateExecutor<T>(doc: Doc, docInfo: DocInfo | null): Promise<Executor<T>> {
    return this.#change('update', doc, docInfo)
  }

  getDeleteExecutor<T>(doc: Doc, docInfo: DocInfo | null): Promise<Executor<T>> {
    return this.#change('remove', doc, docInfo)
  }

  /** A statement of the program, whose rows become documents. */
  getExecutorFromQuery<T>(
    query: string,
    paramsHandler: (doc: Doc) => unknown[],
    common: MappingExecutionOptions | null | undefined,
  ): (doc: Doc, options?: MappingExecutionOptions | null) => Promise<Result<T>> {
    return async (doc, options) => {
      const result = await this.#execute(query, paramsHandler(doc), pagedOptions(common || options))
      this.#queries.add(query)
      if (this.#queries.size === MANY) {
        this.#queries.add('')
        this.#client.log(
          'warning',
          `mapWithQuery has had ${MANY} statements: pass values as parameters instead of ` +
            'writing them into statements',
        )
      }
      return new Result(result, this.info, rowsAdapter<T>(result))
    }
  }
}

function checkDoc(doc: Doc): void {
  if (Object.keys(doc).length === 0) throw new Error('the document has no properties')
}

function oneTable(tables: readonly unknown[], isConditional: unknown, what: string): void {
  if (tables.length > 1 && isConditional) {
    throw new Error(`${what} is not possible for a change of several tables`)
  }
}
