/** TLS options of clients and of Cassandra sessions. */

/**
 * TLS options, named as in `tls.connect`. Certificates and keys are PEM files: their contents as text
 * or bytes, or their paths.
 */
export interface TlsOptions {
  /** Trusted certificate authorities. Default: the system's. */
  ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
  /** Whether to trust the system's authorities, too. Default: only if there is no `ca`. */
  systemCa?: boolean | undefined
  /** The client's certificate and any intermediate certificates; requires `key`. */
  cert?: string | Uint8Array | undefined
  /** Its private key. */
  key?: string | Uint8Array | undefined
  /** The password of the key, if it is encrypted (PKCS #8). */
  passphrase?: string | undefined
  /**
   * Lists of revoked certificates. If there are any, every certificate of a node's chain must be
   * covered by one that has not expired.
   */
  crl?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
  /**
   * Which certificates are looked up in `crl`: all of the chain except the trusted authority's
   * (`'chain'`, the default), or only the node's own (`'leaf'`).
   */
  crlCheck?: 'chain' | 'leaf' | undefined
  /** The name in the certificates of all nodes. Default: the name or address of each node. */
  servername?: string | undefined
  /**
   * Whether a node's certificate must be for its name or address. If not, anyone with any
   * certificate of a trusted authority can pose as a node. Default: true.
   */
  verifyHostname?: boolean | undefined
  /**
   * Whether the nodes' certificates are verified at all. If not, anyone can pose as a node. Default:
   * true.
   */
  rejectUnauthorized?: boolean | undefined
}
