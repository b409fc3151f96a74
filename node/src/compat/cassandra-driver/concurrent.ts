/** Many executions, a limited number of them at a time. */

import { type Readable, Stream } from 'node:stream'
import type { ResultSet } from './result-set.js'

/** Options of `executeConcurrent`. */
export interface Options {
  /** Whether results are kept, in `resultItems`. Default: false. */
  collectResults?: boolean | undefined
  /** How many executions are in flight. Default: 100. */
  concurrencyLevel?: number | undefined
  executionProfile?: string | undefined
  /** How many errors are kept. Default: 100. */
  maxErrors?: number | undefined
  /** Whether the first error ends it. Default: true. */
  raiseOnFirstError?: boolean | undefined
}

/** A client, as far as it is needed. */
interface Executes {
  execute(query: string, params: never, options: never): Promise<ResultSet>
}

/** What became of the executions. */
export class ResultSetGroup {
  totalExecuted = 0
  readonly errors: Error[] = []
  readonly #items: (ResultSet | Error)[] | undefined
  readonly #maxErrors: number

  constructor(options: Options) {
    this.#items = options.collectResults ? [] : undefined
    this.#maxErrors = options.maxErrors || 100
  }

  /** Results and errors in order. Throws Error without `collectResults`. */
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  get resultItems(): any[] {
    if (this.#items !== undefined) return this.#items
    throw new Error('Property resultItems is only there if collectResults is true')
  }

  setResultItem(index: number, result: ResultSet): void {
    this.totalExecuted++
    if (this.#items !== undefined) this.#items[index] = result
  }

  setError(index: number, error: Error): void {
    this.totalExecuted++
    if (this.errors.length < this.#maxErrors) this.errors.push(error)
    if (this.#items !== undefined) this.#items[index] = error
  }
}

type Item = { query: string; params: unknown }

/**
 * Executes a statement with each array of parameters, or many statements.
 *
 * @param parameters - an array of arrays, or a stream of them
 * @throws the first error, unless `raiseOnFirstError` is false
 */
export function executeConcurrent(
  client: Executes,
  query: string,
  parameters: unknown[][] | Readable,
  options?: Options,
): Promise<ResultSetGroup>
export function executeConcurrent(
  client: Executes,
  queries: { query: string; params?: unknown }[],
  options?: Options,
): Promise<ResultSetGroup>
export function executeConcurrent(
  client: Executes,
  query: string | { query: string; params?: unknown }[],
  parameters?: unknown[][] | Readable | Options,
  options?: Options,
): Promise<ResultSetGroup> {
  if (!client) throw new TypeError('a client is required')
  if (Array.isArray(query)) {
    return run(client, (query as Item[]).values(), (parameters as Options | undefined) ?? {})
  }
  if (typeof query !== 'string') {
    throw new TypeError('a statement, or an array of statements with parameters, is required')
  }
  if (Array.isArray(parameters)) {
    const items = parameters.map((params) => ({ query, params }))
    return run(client, items.values(), options ?? {})
  }
  if (!((parameters as object) instanceof Stream)) {
    throw new TypeError('parameters must be an array or a stream')
  }
  return runStream(client, query, parameters as Readable, options ?? {})
}

async function run(
  client: Executes,
  items: IterableIterator<Item>,
  options: Options,
): Promise<ResultSetGroup> {
  const group = new ResultSetGroup(options)
  const execution = { prepare: true, executionProfile: options.executionProfile }
  const raises = options.raiseOnFirstError !== false
  let [next, over] = [0, false]
  const worker = async (first: Item): Promise<void> => {
    for (let item: Item | undefined = first; item !== undefined && !over; ) {
      const index = next++
      try {
        const { query, params } = item
        group.setResultItem(index, await client.execute(query, params as never, execution as never))
      } catch (error) {
        group.setError(index, error as Error)
        if (raises) {
          over = true
          throw error
        }
      }
      item = items.next().value
    }
  }
  const workers: Promise<void>[] = []
  const most = options.concurrencyLevel || 100
  while (workers.length < most) {
    const item = items.next()
    if (item.done) break
    workers.push(worker(item.value))
  }
  await Promise.all(workers)
  return group
}

/** Pauses the stream while as many executions as may be are in flight. */
function runStream(
  client: Executes,
  query: string,
  stream: Readable,
  options: Options,
): Promise<ResultSetGroup> {
  const group = new ResultSetGroup(options)
  const execution = { prepare: true, executionProfile: options.executionProfile }
  const most = options.concurrencyLevel || 100
  return new Promise((resolve, reject) => {
    let [next, inFlight, over] = [0, 0, false]
    const fail = (error: Error) => {
      over = true
      reject(error)
    }
    const done = () => {
      inFlight--
      if (stream.isPaused()) stream.resume()
      if (over && inFlight === 0) resolve(group)
    }
    stream.on('data', (params: unknown) => {
      if (over) return
      if (!Array.isArray(params)) {
        fail(new TypeError('the stream must be one of Array instances, in objectMode'))
        return
      }
      const index = next++
      inFlight++
      client.execute(query, params as never, execution as never).then(
        (result) => {
          group.setResultItem(index, result)
          done()
        },
        (error: Error) => {
          group.setError(index, error)
          if (options.raiseOnFirstError !== false) fail(error)
          done()
        },
      )
      if (inFlight >= most) stream.pause()
    })
    stream.on('error', fail)
    stream.on('end', () => {
      over = true
      if (inFlight === 0) resolve(group)
    })
  })
}
