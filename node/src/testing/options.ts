/** What an embedded cluster is started with. */

/** Options of a namespace; its time to live is in seconds, as everywhere. */
export interface NamespaceOptions {
  /** Copies of every record. Default: 2. */
  replicationFactor?: number | undefined
  /** Seconds that records live which are written without a TTL; 0: for ever. Default: 0. */
  defaultTtl?: number | undefined
  /** Seconds between two removals of expired records; 0 refuses TTLs. Default: 1. */
  nsupPeriod?: number | undefined
  /** Largest stored record in bytes. Default: 1,048,576. */
  maxRecordSize?: number | undefined
  /** Sets with an index of all their records, so that a scan reads no others. Default: `[]`. */
  indexedSets?: readonly string[] | undefined
}

/** How an embedded cluster encrypts. */
export interface TlsOptions {
  /** The name of all nodes, which their certificate is for. Default: `'spikewire'`. */
  name?: string | undefined
  /** Whether clients must show a certificate, too. Default: `false`. */
  clientCertificates?: boolean | undefined
}

/** Paths of files in PEM format with what clients need; they end with the cluster. */
export interface Certificates {
  /** The authority that signed the certificates of the nodes, to trust. */
  readonly ca: string
  /** A certificate for a client, with the common name `client`. */
  readonly certificate: string
  /** Its private key, PKCS 8 without a password. */
  readonly key: string
}

/** A user of an embedded cluster. */
export interface UserOptions {
  /** The password to log in with. */
  password: string
  /** What the user may do: names of roles, such as `'read-write'`. Default: everything. */
  roles?: readonly string[] | undefined
  /** A user of another system, who logs in with the password as it is. Default: `false`. */
  external?: boolean | undefined
}

/** Options of an embedded cluster. Those of a namespace hold for every one that has none of its own. */
export interface ClusterOptions extends NamespaceOptions {
  /** From 1 to 128. Default: 1. */
  nodes?: number | undefined
  /** Port of the first node, the others follow; 0: free ports. Default: 0. */
  port?: number | undefined
  /** IP address to listen on. Default: `'127.0.0.1'`. */
  bind?: string | undefined
  /** Namespaces, the same on every node: names, or names and options. Default: `['test']`. */
  namespaces?: readonly string[] | { readonly [name: string]: NamespaceOptions } | undefined
  /** Default: `'spikewire'`. */
  clusterName?: string | undefined
  /**
   * Threads that serve connections, for all nodes together; for each there is another one that
   * sends long replies. Default: 1.
   */
  threads?: number | undefined
  /** Server version to report. Default: `'8.1.2.0'`. */
  build?: string | undefined
  /** Rack of each node. Default: no racks. */
  racks?: readonly number[] | undefined
  /** Milliseconds of pause after each partition that is copied: a migration lasts. Default: 0. */
  migrationPause?: number | undefined
  /** Milliseconds of processor time that a call of a user-defined function may take. Default: 100. */
  udfTime?: number | undefined
  /** Speak TLS and nothing else, with certificates that are made for it. Default: `false`. */
  tls?: boolean | TlsOptions | undefined
  /** Users who must log in, by name: a password, or options. Default: nobody has to. */
  users?: { readonly [name: string]: string | UserOptions } | undefined
  /** Seconds for which those who logged in may open connections. Default: 86,400, a day. */
  sessionTtl?: number | undefined
}
