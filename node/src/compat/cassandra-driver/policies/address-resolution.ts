/** Translators of the addresses that nodes advertise. */

import { promises as dns } from 'node:dns'
import { callable } from '../callable.js'

class AddressTranslatorBase {
  /** Calls back with `'host:port'`. */
  translate(address: string, port: number, callback: (endpoint: string) => void): void {
    callback(`${address}:${port}`)
  }
}
Object.defineProperty(AddressTranslatorBase, 'name', { value: 'AddressTranslator' })

/** Leaves addresses as they are; the base of translators of programs. */
export const AddressTranslator = callable(AddressTranslatorBase)
/** Leaves addresses as they are; the base of translators of programs. */
export type AddressTranslator = AddressTranslatorBase

/**
 * Looks up the name of an address, and what address that name has here: within a region of EC2,
 * that is the private one.
 */
export class EC2MultiRegionTranslator extends AddressTranslator {
  override translate(address: string, port: number, callback: (endpoint: string) => void): void {
    const lookup = async () => {
      const [name] = await dns.reverse(address)
      return name === undefined ? address : (await dns.lookup(name)).address
    }
    lookup()
      .catch((error: Error) => {
        this.logError(address, error)
        return address
      })
      .then((host) => process.nextTick(callback, `${host}:${port}`))
  }

  /** Called with the error of a lookup; does nothing. */
  logError(_address: string, _error: Error): void {}
}
