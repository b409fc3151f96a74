/** Types of the native functions for the embedded cluster, exported by `crates/spikewire-node`. */

import { type NativePart, nativePart, type Slot } from '../addon/native.js'

/** Native functions. They throw on invalid input; those with a slot settle its promise later. */
export interface ClusterNative extends NativePart {
  /**
   * Settles the slot with handle, addresses and names of nodes; system failures as their name and
   * reason.
   */
  clusterStart(slot: Slot, options: unknown): void
  clusterStop(cluster: number, slot: Slot): void
  clusterKill(cluster: number, slot: Slot, node: number): void
  clusterRestart(cluster: number, slot: Slot, node: number): void
  clusterInject(cluster: number, slot: Slot, node: number, faults: unknown): void
  clusterClearFaults(cluster: number, slot: Slot, node: number): void
  clusterTruncate(
    cluster: number,
    slot: Slot,
    namespace: string,
    set: string | null | undefined,
  ): void
  clusterSettled(cluster: number): boolean
  clusterAlive(cluster: number, node: number): boolean
  /** Numbers in the order of `NodeStats`. */
  clusterStats(cluster: number, node: number): number[]
}

/** The native part of this copy of the package. */
export const native = nativePart as ClusterNative
