/** Functions of the program that connections wait for: logins, and translations of addresses. */

import { types } from 'node:util'
import { native } from './native.js'

/** One login of an `Authenticator`. */
export interface Login {
  /** The first answer (`challenge` is `null`), or the one to a challenge of the server. */
  answer(challenge: Uint8Array | null): Uint8Array | Promise<Uint8Array>
  /** Called at the end with the server's last message, if there is this method. */
  succeeded?(token: Uint8Array | null): void | Promise<void>
}

/**
 * Logs in to servers that require something other than a name and a password. What it throws, or
 * rejects with, ends the login.
 */
export interface Authenticator {
  /** Starts a login with a server whose authenticator has this class; `node` is `'host:port'`. */
  begin(className: string, node: string): Login | Promise<Login>
}

/**
 * Says where an advertised address (`'host:port'`) is reached: `'host'` or `'host:port'`, where a
 * host may be a name; without a port it is the advertised one.
 */
export type AddressTranslator = (advertised: string) => string | Promise<string>

/** Asked by the native part. */
export type Ask = (
  handle: number,
  question: number,
  kind: string,
  login: number,
  text: string,
  value: string | Uint8Array | null,
) => void

/** What the native part asks, answered by these two. Throws `TypeError` if they cannot be called. */
export function asking(authenticator: unknown, translator: unknown): Ask {
  if (
    authenticator !== undefined &&
    typeof (authenticator as Authenticator)?.begin !== 'function'
  ) {
    throw new TypeError('authenticator must be an object with a method begin(className, node)')
  }
  if (translator !== undefined && typeof translator !== 'function') {
    throw new TypeError('addressTranslator must be a function')
  }
  const logins = new Map<number, Login>()
  const login = (number: number): Login => {
    const known = logins.get(number)
    if (known === undefined) throw new Error('the login is over')
    return known
  }

  async function reply(
    kind: string,
    number: number,
    text: string,
    value: string | Uint8Array | null,
  ): Promise<string | Uint8Array | null> {
    switch (kind) {
      case 'begin': {
        const begun = await (authenticator as Authenticator).begin(text, value as string)
        if (typeof begun?.answer !== 'function') {
          throw new TypeError('begin() must return an object with a method answer(challenge)')
        }
        logins.set(number, begun)
        return null
      }
      case 'answer': {
        const answer = await login(number).answer(value as Uint8Array | null)
        if (!types.isUint8Array(answer)) {
          throw new TypeError('answer() must return a Uint8Array')
        }
        return answer
      }
      case 'succeeded':
        await login(number).succeeded?.(value as Uint8Array | null)
        return null
      case 'translate': {
        const address = await (translator as AddressTranslator)(text)
        if (typeof address !== 'string') {
          throw new TypeError('addressTranslator must return a string')
        }
        return address
      }
      default:
        logins.delete(number)
        return null
    }
  }

  return (handle, question, kind, number, text, value) => {
    const failed = (error: unknown) => {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
      native.cqlAnswer(handle, question, null, reason)
    }
    reply(kind, number, text, value).then(
      (answer) => native.cqlAnswer(handle, question, answer, null),
      failed,
    )
  }
}
