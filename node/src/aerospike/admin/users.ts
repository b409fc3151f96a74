/** Users of a cluster with security: creating, changing, listing, dropping. */

import type { Callback } from '../../bridge/callbacks.js'
import type { Connection } from '../../bridge/connection.js'
import { native } from '../model/native.js'
import { administer, type WaitOptions } from './admin.js'

/** A user, as one node knows it. */
export interface User {
  readonly name: string
  /** The names of its roles. */
  readonly roles: readonly string[]
  /**
   * Statistics of reads on the node that answered: the quota in records per second (0: no limit),
   * commands per second, query records per second, queries without a limit. Servers may report
   * fewer or more numbers.
   */
  readonly readInfo: readonly number[]
  /** The same for writes. */
  readonly writeInfo: readonly number[]
  /** Its open connections to the node that answered. */
  readonly connections: number
}

/** How long a node may take by default, in milliseconds. */
const TIMEOUT = 10_000

/**
 * The users of the cluster, from `client.users`.
 *
 * The client's user needs the role `user-admin`; every user may get itself and change its own
 * password. One node is asked and tells the others.
 */
export class Users {
  readonly #connection: Connection

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Creates a user with these roles. Hashing the password takes about 50 ms, on another thread.
   *
   * @param password null or undefined: the user logs in with a certificate (server 8.1 or later)
   * @throws UserExists; RoleNotFound
   */
  create(
    name: string,
    password: string | null | undefined,
    roles: readonly string[],
    callback: Callback<void>,
  ): void
  create(
    name: string,
    password: string | null | undefined,
    roles: readonly string[],
    options: WaitOptions,
    callback: Callback<void>,
  ): void
  create(
    name: string,
    password: string | null | undefined,
    roles: readonly string[],
    options?: WaitOptions,
  ): Promise<void>
  create(
    name: string,
    password: string | null | undefined,
    roles: readonly string[],
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) =>
        native.userCreate(client, slot, name, password, roles, timeout),
    )
  }

  /**
   * Drops a user and ends its connections.
   *
   * @throws UserNotFound
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
      (client, slot, { timeout = TIMEOUT }) => native.userDrop(client, slot, name, timeout),
    )
  }

  /**
   * Sets the password of any user. If it is the client's own user, the client uses the new password
   * from then on.
   *
   * @throws UserNotFound; ServerError with code 64 for a user who logs in with a certificate
   */
  setPassword(name: string, password: string, callback: Callback<void>): void
  setPassword(name: string, password: string, options: WaitOptions, callback: Callback<void>): void
  setPassword(name: string, password: string, options?: WaitOptions): Promise<void>
  setPassword(
    name: string,
    password: string,
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) =>
        native.userSetPassword(client, slot, name, password, timeout),
    )
  }

  /**
   * Changes the password of the client's own user, which needs no role. The client uses the new
   * password from then on.
   *
   * @throws RangeError if the client does not log in with a password that the cluster keeps
   */
  changePassword(password: string, callback: Callback<void>): void
  changePassword(password: string, options: WaitOptions, callback: Callback<void>): void
  changePassword(password: string, options?: WaitOptions): Promise<void>
  changePassword(
    password: string,
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) =>
        native.userChangePassword(client, slot, password, timeout),
    )
  }

  /**
   * Gives a user more roles.
   *
   * @throws UserNotFound; RoleNotFound
   */
  grant(name: string, roles: readonly string[], callback: Callback<void>): void
  grant(
    name: string,
    roles: readonly string[],
    options: WaitOptions,
    callback: Callback<void>,
  ): void
  grant(name: string, roles: readonly string[], options?: WaitOptions): Promise<void>
  grant(
    name: string,
    roles: readonly string[],
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) => native.userGrant(client, slot, name, roles, timeout),
    )
  }

  /**
   * Takes roles from a user; roles that it does not have are ignored.
   *
   * @throws UserNotFound; RoleNotFound
   */
  revoke(name: string, roles: readonly string[], callback: Callback<void>): void
  revoke(
    name: string,
    roles: readonly string[],
    options: WaitOptions,
    callback: Callback<void>,
  ): void
  revoke(name: string, roles: readonly string[], options?: WaitOptions): Promise<void>
  revoke(
    name: string,
    roles: readonly string[],
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) =>
        native.userRevoke(client, slot, name, roles, timeout),
    )
  }

  /**
   * A user.
   *
   * @throws UserNotFound
   */
  get(name: string, callback: Callback<User>): void
  get(name: string, options: WaitOptions, callback: Callback<User>): void
  get(name: string, options?: WaitOptions): Promise<User>
  get(
    name: string,
    options?: WaitOptions | Callback<User>,
    callback?: Callback<User>,
  ): Promise<User> | undefined {
    return administer<User, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) => native.userGet(client, slot, name, timeout),
    )
  }

  /**
   * The users, sorted by name.
   */
  list(callback: Callback<User[]>): void
  list(options: WaitOptions, callback: Callback<User[]>): void
  list(options?: WaitOptions): Promise<User[]>
  list(
    options?: WaitOptions | Callback<User[]>,
    callback?: Callback<User[]>,
  ): Promise<User[]> | undefined {
    return administer<User[], WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) => native.userList(client, slot, timeout),
    )
  }
}
