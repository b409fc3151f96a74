/** Logins. */

import type { Authenticator as Native } from '../../cql/questions.js'
import { callable } from './callable.js'
import { AuthenticationError, NotSupportedError } from './errors.js'

/** Called with an error, or a token. */
export type TokenCallback = (error?: Error | null, token?: Buffer | null) => void

class AuthenticatorBase {
  /** Calls back with the first message to the server. */
  initialResponse(callback: TokenCallback): void {
    callback(new Error('an authenticator must have a method initialResponse()'))
  }

  /** Calls back with the answer to a message of the server. */
  evaluateChallenge(_challenge: Buffer, callback: TokenCallback): void {
    callback(new Error('an authenticator must have a method evaluateChallenge()'))
  }

  /** Called with the last message of the server. */
  onAuthenticationSuccess(_token?: Buffer | null): void {}
}
Object.defineProperty(AuthenticatorBase, 'name', { value: 'Authenticator' })

/** One login; the base of those of programs. */
export const Authenticator = callable(AuthenticatorBase)
/** One login; the base of those of programs. */
export type Authenticator = AuthenticatorBase

class AuthProviderBase {
  /** Starts a login with a server whose authenticator has this class name. */
  newAuthenticator(_endpoint: string, _name: string): Authenticator {
    throw new Error('an auth provider must have a method newAuthenticator()')
  }
}
Object.defineProperty(AuthProviderBase, 'name', { value: 'AuthProvider' })

/** Logs in to servers; the base of providers of programs. */
export const AuthProvider = callable(AuthProviderBase)
/** Logs in to servers; the base of providers of programs. */
export type AuthProvider = AuthProviderBase

class PlainTextAuthenticator extends Authenticator {
  readonly username: string
  readonly password: string

  constructor(username: string, password: string) {
    super()
    this.username = username
    this.password = password
  }

  override initialResponse(callback: TokenCallback): void {
    callback(null, Buffer.from(`\0${this.username}\0${this.password}`))
  }

  override evaluateChallenge(_challenge: Buffer, callback: TokenCallback): void {
    callback()
  }
}

/** Logs in with a name and a password. */
export class PlainTextAuthProvider extends AuthProvider {
  readonly username: string
  readonly password: string

  constructor(username: string, password: string) {
    super()
    this.username = username
    this.password = password
  }

  override newAuthenticator(_endpoint: string, _name: string): Authenticator {
    return new PlainTextAuthenticator(this.username, this.password)
  }
}

/** No login. */
export class NoAuthProvider extends AuthProvider {
  override newAuthenticator(endpoint: string, name: string): Authenticator {
    throw new AuthenticationError(
      `${endpoint} requires a login (${name}), and there is no authProvider`,
    )
  }
}

const DSE = 'it is a feature of DataStax Enterprise, not of Cassandra'

/** Not supported: it is a feature of DataStax Enterprise. */
export class DsePlainTextAuthProvider extends PlainTextAuthProvider {
  constructor(username: string, password: string, authorizationId?: string) {
    super(username, password)
    if (authorizationId) throw new NotSupportedError(`authorizationId is not supported: ${DSE}`)
  }
}

/** Not supported: it is a feature of DataStax Enterprise. */
export class DseGssapiAuthProvider extends AuthProvider {
  constructor() {
    super()
    throw new NotSupportedError(`DseGssapiAuthProvider is not supported: ${DSE}`)
  }
}

/** The options of a native session that log in as a provider does. */
export function loginOptions(
  provider: AuthProvider,
): { user: string; password: string } | { authenticator: Native } | undefined {
  const kind = provider.constructor
  if (kind === NoAuthProvider) return undefined
  if (kind === PlainTextAuthProvider || kind === DsePlainTextAuthProvider) {
    const { username, password } = provider as PlainTextAuthProvider
    return { user: username, password }
  }
  return { authenticator: { begin: (name, node) => begin(provider.newAuthenticator(node, name)) } }
}

function begin(login: Authenticator) {
  return {
    answer: (challenge: Uint8Array | null) =>
      new Promise<Uint8Array>((resolve, reject) => {
        const answered: TokenCallback = (error, token) => {
          if (error) reject(error)
          else resolve(token ?? Buffer.alloc(0))
        }
        if (challenge === null) login.initialResponse(answered)
        else login.evaluateChallenge(Buffer.from(challenge), answered)
      }),
    succeeded(token: Uint8Array | null): void {
      login.onAuthenticationSuccess(token === null ? null : Buffer.from(token))
    },
  }
}
