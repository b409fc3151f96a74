/** Results of statements. */

import { DriverInternalError } from './errors.js'
import type { DataType } from './types/constants.js'
import type { Row } from './types/row.js'
import type { Uuid } from './types/uuid.js'

/** A column of a result. */
export interface ResultColumn {
  name: string
  type: DataType
}

/** How a statement was executed. */
export interface ResultInfo {
  /** The address of the node that answered. */
  queriedHost: string
  /** The errors of the nodes that were tried, by address; `null` for the one that answered. */
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  triedHosts: { [address: string]: any }
  speculativeExecutions: number
  achievedConsistency: number
  traceId: Uuid | null | undefined
  warnings: string[] | null | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  customPayload: any
  isSchemaInAgreement: boolean
}

/** What a result is made of. */
export interface ResponseContent {
  rows?: Row[] | undefined
  rowLength?: number | undefined
  meta?: { columns?: readonly ResultColumn[]; pageState?: Buffer | null | undefined } | undefined
  flags?:
    | { traceId?: Uuid | undefined; warnings?: string[] | undefined; customPayload?: unknown }
    | undefined
}

/** The result of a statement: one page of its rows. Iterating with `for await` gets them all. */
export class ResultSet implements Iterable<Row>, AsyncIterable<Row> {
  info: ResultInfo
  /** The rows of the page; `undefined` if the statement has none. */
  declare rows: Row[]
  /** The number of rows; of `eachRow`, of all pages so far. */
  rowLength: number
  columns: ResultColumn[]
  /** Where the next page starts; `null` on the last one. */
  declare pageState: string
  /** Fetches the next page, of `eachRow` without `autoPage`. */
  nextPage: (() => void) | null | undefined
  /** @internal Fetches the page that starts at a state. */
  declare nextPageAsync: ((state: Buffer) => Promise<ResultSet>) | undefined
  /** @internal */
  declare readonly rawPageState: Buffer | undefined

  constructor(
    response: ResponseContent,
    host: string,
    triedHosts: { [address: string]: unknown },
    speculativeExecutions: number,
    consistency: number,
    isSchemaInAgreement = true,
  ) {
    this.info = {
      queriedHost: host,
      triedHosts,
      speculativeExecutions: Math.max(0, speculativeExecutions),
      achievedConsistency: consistency,
      traceId: response.flags === undefined ? null : response.flags.traceId,
      warnings: response.flags === undefined ? null : response.flags.warnings,
      customPayload: response.flags === undefined ? null : response.flags.customPayload,
      isSchemaInAgreement,
    }
    this.rows = response.rows as Row[]
    this.rowLength = (
      response.rows === undefined ? response.rowLength : response.rows.length
    ) as number
    this.columns = (response.meta?.columns ?? null) as ResultColumn[]
    const state = response.meta?.pageState
    this.pageState = (state ? state.toString('hex') : null) as string
    this.nextPage = undefined
    if (state) Object.defineProperty(this, 'rawPageState', { value: state })
  }

  /** The first row, or `null`. */
  first(): Row {
    return (this.rows?.[0] ?? null) as Row
  }

  getPageState(): string {
    return this.pageState
  }

  getColumns(): ResultColumn[] {
    return this.columns
  }

  /** Whether a conditional statement was applied; true for any other. */
  wasApplied(): boolean {
    const applied: unknown = this.rows?.[0]?.['[applied]']
    return typeof applied === 'boolean' ? applied : true
  }

  /** Whether there are more pages. */
  isPaged(): boolean {
    return this.rawPageState !== undefined
  }

  /** The rows of this page. */
  [Symbol.iterator](): Iterator<Row> {
    return (this.rows ?? [])[Symbol.iterator]()
  }

  /** The rows of this page and of all that follow, which are fetched meanwhile. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    let page: ResultSet = this
    for (;;) {
      yield* page.rows ?? []
      const state = page.rawPageState
      if (state === undefined) return
      if (this.nextPageAsync === undefined) {
        throw new DriverInternalError('the result has a page state, but cannot fetch pages')
      }
      page = await this.nextPageAsync(state)
    }
  }
}
