/** Execution profiles: options of statements under a name. */

import type { LoadBalancingPolicy } from './policies/load-balancing.js'
import type { RetryPolicy } from './policies/retry.js'

/** The options of a profile. */
export interface ProfileOptions {
  consistency?: number | undefined
  loadBalancing?: LoadBalancingPolicy | undefined
  /** In milliseconds; 0: no limit. */
  readTimeout?: number | undefined
  retry?: RetryPolicy | undefined
  serialConsistency?: number | undefined
  /** Options of DataStax Graph, which this package does not have. */
  graphOptions?: { [name: string]: unknown } | undefined
}

/** Options of statements under a name; the one named `'default'` applies to those without. */
export class ExecutionProfile {
  name: string
  consistency: number | undefined
  loadBalancing: LoadBalancingPolicy | undefined
  readTimeout: number | undefined
  retry: RetryPolicy | undefined
  serialConsistency: number | undefined
  graphOptions: { [name: string]: unknown }

  constructor(name: string, options?: ProfileOptions | null) {
    if (typeof name !== 'string') throw new TypeError('the name of a profile must be a string')
    this.name = name
    this.consistency = options?.consistency
    this.loadBalancing = options?.loadBalancing
    this.readTimeout = options?.readTimeout
    this.retry = options?.retry
    this.serialConsistency = options?.serialConsistency
    const {
      language,
      results,
      name: graph,
      readConsistency,
      source,
      writeConsistency,
    } = options?.graphOptions ?? {}
    this.graphOptions = {
      language,
      results,
      name: graph,
      readConsistency,
      source,
      writeConsistency,
    }
  }
}

/** The profiles of a client. */
export class Profiles {
  readonly #byName = new Map<string, ExecutionProfile>()
  readonly #default: ExecutionProfile

  constructor(
    profiles: readonly ExecutionProfile[] | undefined,
    policies: { loadBalancing: LoadBalancingPolicy; retry: RetryPolicy },
  ) {
    for (const profile of profiles ?? []) this.#byName.set(profile.name, profile)
    const known = this.#byName.get('default') ?? new ExecutionProfile('default')
    this.#byName.set('default', known)
    this.#default = known
    known.loadBalancing ??= policies.loadBalancing
    known.retry ??= policies.retry
    for (const profile of this.#byName.values()) profile.loadBalancing ??= known.loadBalancing
  }

  /** The profile of a name, or itself; `undefined` if there is none. */
  find(profile: string | ExecutionProfile | undefined | null): ExecutionProfile | undefined {
    if (profile instanceof ExecutionProfile) return profile
    return this.#byName.get(profile || 'default')
  }

  get default(): ExecutionProfile {
    return this.#default
  }

  /** Each load balancing policy, once. */
  get balancing(): LoadBalancingPolicy[] {
    const all = [...this.#byName.values()].map((profile) => profile.loadBalancing)
    return [...new Set(all)] as LoadBalancingPolicy[]
  }
}
