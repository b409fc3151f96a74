/** Mappers: the models of a program. */

import { ArgumentError } from '../errors.js'
import { type MappedClient, MappingHandler } from './handler.js'
import { type MappingOptions, ModelMappingInfo } from './model-info.js'
import { ModelBatchItem, ModelMapper } from './model-mapper.js'
import { batchOptions, type MappingExecutionOptions } from './properties.js'
import { Result, rowsAdapter } from './result.js'

/** The models of a program. */
export class Mapper {
  readonly client: MappedClient
  readonly #models: Map<string, ModelMappingInfo>
  readonly #mappers = new Map<string, ModelMapper>()

  /** @throws Error for models without a keyspace, TypeError for other invalid options */
  constructor(client: MappedClient, options?: MappingOptions | null) {
    if (!client) throw new Error('a client is required')
    this.client = client
    this.#models = ModelMappingInfo.parse(options, client.keyspace)
  }

  /** Reads and writes the documents of a model. */
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's default
  forModel<T = any>(name: string): ModelMapper<T> {
    const known = this.#mappers.get(name)
    if (known !== undefined) return known
    const { keyspace } = this.client
    let info = this.#models.get(name)
    if (info === undefined) {
      if (!keyspace) {
        throw new Error(
          `there is no model '${name}', and no default for it without a keyspace of the client`,
        )
      }
      info = ModelMappingInfo.createDefault(name, keyspace)
      const where = `Keyspace: ${keyspace}; Table: ${name}.`
      this.client.log('info', `There is no model '${name}': it is the table of that name. ${where}`)
    } else {
      const tables = info.tables.map((table) => table.name)
      const where = `Keyspace: ${info.keyspace}; Table${tables.length > 1 ? 's' : ''}: ${tables}.`
      this.client.log('info', `Model '${name}'. ${where}`)
    }
    const mapper = new ModelMapper<T>(name, new MappingHandler(this.client, info))
    this.#mappers.set(name, mapper)
    return mapper
  }

  /**
   * Executes changes of models in one request.
   *
   * @throws ArgumentError without items, Error for those that are not of `batching`
   */
  async batch(
    items: readonly ModelBatchItem[],
    executionOptions?: MappingExecutionOptions | null,
  ): Promise<Result> {
    if (!Array.isArray(items) || items.length === 0) {
      throw new ArgumentError('items must be an array of at least one ModelBatchItem')
    }
    const queries: { query: string; params: unknown[] }[] = []
    let [isIdempotent, isCounter] = [true, false]
    for (const item of items as ModelBatchItem[]) {
      if (!(item instanceof ModelBatchItem)) {
        throw new Error(
          'items of a batch must be of ModelBatchItem: modelMapper.batching makes them',
        )
      }
      const about = await item.pushQueries(queries)
      isIdempotent = isIdempotent && about.isIdempotent
      isCounter = about.isCounter
    }
    const options = batchOptions(executionOptions, isIdempotent, isCounter)
    const result = await this.client.batch(queries as never, options as never)
    const info = (items[0] as ModelBatchItem).getMappingInfo()
    return new Result(result, info, rowsAdapter(result))
  }
}
