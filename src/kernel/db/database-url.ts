/** Database URLs: several hosts are the nodes of a cluster, and any of them will do. */

/** The scheme with user and password, the hosts, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/is

/** A URL for each host, in the order in which they are tried. */
export function splitHosts(address: string): string[] {
  const [, start, hosts, rest] = PARTS.exec(address) ?? []
  return hosts === undefined ? [address] : hosts.split(',').map(host => `${start}${host}${rest}`)
}

/** The URL of a node: `node` is host and port, everything else is as in `address`. */
export function replaceHosts(address: string, node: string): string {
  const [, start, , rest] = PARTS.exec(address) ?? []
  const url = new URL(`${start}${node}${rest}`)
  // A socket directory, which would win over the host.
  url.searchParams.delete('host')
  return url.href
}
