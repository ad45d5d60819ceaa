//! Networks of addresses, and those that are not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks whose addresses are not public: of this machine, of private networks, of links and of documentation.
const CLOSED: &str = include_str!("../../data/closed_networks.txt");

/// IPv6 addresses with an IPv4 address at their end, which a gateway connects to.
const TRANSLATED: [u16; 6] = [0x64, 0xff9b, 0, 0, 0, 0];

/// The addresses that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    base: IpAddr,
    bits: u32,
}

impl Network {
    /// The network of one address.
    pub(super) const fn of_address(address: IpAddr) -> Self {
        Self { base: address, bits: length(address) }
    }

    /// Reads `BASE/BITS`. `None` if the base has further bits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (base, bits) = text.split_once('/')?;
        let (base, bits): (IpAddr, u32) = (base.parse().ok()?, bits.parse().ok()?);
        let network = Self { base, bits };
        (bits <= length(base) && number(base) & !network.mask() == 0).then_some(network)
    }

    /// The bits that its addresses have in common, at the top of 128 bits.
    fn mask(self) -> u128 {
        u128::MAX.checked_shl(u128::BITS - self.bits).unwrap_or(0)
    }

    pub(super) fn has(self, address: IpAddr) -> bool {
        length(address) == length(self.base) && (number(address) ^ number(self.base)) & self.mask() == 0
    }
}

const fn length(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// The bits of an address, at the top of 128 bits.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// An address in its plain form: an IPv4 address that is written as an IPv6 address, or that a gateway connects to, is the IPv4
/// address.
pub(super) fn plain(address: IpAddr) -> IpAddr {
    let IpAddr::V6(six) = address else { return address };
    match six.segments() {
        [a, b, c, d, e, f, high, low] if [a, b, c, d, e, f] == TRANSLATED => {
            IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        _ => six.to_canonical(),
    }
}

/// Whether an address is one of this machine.
///
/// ```
/// assert!(hooks_facts::hosts::is_loopback([127, 0, 0, 9].into()));
/// ```
pub fn is_loopback(address: IpAddr) -> bool {
    plain(address).is_loopback()
}

/// Whether an address is one of the public network: not of this machine, of a private network, of a link, of a cloud's metadata
/// or of many receivers.
///
/// ```
/// use hooks_facts::hosts::is_public;
///
/// let is_public = |text: &str| text.parse().is_ok_and(is_public);
/// assert!(is_public("1.1.1.1") && is_public("2606:4700::1111") && is_public("64:ff9b::101:101"));
/// for text in [
///     "127.0.0.1", "10.0.0.1", "172.31.0.1", "192.168.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "0.0.0.0",
///     "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "fe80::1", "fd00:ec2::254", "ff02::1",
///     "2002:a00:1::1", "2001:0:a00:1::1", "::10.0.0.1",
/// ] {
///     assert!(!is_public(text), "{text}");
/// }
/// ```
pub fn is_public(address: IpAddr) -> bool {
    let address = plain(address);
    let is_unicast = match address {
        IpAddr::V4(_) => true,
        IpAddr::V6(six) => Network { base: GLOBAL.into(), bits: 3 }.has(six.into()),
    };
    // A row that cannot be read closes everything.
    is_unicast && !rows().any(|row| Network::parse(row).is_none_or(|network| network.has(address)))
}

/// The closed networks.
fn rows() -> impl Iterator<Item = &'static str> {
    let rows = CLOSED.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| row.split('\t').next().unwrap_or_default())
}

/// The IPv6 addresses that are given out: `2000::/3`.
const GLOBAL: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_closed_network_can_be_read() {
        assert!(rows().count() > 10);
        for text in rows() {
            assert!(Network::parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_network_of_no_bits_has_every_address_of_its_kind() {
        let all = Network::parse("0.0.0.0/0").unwrap();
        assert!(all.has([9, 9, 9, 9].into()) && !all.has(Ipv6Addr::LOCALHOST.into()));
        assert!(Network::parse("::/0").unwrap().has(Ipv6Addr::LOCALHOST.into()));
    }
}
