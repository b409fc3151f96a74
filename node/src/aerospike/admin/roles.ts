/** Roles of a cluster with security: what their users may do, and from where. */

import type { Callback } from '../../bridge/callbacks.js'
import type { Connection } from '../../bridge/connection.js'
import { native } from '../model/native.js'
import { administer, type WaitOptions } from './admin.js'

/** What a role permits, and where. */
export interface Privilege {
  /**
   * Such as `'read-write'`; a number as text if the client does not know its name. Those ending in
   * `admin` are global.
   */
  readonly kind: string
  /** Null or undefined: global. */
  readonly namespace?: string | null | undefined
  /** Null or undefined: the whole namespace. */
  readonly set?: string | null | undefined
}

/** A role. */
export interface Role {
  readonly name: string
  /** What its users may do. */
  readonly privileges: readonly Privilege[]
  /** The addresses and networks that its users may connect from; none: all. */
  readonly allow: readonly string[]
  /** Records that a user may read per second; 0: no limit. */
  readonly readQuota: number
  /** Records that a user may write per second; 0: no limit. */
  readonly writeQuota: number
}

/** Options of `client.roles.create`. */
export interface CreateRoleOptions extends WaitOptions {
  /** Addresses and networks that the users may connect from, such as `'10.0.0.0/8'`. Default: all. */
  allow?: readonly string[] | undefined
  /** Records that a user may read per second. Default: 0, no limit. */
  readQuota?: number | undefined
  /** Records that a user may write per second. Default: 0, no limit. */
  writeQuota?: number | undefined
}

/** Options of `client.roles.setQuotas`: an absent quota stays as it is; 0: no limit. */
export interface QuotaOptions extends WaitOptions {
  /** Records that a user may read per second. */
  read?: number | undefined
  /** Records that a user may write per second. */
  write?: number | undefined
}

/** How long a node may take by default, in milliseconds. */
const TIMEOUT = 10_000

/**
 * The roles of the cluster, from `client.roles`.
 *
 * Privileges are objects, or names of global privileges. The client's user needs the role
 * `user-admin`. One node is asked and tells the others.
 */
export class Roles {
  readonly #connection: Connection

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Creates a role.
   *
   * @throws RoleExists; RangeError for an unknown privilege; ServerError with code 73 for an invalid
   *   address and 74 if servers are not configured for quotas
   */
  create(name: string, privileges: readonly (Privilege | string)[], callback: Callback<void>): void
  create(
    name: string,
    privileges: readonly (Privilege | string)[],
    options: CreateRoleOptions,
    callback: Callback<void>,
  ): void
  create(
    name: string,
    privileges: readonly (Privilege | string)[],
    options?: CreateRoleOptions,
  ): Promise<void>
  create(
    name: string,
    privileges: readonly (Privilege | string)[],
    options?: CreateRoleOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, CreateRoleOptions>(
      this.#connection,
      options,
      callback,
      ['timeout', 'allow', 'readQuota', 'writeQuota'],
      (client, slot, { timeout = TIMEOUT, allow = [], readQuota, writeQuota }) =>
        native.roleCreate(client, slot, name, privileges, allow, readQuota, writeQuota, timeout),
    )
  }

  /**
   * Drops a role, also from its users.
   *
   * @throws RoleNotFound
   */
  drop(name: string, callback: Callback<void>): void
  drop(name: string, options: WaitOptions, callback: Callback<void>): void
  drop(name: string, options?: WaitOptions): Promise<void>
  drop(
    name: string,
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) => native.roleDrop(client, slot, name, timeout),
    )
  }

  /**
   * Adds privileges to a role.
   *
   * @throws RoleNotFound
   */
  grant(name: string, privileges: readonly (Privilege | string)[], callback: Callback<void>): void
  grant(
    name: string,
    privileges: readonly (Privilege | string)[],
    options: WaitOptions,
    callback: Callback<void>,
  ): void
  grant(
    name: string,
    privileges: readonly (Privilege | string)[],
    options?: WaitOptions,
  ): Promise<void>
  grant(
    name: string,
    privileges: readonly (Privilege | string)[],
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) =>
        native.roleGrant(client, slot, name, privileges, timeout),
    )
  }

  /**
   * Removes exactly these privileges from a role: one for a namespace stays when one for a set of it
   * is removed.
   *
   * @throws RoleNotFound
   */
  revoke(name: string, privileges: readonly (Privilege | string)[], callback: Callback<void>): void
  revoke(
    name: string,
    privileges: readonly (Privilege | string)[],
    options: WaitOptions,
    callback: Callback<void>,
  ): void
  revoke(
    name: string,
    privileges: readonly (Privilege | string)[],
    options?: WaitOptions,
  ): Promise<void>
  revoke(
    name: string,
    privileges: readonly (Privilege | string)[],
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) =>
        native.roleRevoke(client, slot, name, privileges, timeout),
    )
  }

  /**
   * Sets the addresses and networks that the users of a role may connect from; none: all.
   *
   * @throws RoleNotFound; ServerError with code 73 for an invalid address
   */
  setAllowed(name: string, allow: readonly string[], callback: Callback<void>): void
  setAllowed(
    name: string,
    allow: readonly string[],
    options: WaitOptions,
    callback: Callback<void>,
  ): void
  setAllowed(name: string, allow: readonly string[], options?: WaitOptions): Promise<void>
  setAllowed(
    name: string,
    allow: readonly string[],
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) =>
        native.roleSetAllowed(client, slot, name, allow, timeout),
    )
  }

  /**
   * Sets how many records a user of a role may read and write per second.
   *
   * @throws RoleNotFound; ServerError with code 74 if servers are not configured for quotas
   */
  setQuotas(name: string, callback: Callback<void>): void
  setQuotas(name: string, options: QuotaOptions, callback: Callback<void>): void
  setQuotas(name: string, options?: QuotaOptions): Promise<void>
  setQuotas(
    name: string,
    options?: QuotaOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, QuotaOptions>(
      this.#connection,
      options,
      callback,
      ['timeout', 'read', 'write'],
      (client, slot, { timeout = TIMEOUT, read, write }) =>
        native.roleSetQuotas(client, slot, name, read, write, timeout),
    )
  }

  /**
   * A role.
   *
   * @throws RoleNotFound
   */
  get(name: string, callback: Callback<Role>): void
  get(name: string, options: WaitOptions, callback: Callback<Role>): void
  get(name: string, options?: WaitOptions): Promise<Role>
  get(
    name: string,
    options?: WaitOptions | Callback<Role>,
    callback?: Callback<Role>,
  ): Promise<Role> | undefined {
    return administer<Role, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) => native.roleGet(client, slot, name, timeout),
    )
  }

  /**
   * The roles, sorted by name, including the predefined ones.
   */
  list(callback: Callback<Role[]>): void
  list(options: WaitOptions, callback: Callback<Role[]>): void
  list(options?: WaitOptions): Promise<Role[]>
  list(
    options?: WaitOptions | Callback<Role[]>,
    callback?: Callback<Role[]>,
  ): Promise<Role[]> | undefined {
    return administer<Role[], WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) => native.roleList(client, slot, timeout),
    )
  }
}
