// The platforms that have their own package. Packages are laid out from this table, and the main
// package lists them as optional dependencies.

/** @type {{ name: string, rust: string, os: string, cpu: string, libc?: string }[]} */
export const PLATFORMS = [
  {
    name: 'linux-x64-gnu',
    rust: 'x86_64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
  },
  {
    name: 'linux-x64-musl',
    rust: 'x86_64-unknown-linux-musl',
    os: 'linux',
    cpu: 'x64',
    libc: 'musl',
  },
  {
    name: 'linux-arm64-gnu',
    rust: 'aarch64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
  },
  {
    name: 'linux-arm64-musl',
    rust: 'aarch64-unknown-linux-musl',
    os: 'linux',
    cpu: 'arm64',
    libc: 'musl',
  },
  { name: 'darwin-x64', rust: 'x86_64-apple-darwin', os: 'darwin', cpu: 'x64' },
  { name: 'darwin-arm64', rust: 'aarch64-apple-darwin', os: 'darwin', cpu: 'arm64' },
]
