/** Modules of Lua functions that run in the cluster: registering, listing, removing. */

import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Callback, checkCallback, outcome } from '../../bridge/callbacks.js'
import type { Connection } from '../../bridge/connection.js'
import { toNativeOptions } from '../command/options.js'
import { native } from '../model/native.js'
import { type AdminOptions, administer, type WaitOptions } from './admin.js'

/** A registered module. */
export interface Module {
  /** Its file name, such as `'counters.lua'`; calls use the name without the extension. */
  name: string
  /** A hash of the source, 40 hexadecimal digits. */
  hash: string
}

/** Options of `modules.register`. */
export interface RegisterOptions extends WaitOptions {
  /** The source. Default: the contents of the file. */
  source?: string | undefined
  /** How long to wait until every node has it, in milliseconds; 0: no limit. Default: 10,000. */
  timeout?: number | undefined
}

const REGISTER = ['source', 'timeout'] as const
const TIMEOUT = 10_000

/**
 * The modules of a client's cluster; `client.modules`. A module belongs to the whole cluster.
 *
 * ```ts
 * await client.modules.register('counters.lua', { source })
 * await users.apply('alice', 'counters', 'visit', [1])
 * ```
 *
 * A function receives the record and the arguments of the call. `rec["bin"]` reads and assigns
 * bins; nothing is stored before `aerospike:create(rec)` or `aerospike:update(rec)`.
 */
export class Modules {
  readonly #connection: Connection

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Registers a module, replacing any of the same name, and waits until every node has it.
   *
   * @param file - the module's name with its extension, or the path of a file to read if there is
   * no `source`
   * @throws FunctionFailed with the line if the source does not compile; Timeout if a node does not
   * receive it in time; RangeError for an invalid name or source; the errors of reading the file
   */
  register(file: string | URL, callback: Callback<void>): void
  register(file: string | URL, options: RegisterOptions, callback: Callback<void>): void
  register(file: string | URL, options?: RegisterOptions): Promise<void>
  register(
    file: string | URL,
    options?: RegisterOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    if (typeof options === 'function') return this.register(file, {}, options) as undefined
    checkCallback(callback)
    const promise = this.#register(file, options)
    return outcome(promise, callback)
  }

  async #register(file: string | URL, options: RegisterOptions | undefined): Promise<void> {
    toNativeOptions(options, [...REGISTER, 'signal'])
    // Not `instanceof`: test runners have a URL of their own.
    const isUrl = typeof file === 'object' && typeof file?.href === 'string'
    const path = isUrl ? fileURLToPath(file.href) : file
    if (typeof path !== 'string') {
      throw new TypeError(`file must be a string or a file: URL, not ${typeof path}`)
    }
    const { signal, source = await readFile(path, { encoding: 'utf8', signal }) } = options ?? {}
    await administer<void, RegisterOptions>(
      this.#connection,
      options,
      undefined,
      REGISTER,
      (client, slot, { timeout = TIMEOUT }) =>
        native.moduleRegister(client, slot, basename(path), source, timeout),
    )
  }

  /** The registered modules, sorted by name. */
  list(callback: Callback<Module[]>): void
  list(options: AdminOptions, callback: Callback<Module[]>): void
  list(options?: AdminOptions): Promise<Module[]>
  list(
    options?: AdminOptions | Callback<Module[]>,
    callback?: Callback<Module[]>,
  ): Promise<Module[]> | undefined {
    return administer<Module[], AdminOptions>(
      this.#connection,
      options,
      callback,
      [],
      (client, slot) => native.moduleList(client, slot),
    )
  }

  /**
   * The source of a module.
   *
   * @throws ServerError if there is no such module
   */
  source(name: string, callback: Callback<string>): void
  source(name: string, options: AdminOptions, callback: Callback<string>): void
  source(name: string, options?: AdminOptions): Promise<string>
  source(
    name: string,
    options?: AdminOptions | Callback<string>,
    callback?: Callback<string>,
  ): Promise<string> | undefined {
    return administer<string, AdminOptions>(
      this.#connection,
      options,
      callback,
      [],
      (client, slot) => native.moduleSource(client, slot, name),
    )
  }

  /** Removes a module; does nothing if there is none of that name. */
  remove(name: string, callback: Callback<void>): void
  remove(name: string, options: AdminOptions, callback: Callback<void>): void
  remove(name: string, options?: AdminOptions): Promise<void>
  remove(
    name: string,
    options?: AdminOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, AdminOptions>(this.#connection, options, callback, [], (client, slot) =>
      native.moduleRemove(client, slot, name),
    )
  }
}
