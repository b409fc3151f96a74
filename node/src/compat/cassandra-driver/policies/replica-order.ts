/** The order of the replicas in a plan of the default policy. */

import type { Host } from '../hosts.js'

/** What decides about the order; tests pass their own. */
export interface ReplicaChecks {
  /** When a node came up if that is less than a minute ago, in milliseconds since 1970. */
  readonly isHostNewlyUp: (host: Host) => number | boolean | null
  /** Whether a node answers what it is sent. */
  readonly healthCheck: (host: Host) => boolean
  /** Above 0 if the first of two nodes is to be preferred. */
  readonly compare: (one: Host, other: Host) => number
}

/** For how long a node that came up gets fewer statements, in milliseconds. */
const NEWLY_UP = 60_000

/** The checks of the driver, as far as the engine tells what they need. */
export const DEFAULT_CHECKS: ReplicaChecks = {
  isHostNewlyUp: ({ isUpSince }) =>
    isUpSince !== null && Date.now() - isUpSince < NEWLY_UP ? isUpSince : null,
  // The engine keeps statements away from nodes that do not answer.
  healthCheck: () => true,
  compare: (one, other) => (one.getInFlight() < other.getInFlight() ? 1 : -1),
}

function swap(hosts: Host[], one: number, other: number): void {
  const host = hosts[one] as Host
  hosts[one] = hosts[other] as Host
  hosts[other] = host
}

function shuffled(hosts: readonly Host[]): Host[] {
  const all = [...hosts]
  for (let at = all.length - 1; at > 0; at--) swap(all, at, Math.floor(Math.random() * (at + 1)))
  return all
}

/** The node that came up last, of those that came up lately. */
function newest(hosts: readonly Host[], checks: ReplicaChecks): Host | undefined {
  let [last, latest]: [Host | undefined, number] = [undefined, Number.NEGATIVE_INFINITY]
  for (const host of hosts) {
    const since = checks.isHostNewlyUp(host)
    if (since === null || since === false || Number(since) <= latest) continue
    ;[last, latest] = [host, Number(since)]
  }
  return last
}

/**
 * Replicas in the order in which they are tried: by chance, but of the first two the less loaded one
 * first, a node that came up lately mostly not, and those that do not answer last if most do.
 */
export function ordered(replicas: readonly Host[], checks: ReplicaChecks): Host[] {
  const all = shuffled(replicas)
  // Of two, the other one would get everything.
  if (all.length < 3) return all
  const newcomer = newest(all, checks)
  if (newcomer !== undefined) {
    const at = all.indexOf(newcomer)
    if (at < 2 && Math.random() >= 0.25) swap(all, at, all.length - 1)
  } else {
    const healthy = all.filter((host) => checks.healthCheck(host))
    const others = all.length - healthy.length
    if (others > 0 && others < Math.floor(all.length / 2 + 1)) {
      all.splice(0, all.length, ...healthy, ...all.filter((host) => !healthy.includes(host)))
    }
  }
  if (checks.compare(all[1] as Host, all[0] as Host) > 0) swap(all, 0, 1)
  return all
}
