//! Network addresses. Loopback, unspecified and broadcast addresses and masks are not personal; version and
//! section numbers are not addresses.
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("peer 81.2.69.142, port of 127.0.0.1"), "peer [IPV4_REDACTED], port of 127.0.0.1");
//! ```

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{
    digits::Sequence,
    label::Label,
    span::Span,
    text::{byte, byte_before, has_word, line_before, run_end, run_start},
};

/// Words in front of four numbers that are not an address.
const NOT_BEFORE: &[&str] = &[
    "version",
    "versions",
    "ver",
    "v",
    "release",
    "build",
    "schema",
    "oid",
    "section",
    "sections",
    "sec",
    "sect",
    "table",
    "figure",
    "clause",
    "paragraph",
    "appendix",
    "chapter",
    "rev",
    "revision",
    "assemblyversion",
    "fileversion",
    "productversion",
    "appversion",
    "clause",
    "broadcast",
    "brd",
    "bcast",
    "netmask",
    "driver",
    "firmware",
    "patch",
    "upgrade",
    "upgraded",
    "sdk",
    "dll",
    "jdk",
    "jre",
    "chrome",
    "chromium",
    "edge",
    "firefox",
    "openssl",
    "kernel",
    "plugin",
    "package",
    "hotfix",
    "spec",
    "rv",
];

/// Words behind four numbers that are not an address.
const NOT_AFTER: &[&str] = &["kernel", "release", "version", "build"];

/// Parses an IPv4 address from the start of `sequence`.
pub(super) fn ipv4(sequence: &Sequence<'_>) -> Option<(usize, usize)> {
    let groups = sequence.groups();
    let (first, fourth) = (*groups.first()?, *groups.get(3)?);
    if groups.iter().take(4).any(|group| group.len() > 3) || sequence.separators(4).any(|s| s != b".") {
        return None;
    }
    let bytes = sequence.bytes;
    let address: Ipv4Addr = std::str::from_utf8(bytes.get(first.start..fourth.end)?).ok()?.parse().ok()?;
    let before = byte_before(bytes, first.start);
    // The slashes of a scheme may precede it, but a path or a name may not.
    let inside = before.is_ascii_alphanumeric() || before == b'_' || before == b'.';
    let opens = !inside && (before != b'-' || !is_joined(bytes, first.start));
    let (next, after) = (byte(bytes, fourth.end), byte(bytes, fourth.end + 1));
    let words = line_before(bytes, first.start, 18);
    let joined =
        (next == b'.' && after.is_ascii_alphanumeric() && !is_with_port(bytes, first.start, fourth.end))
            || (b"-+".contains(&next) && after.is_ascii_alphabetic());
    let closes = !next.is_ascii_alphanumeric() && next != b'_' && !joined;
    let personal = is_personal(address);
    let heading = is_heading(sequence, first.start, fourth.end, address);
    let next_word = bytes.get(fourth.end..bytes.len().min(fourth.end + 9)).unwrap_or_default();
    let object = has_word(line_before(bytes, first.start, 64), &["oid", "oids", "objectidentifier"]);
    let version = !is_surely_address(address)
        && (object
        || is_version(bytes, first.start, address)
        || follows_word(words, NOT_BEFORE)
        // `upgrade 1.2.3.4 -> 1.2.3.5`
        || (words.ends_with(b"-> ") && has_word(line_before(bytes, first.start, 48), NOT_BEFORE))
        || has_word(next_word, NOT_AFTER));
    // `[MS-DCOM] 2.2.19.3`, `§13.1.2.4`
    let section = address.octets().iter().all(|number| *number < 32)
        && (words.ends_with(b"] ") || words.ends_with("§".as_bytes()) || words.ends_with("§ ".as_bytes()));
    // Numbers of a drawing: `1.3-1 1.6.6.1 1.3`
    let drawing = address.octets().iter().all(|number| *number < 10)
        && words.strip_suffix(b" ").and_then(<[u8]>::last).is_some_and(u8::is_ascii_digit);
    (opens && closes && personal && !heading && !version && !section && !drawing)
        .then_some((first.start, fourth.end))
}

/// Returns whether the port follows an address as a fifth number: in what tcpdump shows, `IP 10.1.2.3.443 > 10.1.2.4.51022:`, and in
/// the list of connections of BSD, `tcp4 0 0 10.1.2.3.443 …`.
fn is_with_port(bytes: &[u8], start: usize, end: usize) -> bool {
    let port = run_end(bytes, end + 1, 6, |b| b.is_ascii_digit());
    let line = line_before(bytes, start, 96);
    let flow = line.ends_with(b"IP ")
        || line.ends_with(b" > ")
        || bytes.get(port..).is_some_and(|rest| rest.starts_with(b" > "));
    let listed = line.starts_with(b"tcp4 ") || line.starts_with(b"udp4 ") || line.starts_with(b"tcp46 ");
    (flow || listed) && matches!(byte(bytes, port), b' ' | b':' | b'\n' | 0)
}

/// Returns whether the last word before a number is one of `words`, but for a link such as "is".
fn follows_word(before: &[u8], words: &[&str]) -> bool {
    let links = [&b" is"[..], b" number", b" no", b" of", b" to", b" was", b" -"];
    let trimmed = |text: &[u8]| {
        let length = text.iter().rposition(|b| !b" \t:=\"'([#".contains(b)).map_or(0, |last| last + 1);
        text.get(..length).unwrap_or_default().to_vec()
    };
    let mut before = trimmed(before);
    if let Some(link) = links.iter().find(|link| before.to_ascii_lowercase().ends_with(link)) {
        before = trimmed(before.get(..before.len() - link.len()).unwrap_or_default());
    }
    let start = before.iter().rposition(|b| !b.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    let option = before.get(start.wrapping_sub(1)) == Some(&b'-');
    !option && has_word(before.get(start..).unwrap_or_default(), words)
}

/// Returns whether the text before four numbers shows a version: `name/1.2.3.4`, `name==1.2.3.4`, `fileVersion="`.
fn is_version(bytes: &[u8], start: usize, address: Ipv4Addr) -> bool {
    let before = line_before(bytes, start, 24);
    let required: [&[u8]; 7] = [b"==", b">=", b"<=", b"~=", b"~>", b"^", b"~"];
    let product = before.strip_suffix(b"/").and_then(<[u8]>::last).is_some_and(u8::is_ascii_alphanumeric);
    let named = before.trim_ascii_end().len() >= 7 && {
        let end = before.iter().rposition(|b| !b" \t:=\"'([".contains(b)).map_or(0, |last| last + 1);
        before.get(..end).unwrap_or_default().to_ascii_lowercase().ends_with(b"version")
    };
    // `worker-2/10.0.1.2` is the address of a node.
    named
        || (product && !address.is_private())
        || required.iter().any(|sign| before.trim_ascii_end().ends_with(sign))
}

/// Returns whether an address begins with a number that no numbering of versions reaches, from 192 on: the former class C. Those
/// behind it are of no single machine.
const fn is_surely_address(address: Ipv4Addr) -> bool {
    matches!(address.octets(), [192..=223, ..])
}

fn is_joined(bytes: &[u8], start: usize) -> bool {
    start.checked_sub(2).is_some_and(|at| byte(bytes, at).is_ascii_alphanumeric())
}

/// Returns whether an address may identify a machine.
fn is_personal(address: Ipv4Addr) -> bool {
    let [first, ..] = address.octets();
    // Object identifiers of directory services: `2.5.4.3`, `2.5.29.17`.
    let object = matches!(address.octets(), [2, 5, 4 | 6 | 8 | 13 | 18 | 20 | 21 | 23 | 29, _]);
    // Masks start with 255; the network 0 is "this host", and its members are wildcard masks.
    !object && !address.is_loopback() && first != 255 && first != 0
}

/// Returns whether the numbers are the start of a heading such as `3.1.4.2 Scope`.
fn is_heading(sequence: &Sequence<'_>, start: usize, end: usize, address: Ipv4Addr) -> bool {
    let bytes = sequence.bytes;
    let line = line_before(bytes, start, 8);
    address.octets().iter().all(|number| *number < 32)
        && line.iter().all(|b| b" \t#*/".contains(b))
        && (byte(bytes, end) == b' ' && byte(bytes, end + 1).is_ascii_uppercase()
            || byte(bytes, end) == b'\n' && line.ends_with(b"// "))
}

/// Length of the longest text form of an IPv6 address, plus one byte.
const MAX_IPV6: usize = 46;

/// Parses the IPv6 address around the colon at `at`; returns the position at which to continue.
pub(super) fn ipv6(text: &str, at: usize, found: &mut Vec<Span>) -> usize {
    let bytes = text.as_bytes();
    let class = |b: u8| b.is_ascii_hexdigit() || b == b':' || b == b'.';
    let mut start = run_start(bytes, at, MAX_IPV6, class);
    let mut end = run_end(bytes, at, MAX_IPV6, class);
    while end > at
        && b".:".contains(&byte_before(bytes, end))
        && !text.get(start..end).is_some_and(|t| t.ends_with("::"))
    {
        end -= 1;
    }
    // `host:2001:db8::1`, `[::1]:80`: a single colon or full stop in front belongs to the text before.
    while start < at
        && b".:".contains(&byte(bytes, start))
        && !text.get(start..end).is_some_and(|t| t.starts_with("::"))
    {
        start += 1;
    }
    let miss = run_end(bytes, at, usize::MAX, |b| b == b':');
    // A colon after an address that was found already is a miss too, so that the walk always makes progress.
    if end <= at || is_word(byte_before(bytes, start)) || is_word(byte(bytes, end)) {
        return miss;
    }
    let address = text.get(start..end).filter(|t| is_plausible(t)).and_then(|t| t.parse::<Ipv6Addr>().ok());
    let personal = |address: &Ipv6Addr| {
        let mapped = address.to_ipv4_mapped();
        !address.is_loopback() && !address.is_unspecified() && mapped.is_none_or(is_personal)
    };
    if address.filter(personal).is_none() {
        return miss;
    }
    found.push(Span::new(start, end, Label::Ipv6));
    end
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// Returns whether the groups look like an address in use, and not like a path of code, a time or a hardware
/// address.
fn is_plausible(text: &str) -> bool {
    if text.starts_with("::") {
        return text.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("::ffff:"));
    }
    let groups = text.split(':');
    let full = groups.clone().count() == 8 && !groups.clone().all(|group| group.len() == 2);
    let first = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let allocated = match first.as_bytes() {
        [b'2' | b'3', _, _, _] | [b'f', b'c' | b'd' | b'e' | b'f', _, _] => true,
        other => other == b"64",
    };
    full || (text.contains("::") && allocated && text.bytes().any(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::{digits::testing::found, label::Label};

    #[test]
    fn version_4() {
        for (text, wanted) in [
            ("from 203.0.113.7 port 22", "203.0.113.7"),
            ("connect 10.1.2.3:5432", "10.1.2.3"),
            ("http://192.0.2.10/api", "192.0.2.10"),
            ("10.0.0.0/8", "10.0.0.0"),
            ("is 192.168.1.20.", "192.168.1.20"),
            ("inet 172.16.5.4  netmask 255.255.0.0", "172.16.5.4"),
            ("10.1.2.3 db.internal", "10.1.2.3"),
            ("ssh -v 10.1.2.3", "10.1.2.3"),
            ("client v1.2 from 203.0.113.9", "203.0.113.9"),
            ("agent version 2 at 203.0.113.9", "203.0.113.9"),
            ("Node: worker-2/10.0.1.2", "10.0.1.2"),
            ("login on edge 203.0.113.7", "203.0.113.7"),
            ("login on edge 203.0.112.7", "203.0.112.7"),
            ("IP 10.0.1.2.51022 > x: Flags", "10.0.1.2"),
            ("tcp4  0  0  10.0.1.2.443  x.443", "10.0.1.2"),
        ] {
            assert_eq!(found(text, &[Label::Ipv4]), [wanted], "{text}");
        }
        for text in [
            "127.0.0.1",
            "0.0.0.0:80",
            "255.255.255.0",
            "255.255.255.255",
            "2024.01.15.1",
            "v1.2.3.4",
            "version 1.2.3.4",
            "1.3.6.1.4.1.311",
            "pkg-1.2.3.4.tar.gz",
            "1.2.3.4-beta",
            "3.1.4.2 Scope",
            "192.168.1.256",
            "0.0.0.255",
            "new(\"2.5.29.17\")",
            "ObjectIdentifier::new_unwrap(\"2.23.133.8\")",
            "4.19.0.1 kernel",
            "Mozilla/1.2.3.4 (X11)",
            "numpy>=1.2.3.4",
            "upgrade 1.0.0.0 -> 1.0.0.1",
            "AssemblyFileVersion(\"1.2.3.4\")",
            "on edge 121.0.112.7",
            "driver 31.0.15.45",
        ] {
            assert!(found(text, &[Label::Ipv4]).is_empty(), "{text}");
        }
    }

    #[test]
    fn version_6() {
        for (text, wanted) in [
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("AAAA 2001:0db8:0000:0000:0000:ff00:0042:8329", "2001:0db8:0000:0000:0000:ff00:0042:8329"),
            ("inet6 fe80::1ff:fe23:4567:890a%eth0", "fe80::1ff:fe23:4567:890a"),
            ("net fd00::/8", "fd00::"),
            ("::ffff:203.0.113.9", "::ffff:203.0.113.9"),
            ("ip: 2001:db8::42.", "2001:db8::42"),
            ("2001:db8::42: no route", "2001:db8::42"),
        ] {
            assert_eq!(found(text, &[Label::Ipv6]), [wanted], "{text}");
        }
        for text in [
            "::1",
            "::",
            "[::1]:80",
            "std::fmt",
            "abc::def",
            "12:30:45",
            "00:1b:44:11:3a:b7",
            "00:11:22:33:44:55:66:77",
            "dead::beef",
            "::ffff:127.0.0.1",
            "a::b1::c",
        ] {
            assert!(found(text, &[Label::Ipv6]).is_empty(), "{text}");
        }
    }
}
