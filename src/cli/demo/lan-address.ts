/** Finds the address under which a phone in the same network reaches this machine. */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

/** Bridges of containers and virtual machines, and tunnels: no phone is behind them. */
const VIRTUAL = /^(docker|br-|veth|virbr|vmnet|vboxnet|tun|tap|utun|zt|wg|tailscale|lxc|cni|flannel)/i
const HOME = /^192\.168\./
const PRIVATE = /^(10\.|172\.(1[6-9]|2\d|3[01])\.)/
const LINK_LOCAL = /^169\.254\./

type Interfaces = NodeJS.Dict<Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[]>

/** The likeliest IPv4 address: a home network's first, a container bridge's last; undefined without any. */
export function findLanAddress(interfaces: Interfaces = networkInterfaces()): string | undefined {
  const candidates = Object.entries(interfaces).flatMap(([name, addresses]) =>
    (addresses ?? [])
      .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !LINK_LOCAL.test(address))
      .map(({ address }) => ({ address, rank: rank(name, address) })),
  )
  return candidates.sort((a, b) => a.rank - b.rank)[0]?.address
}

function rank(name: string, address: string): number {
  if (VIRTUAL.test(name)) return 3
  if (HOME.test(address)) return 0
  return PRIVATE.test(address) ? 1 : 2
}
