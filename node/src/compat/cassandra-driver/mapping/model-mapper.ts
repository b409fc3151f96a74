/** Models: documents of tables. */

import type { Change, MappingHandler } from './handler.js'
import type { ModelMappingInfo } from './model-info.js'
import type { Doc, DocInfo, MappingExecutionOptions } from './properties.js'
import type { Result } from './result.js'

/** A change that is one of a batch; see `mapper.batch`. */
export class ModelBatchItem {
  readonly #change: Change
  readonly #doc: Doc
  readonly #docInfo: DocInfo | null
  readonly #handler: MappingHandler

  /** @internal */
  constructor(change: Change, doc: Doc, docInfo: DocInfo | null, handler: MappingHandler) {
    this.#change = change
    this.#doc = doc
    this.#docInfo = docInfo
    this.#handler = handler
  }

  /** @internal Adds its statements; returns whether they are idempotent, and of counters. */
  async pushQueries(
    into: { query: string; params: unknown[] }[],
  ): Promise<{ isIdempotent: boolean; isCounter: boolean }> {
    const all = await this.#handler.statements(this.#change, this.#doc, this.#docInfo)
    for (const it of all) {
      into.push({ query: it.query, params: it.params(this.#doc, this.#docInfo) })
    }
    return {
      isIdempotent: all.every((it) => it.isIdempotent),
      isCounter: all.at(-1)?.isCounter ?? false,
    }
  }

  /** @internal */
  getMappingInfo(): ModelMappingInfo {
    return this.#handler.info
  }
}

/** Makes the changes of batches. */
export class ModelBatchMapper {
  readonly #handler: MappingHandler

  /** @internal */
  constructor(handler: MappingHandler) {
    this.#handler = handler
  }

  insert(doc: Doc, docInfo?: DocInfo | null): ModelBatchItem {
    return new ModelBatchItem('insert', doc, docInfo ?? null, this.#handler)
  }

  update(doc: Doc, docInfo?: DocInfo | null): ModelBatchItem {
    return new ModelBatchItem('update', doc, docInfo ?? null, this.#handler)
  }

  remove(doc: Doc, docInfo?: DocInfo | null): ModelBatchItem {
    return new ModelBatchItem('remove', doc, docInfo ?? null, this.#handler)
  }
}

type Options = MappingExecutionOptions | null | undefined
type Info = DocInfo | string | null | undefined

/** Options may take the place of `docInfo`, as the name of a profile. */
function apart(docInfo: Info, options: Options): [DocInfo | null, Options] {
  if (typeof docInfo === 'string') return [null, options ?? docInfo]
  return [docInfo as DocInfo | null, options]
}

/** Reads and writes the documents of a model; from `mapper.forModel`. */
// biome-ignore lint/suspicious/noExplicitAny: the other driver's default
export class ModelMapper<T = any> {
  readonly name: string
  /** Makes the changes of batches. */
  readonly batching: ModelBatchMapper
  readonly #handler: MappingHandler

  /** @internal */
  constructor(name: string, handler: MappingHandler) {
    this.name = name
    this.#handler = handler
    this.batching = new ModelBatchMapper(handler)
  }

  /** The document with this primary key, or `null`. */
  async get(
    doc: Doc,
    docInfo?: { fields?: readonly string[] } | string | null,
    executionOptions?: MappingExecutionOptions | null,
  ): Promise<T | null> {
    const [info, options] = apart(docInfo as Info, executionOptions)
    const execute = await this.#handler.getSelectExecutor<T>(doc, info, true)
    return (await execute(doc, info, options)).first()
  }

  /** The documents with these values, or conditions (`q`), of key columns. */
  async find(
    doc: Doc,
    docInfo?: DocInfo | string | null,
    executionOptions?: MappingExecutionOptions | null,
  ): Promise<Result<T>> {
    const [info, options] = apart(docInfo, executionOptions)
    const execute = await this.#handler.getSelectExecutor<T>(doc, info, false)
    return execute(doc, info, options)
  }

  /** All documents, page by page. */
  async findAll(
    docInfo?: DocInfo | string | null,
    executionOptions?: MappingExecutionOptions | null,
  ): Promise<Result<T>> {
    const [info, options] = apart(docInfo, executionOptions)
    return this.#handler.getSelectAllExecutor<T>(info)(null, info, options)
  }

  /** Inserts a document, into all tables of the model that have its key. */
  async insert(
    doc: Doc,
    docInfo?: DocInfo | string | null,
    executionOptions?: MappingExecutionOptions | null,
  ): Promise<Result<T>> {
    const [info, options] = apart(docInfo, executionOptions)
    const execute = await this.#handler.getInsertExecutor<T>(doc, info)
    return execute(doc, info, options)
  }

  /** Updates a document, in all tables of the model that have its key. */
  async update(
    doc: Doc,
    docInfo?: DocInfo | string | null,
    executionOptions?: MappingExecutionOptions | null,
  ): Promise<Result<T>> {
    const [info, options] = apart(docInfo, executionOptions)
    const execute = await this.#handler.getUpdateExecutor<T>(doc, info)
    return execute(doc, info, options)
  }

  /** Removes a document, from all tables of the model that have its key. */
  async remove(
    doc: Doc,
    docInfo?: DocInfo | string | null,
    executionOptions?: MappingExecutionOptions | null,
  ): Promise<Result<T>> {
    const [info, options] = apart(docInfo, executionOptions)
    const execute = await this.#handler.getDeleteExecutor<T>(doc, info)
    return execute(doc, info, options)
  }

  /** A function that executes a statement and makes documents of its rows. */
  mapWithQuery(
    query: string,
    paramsHandler: (doc: Doc) => unknown[],
    executionOptions?: MappingExecutionOptions | null,
  ): (doc: Doc, executionOptions?: MappingExecutionOptions | null) => Promise<Result<T>> {
    return this.#handler.getExecutorFromQuery<T>(query, paramsHandler, executionOptions)
  }
}
