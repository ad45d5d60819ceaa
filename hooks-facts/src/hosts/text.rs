//! Hosts in URLs. A text that programs read in several ways has no host here.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::Host;

/// Returns a pattern in the form in which hosts are compared; `None` if it is not a host.
///
/// ```
/// assert_eq!(hooks_facts::hosts::pattern("*.Example.org"), Some("*.example.org".to_owned()));
/// ```
pub fn pattern(text: &str) -> Option<String> {
    let name = text.strip_prefix("*.").unwrap_or(text);
    let name = comparable(Host::parse(name)?);
    Some(if text.starts_with("*.") { format!("*.{name}") } else { name })
}

/// Returns whether `host` matches a pattern.
///
/// ```
/// use hooks_facts::hosts::is_within;
///
/// assert!(is_within("a.example.org", "*.example.org") && !is_within("example.org", "*.example.org"));
/// ```
pub fn is_within(host: &str, pattern: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(below) => host.len() > below.len() && host.ends_with(below),
        None => host == pattern,
    }
}

/// Returns the host of a URL with `://`, in lower case. Returns `None` for other texts, and if programs could read the host
/// in several ways: backslashes, escapes, spaces, letters beyond ASCII, and numbers that stand for an address.
///
/// ```
/// use hooks_facts::hosts::of_url;
///
/// assert_eq!(of_url("https://good.example@evil.example/a"), Some("evil.example".to_owned()));
/// assert_eq!(of_url("http://2130706433/"), None);
/// ```
pub fn of_url(url: &str) -> Option<String> {
    Some(comparable(Authority::of_url(url)?.1.host))
}

fn comparable(host: Host) -> String {
    match host {
        Host::Name(name) => name,
        Host::Address(address) => address.to_string(),
    }
}

/// The host and the port of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// The host.
    pub host: Host,
    /// The port, if one is written.
    pub port: Option<u16>,
}

impl Authority {
    /// Reads `HOST` or `HOST:PORT`, without a name of a user.
    ///
    /// ```
    /// use hooks_facts::hosts::Authority;
    ///
    /// let port = |text| Authority::parse(text).map(|authority| authority.port);
    /// assert_eq!((port("[::1]:80"), port("a.example"), port("::1")), (Some(Some(80)), Some(None), Some(None)));
    /// assert_eq!((port("user@a.example:80"), port("a.example:+80"), port("a.example:65536")), (None, None, None));
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.rsplit_once(':') {
            _ if text.parse::<Ipv6Addr>().is_ok() => (text, ""),
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (text, ""),
        };
        // An IPv6 address before a port needs brackets.
        if host.contains(':') && host != text && !host.starts_with('[') {
            return None;
        }
        if !port.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let port = if port.is_empty() { None } else { Some(port.parse().ok()?) };
        Some(Self { host: Host::parse(host)?, port })
    }

    /// The scheme of a URL with `://`, in lower case, and what it connects to.
    ///
    /// ```
    /// use hooks_facts::hosts::Authority;
    ///
    /// let (scheme, authority) = Authority::of_url("HTTPS://a.example:8443/x").expect("it is a URL");
    /// assert_eq!((&*scheme, authority.port), ("https", Some(8443)));
    /// ```
    pub fn of_url(url: &str) -> Option<(String, Self)> {
        let (scheme, rest) = url.trim_matches(' ').split_once("://")?;
        if scheme.is_empty() || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
            return None;
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic() && c != '\\');
        // Spaces and backslashes anywhere can move the end of the host.
        if !is_plain(authority) || rest.contains(['\\', '\t', '\n', '\r']) {
            return None;
        }
        let (user, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        if user.contains('@') || place.parse::<Ipv6Addr>().is_ok() {
            return None;
        }
        Some((scheme.to_ascii_lowercase(), Self::parse(place)?))
    }
}

/// A host in lower case and without a dot at its end; `None` if it is not one in a form that all programs read alike.
pub(super) fn normal(host: &str) -> Option<String> {
    if let Ok(address) = host.parse::<Ipv6Addr>() {
        return Some(address.to_string());
    }
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    if host.is_empty() || !host.split('.').all(is_label) {
        return None;
    }
    // `0x7f.1`, `017700000001` and `2130706433` are addresses for some programs.
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = last.chars().all(|c| c.is_ascii_digit()) || last.starts_with("0x");
    (!is_number || host.parse::<Ipv4Addr>().is_ok()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_the_one_that_is_called() {
        for (url, host) in [
            ("https://Example.com/a?b", Some("example.com")),
            ("https://example.com.:8443", Some("example.com")),
            ("http://good.com@evil.com/", Some("evil.com")),
            ("http://good.com:80@evil.com/", Some("evil.com")),
            ("http://evil.com#@good.com/", Some("evil.com")),
            ("http://evil.com?@good.com/", Some("evil.com")),
            ("http://[::1]:80/", Some("::1")),
            ("http://127.0.0.1/", Some("127.0.0.1")),
            ("http://evil.com\\@good.com/", None),
            ("http://evil.com\\.good.com/", None),
            ("http://ev\til.com/", None),
            ("http://%65vil.com/", None),
            ("http://a@b@evil.com/", None),
            ("http://2130706433/", None),
            ("http://0x7f000001/", None),
            ("http://127.1/", None),
            ("http://ｅvil.com/", None),
            ("http:///path", None),
            ("http:evil.com", None),
            ("//evil.com/", None),
            ("evil.com", None),
            ("http://evil.com:80x/", None),
        ] {
            assert_eq!(of_url(url).as_deref(), host, "{url}");
        }
    }

    #[test]
    fn a_star_is_every_host_below() {
        let below = pattern("*.Example.com").unwrap();
        for (host, is_below) in [
            ("a.example.com", true),
            ("a.b.example.com", true),
            ("example.com", false),
            ("badexample.com", false),
        ] {
            assert_eq!(is_within(host, &below), is_below, "{host}");
        }
        assert!(is_within("example.com", &pattern("example.com.").unwrap()));
        for wrong in ["", "*", "*.", "a b", "https://a.com", "a.com/x", "*a.com", "a.*"] {
            assert_eq!(pattern(wrong), None, "{wrong}");
        }
    }
}
