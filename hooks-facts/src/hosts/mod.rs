//! Hosts of connections: their names in URLs, lists of hosts, and addresses that are not public.
//!
//! A text that programs read in several ways has no host here: `0x7f.1`, `2130706433`, letters beyond ASCII, escapes.
//!
//! ```
//! use hooks_facts::hosts::{Host, HostList};
//!
//! let list = HostList::new(&["*.example.org", "db.example.net:5432", "10.1.0.0/16"])?;
//! let allows = |host: &str, port| Host::parse(host).is_some_and(|host| list.allows(&host, port));
//! assert!(allows("a.example.org", 443) && allows("A.Example.ORG.", 80));
//! assert!(!allows("example.org", 443) && !allows("a.example.org", 22));
//! assert!(allows("db.example.net", 5432) && !allows("db.example.net", 443));
//! assert!(allows("10.1.2.3", 443) && !allows("10.2.0.1", 443) && !allows("0x0a.1.2.3", 443));
//! // A name may stand for any address: it is judged after the look-up.
//! assert!(list.allows_address("10.1.2.3".parse()?, 443) && list.allows_address("1.1.1.1".parse()?, 443));
//! assert!(!list.allows_address("169.254.169.254".parse()?, 80));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod network;
mod text;

use std::fmt;
use std::net::IpAddr;

use self::network::{Network, plain};
pub use self::network::{is_loopback, is_public};
pub use self::text::{Authority, is_within, of_url, pattern};

/// Ports of an entry that names none: HTTP and HTTPS.
const WEB: [u16; 2] = [80, 443];

/// The other end of a connection, in the form in which hosts are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name in lower case, without a dot at its end.
    Name(String),
    /// An address. An IPv4 address that is written as an IPv6 address is the IPv4 address.
    Address(IpAddr),
}

impl Host {
    /// Reads a host without a port; an IPv6 address may have brackets. Returns `None` if programs could read it in several ways.
    ///
    /// ```
    /// use hooks_facts::hosts::Host;
    ///
    /// assert_eq!(Host::parse("Example.org."), Some(Host::Name("example.org".to_owned())));
    /// assert_eq!(Host::parse("[::ffff:127.0.0.1]"), Host::parse("127.0.0.1"));
    /// for text in ["", "2130706433", "0177.0.0.1", "127.1", "0x7f000001", "bücher.example", "a b", "a..b"] {
    ///     assert_eq!(Host::parse(text), None, "{text}");
    /// }
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let address = match bare {
            Some(bare) => Some(IpAddr::V6(bare.parse().ok()?)),
            None => text.strip_suffix('.').unwrap_or(text).parse().ok(),
        };
        match address {
            Some(address) => Some(Self::Address(plain(address))),
            None => text::normal(text).map(Self::Name),
        }
    }

    /// Whether the host is this machine by its name or address.
    ///
    /// ```
    /// use hooks_facts::hosts::Host;
    ///
    /// let is_loopback = |text| Host::parse(text).is_some_and(|host| host.is_loopback());
    /// assert!(is_loopback("localhost") && is_loopback("127.8.0.1") && is_loopback("[::1]") && is_loopback("a.localhost"));
    /// assert!(!is_loopback("10.0.0.1") && !is_loopback("localhost.example.org"));
    /// ```
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => name == "localhost" || name.ends_with(".localhost"),
            Self::Address(address) => is_loopback(*address),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Address(address) => address.fmt(f),
        }
    }
}

/// Hosts that may be connected to.
///
/// An entry is a name (`example.org`), all names below one (`*.example.org`), an address or a network (`10.1.0.0/16`), each
/// perhaps with a port (`example.org:8443`, `[::1]:80`). Without a port, it is about the ports 80 and 443.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostList(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    of: Of,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Of {
    /// A pattern, as [`is_within`] compares it.
    Names(String),
    Network(Network),
}

/// Error for a text that is no entry of a list of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAHost {
    /// Index of the text.
    pub index: usize,
    /// The text.
    pub text: String,
}

impl fmt::Display for NotAHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a host; expected a name (`example.org`), all names below one (`*.example.org`), an address or a \
             network (`10.1.0.0/16`), each perhaps with a port (`example.org:8443`)",
            self.text
        )
    }
}

impl std::error::Error for NotAHost {}

impl HostList {
    /// Reads the entries of a list.
    ///
    /// # Errors
    /// Returns the first text that is not an entry: a URL, a name with letters beyond ASCII, `*` elsewhere than at the beginning.
    ///
    /// ```
    /// use hooks_facts::hosts::HostList;
    ///
    /// assert!(HostList::new(&["example.org", "[2001:db8::1]:8080", "::1"]).is_ok());
    /// for wrong in ["https://a.org", "a.org/x", "*", "a.*.org", "bücher.example", "a.org:0", "10.0.0.0/33", "10.1.2.3/8", ""] {
    ///     assert_eq!(HostList::new(&["a.org", wrong]).map_err(|error| error.index), Err(1), "{wrong}");
    /// }
    /// ```
    pub fn new(texts: &[impl AsRef<str>]) -> Result<Self, NotAHost> {
        let entry = |(index, text): (usize, &str)| {
            Entry::parse(text).ok_or_else(|| NotAHost { index, text: text.to_owned() })
        };
        texts.iter().map(AsRef::as_ref).enumerate().map(entry).collect::<Result<_, _>>().map(Self)
    }

    /// Whether the list has no entry.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a host may be connected to, by its name or address.
    pub fn allows(&self, host: &Host, port: u16) -> bool {
        self.0
            .iter()
            .any(|entry| entry.has(host) && entry.port.map_or(WEB.contains(&port), |own| own == port))
    }

    /// Whether an entry names this port of a host, and not only the host.
    pub fn names_port(&self, host: &Host, port: u16) -> bool {
        self.0.iter().any(|entry| entry.port == Some(port) && entry.has(host))
    }

    /// Whether an address may be connected to that a permitted name stands for: a public one, or one in the list.
    pub fn allows_address(&self, address: IpAddr, port: u16) -> bool {
        let address = plain(address);
        let is_listed = |entry: &Entry| match &entry.of {
            Of::Names(name) => name == "localhost" && is_loopback(address),
            Of::Network(network) => network.has(address),
        };
        is_public(address)
            || self.0.iter().any(|entry| is_listed(entry) && entry.port.is_none_or(|own| own == port))
    }
}

impl Entry {
    fn parse(text: &str) -> Option<Self> {
        if let Some(network) = Network::parse(text) {
            return Some(Self { of: Of::Network(network), port: None });
        }
        // A star stands for at least one label.
        let bare = text.strip_prefix("*.").unwrap_or(text);
        let Authority { host, port } = Authority::parse(bare)?;
        if port == Some(0) {
            return None;
        }
        let of = match (host, bare.len() < text.len()) {
            (Host::Name(name), true) => Of::Names(format!("*.{name}")),
            (Host::Name(name), false) => Of::Names(name),
            (Host::Address(address), false) => Of::Network(Network::of_address(address)),
            (Host::Address(_), true) => return None,
        };
        Some(Self { of, port })
    }

    fn has(&self, host: &Host) -> bool {
        match (&self.of, host) {
            (Of::Names(pattern), Host::Name(name)) => is_within(name, pattern),
            (Of::Network(network), Host::Address(address)) => network.has(*address),
            _ => false,
        }
    }
}
