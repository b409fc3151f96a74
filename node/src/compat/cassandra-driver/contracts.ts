/** What policies and others see of clients and statements; the classes are above them. */

import type { Host } from './hosts.js'
import type { Long } from './types/long.js'

/** A client, as policies see it. */
export interface ClientContext {
  // biome-ignore lint/suspicious/noExplicitAny: the options have the policies in them
  readonly options: any
  readonly keyspace: string | undefined
  log(type: string, message: string, furtherInfo?: unknown): void
  getReplicas(keyspace: string | null | undefined, token: unknown): Host[] | null
}

/** The options of one execution, after those of its profile and of the client. */
export class ExecutionOptions {
  /** One that has no options. */
  static empty(): ExecutionOptions {
    return new ExecutionOptions()
  }

  getCaptureStackTrace(): boolean | undefined {
    return undefined
  }

  getConsistency(): number | undefined {
    return undefined
  }

  getCustomPayload(): { [name: string]: Buffer | null } | undefined {
    return undefined
  }

  getFetchSize(): number | undefined {
    return undefined
  }

  /** The only node to ask. */
  getFixedHost(): Host | undefined {
    return undefined
  }

  getHints(): readonly unknown[] | undefined {
    return undefined
  }

  isAutoPage(): boolean | undefined {
    return undefined
  }

  isBatchCounter(): boolean | undefined {
    return undefined
  }

  isBatchLogged(): boolean | undefined {
    return undefined
  }

  isIdempotent(): boolean | undefined {
    return undefined
  }

  isPrepared(): boolean | undefined {
    return undefined
  }

  isQueryTracing(): boolean | undefined {
    return undefined
  }

  getKeyspace(): string | undefined {
    return undefined
  }

  // biome-ignore lint/suspicious/noExplicitAny: a policy, which is above this
  getLoadBalancingPolicy(): any {
    return undefined
  }

  getPageState(): Buffer | undefined {
    return undefined
  }

  getPreferredHost(): Host | null | undefined {
    return undefined
  }

  // biome-ignore lint/suspicious/noExplicitAny: the options as they were passed
  getRawQueryOptions(): any {
    return undefined
  }

  getReadTimeout(): number | undefined {
    return undefined
  }

  // biome-ignore lint/suspicious/noExplicitAny: a policy, which is above this
  getRetryPolicy(): any {
    return undefined
  }

  getRowCallback(): ((n: number, row: unknown) => void) | undefined {
    return undefined
  }

  getOrGenerateTimestamp(): Long | null | undefined {
    return undefined
  }

  getRoutingIndexes(): readonly number[] | undefined {
    return undefined
  }

  getRoutingKey(): Buffer | readonly Buffer[] | undefined {
    return undefined
  }

  getRoutingNames(): readonly string[] | undefined {
    return undefined
  }

  getSerialConsistency(): number | undefined {
    return undefined
  }

  getTimestamp(): number | Long | null | undefined {
    return undefined
  }

  setHints(_hints: readonly unknown[]): void {}

  setKeyspace(_keyspace: string): void {}

  setPageState(_pageState: Buffer): void {}

  setPreferredHost(_host: Host): void {}

  setRoutingIndexes(_indexes: readonly number[]): void {}

  setRoutingKey(_key: Buffer): void {}
}
