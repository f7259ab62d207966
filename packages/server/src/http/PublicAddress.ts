/**
 * Tells addresses of the public internet from all others, so that nobody can have the market call what is near it.
 *
 * IPv6 is judged by what is known to be public, not by what is known to be private: the registry gives out nothing but
 * 2000::/3 for the internet. Beside it stands 64:ff9b::/96 (RFC 6052), where a network without IPv4 reaches the IPv4
 * internet; it is judged by the address inside. Other forms that hold an IPv4 address are not public.
 *
 * Sources: the IANA special-purpose address registries for IPv4 and IPv6.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net"

/** Every block of IPv4 that is not for the public internet. */
const special4: ReadonlyArray<readonly [net: string, prefix: number]> = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // shared by a provider's customers
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // of the public range, yet Azure's own platform, which each of its machines can reach
  ["169.254.0.0", 16], // link-local, and the metadata of clouds
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays from IPv6 to IPv4, withdrawn
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4] // reserved, and the broadcast
]

/** Within 2000::/3. */
const special6: ReadonlyArray<readonly [net: string, prefix: number]> = [
  ["2001::", 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which holds an IPv4 address
  ["3fff::", 20] // documentation
]

const blockOf = (family: "ipv4" | "ipv6", nets: ReadonlyArray<readonly [net: string, prefix: number]>) => {
  const block = new BlockList()
  for (const [net, prefix] of nets) block.addSubnet(net, prefix, family)
  return block
}

const translated = "64:ff9b::"

const blocked4 = blockOf("ipv4", special4)
const blocked6 = blockOf("ipv6", [
  ...special6,
  ...special4.map(([net, prefix]) => [translated + net, 96 + prefix] as const)
])
const global6 = blockOf("ipv6", [
  ["2000::", 3],
  [translated, 96]
])

/** Tells whether a text is the address of somebody on the public internet; what is no address is not. */
export const isPublicAddress = (text: string): boolean =>
  isIPv4(text)
    ? !blocked4.check(text, "ipv4")
    : // An address with a zone is one of the host's own links.
      isIPv6(text) && !text.includes("%") && global6.check(text, "ipv6") && !blocked6.check(text, "ipv6")
