//! The head of a request to the proxy: where it wants to go, and what is sent on.

use std::fmt::Write as _;

use hooks_facts::hosts::{Authority, Host};
use httparse::{EMPTY_HEADER, Header, Status};

/// Most bytes and fields of a head.
pub(super) const MOST: usize = 1 << 14;
const MOST_FIELDS: usize = 100;

/// Port of HTTP.
const PLAIN: u16 = 80;

/// Fields that are about this connection alone. `Host` is written anew.
const NOT_SENT_ON: [&str; 8] = [
    "connection",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    "keep-alive",
    "te",
    "upgrade",
    "host",
];

/// A request, as far as the proxy reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) host: Host,
    pub(super) port: u16,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `CONNECT`: bytes in both directions.
    Tunnel,
    /// A request in plain HTTP: the head that is sent on, and the length of what follows.
    Plain { head: String, body: Body },
}

/// Length of what follows a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Bytes(u64),
    Chunks,
}

/// Reads a head from the front of `bytes`, and returns its length too; `None` if it is not there as a whole.
///
/// # Errors
/// Returns the reason if programs could read it in several ways, or it is no request to a proxy.
pub(super) fn read(bytes: &[u8]) -> Result<Option<(Request, usize)>, String> {
    let mut fields = [EMPTY_HEADER; MOST_FIELDS];
    let mut head = httparse::Request::new(&mut fields);
    let length = match head.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) if bytes.len() < MOST => return Ok(None),
        Ok(Status::Partial) => return Err("its head is too long".to_owned()),
        Err(error) => return Err(format!("its head cannot be read: {error}")),
    };
    let (Some(method), Some(target), Some(version)) = (head.method, head.path, head.version) else {
        return Err("its head cannot be read".to_owned());
    };
    let request = match method {
        "CONNECT" => tunnel(target)?,
        _ => plain(method, target, version, head.headers)?,
    };
    Ok(Some((request, length)))
}

fn tunnel(target: &str) -> Result<Request, String> {
    match Authority::parse(target) {
        Some(Authority { host, port: Some(port) }) => Ok(Request { host, port, kind: Kind::Tunnel }),
        _ => Err(format!("`{target}` is not a host and a port")),
    }
}

fn plain(method: &str, target: &str, version: u8, fields: &[Header<'_>]) -> Result<Request, String> {
    let invalid = || format!("`{target}` is not a plain HTTP address; a proxy gets whole addresses");
    let (scheme, authority) = Authority::of_url(target).ok_or_else(invalid)?;
    let rest = target.split_once("://").map(|(_, rest)| rest).filter(|_| scheme == "http");
    let rest = rest.ok_or_else(invalid)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (written, path) = rest.split_at_checked(end).ok_or_else(invalid)?;
    if written.contains('@') {
        return Err(format!("`{written}` has the name of a user"));
    }
    let (host, port) = (authority.host, authority.port.unwrap_or(PLAIN));
    agrees(fields, &host, port)?;
    let body = body(fields)?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut head = format!("{method} {slash}{path} HTTP/1.{version}\r\nHost: {host}");
    if port != PLAIN {
        // A text takes all that is written.
        _ = write!(head, ":{port}");
    }
    for field in fields {
        let is_sent_on = !NOT_SENT_ON.iter().any(|name| field.name.eq_ignore_ascii_case(name));
        if is_sent_on {
            let value = str::from_utf8(field.value).map_err(|_| format!("`{}` is not UTF-8", field.name))?;
            _ = write!(head, "\r\n{}: {value}", field.name);
        }
    }
    // One request for each connection: each one is judged.
    head.push_str("\r\nConnection: close\r\n\r\n");
    Ok(Request { host, port, kind: Kind::Plain { head, body } })
}

fn values<'f>(fields: &'f [Header<'f>], name: &str) -> impl Iterator<Item = &'f str> {
    let named = fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
    // A value that is not UTF-8 agrees with nothing.
    named.map(|field| str::from_utf8(field.value).unwrap_or("?").trim())
}

/// Whether the field `Host` names the host of the address.
fn agrees(fields: &[Header<'_>], host: &Host, port: u16) -> Result<(), String> {
    let mut named = values(fields, "host");
    let (first, second) = (named.next(), named.next());
    let is_same = first.is_none_or(|text| {
        Authority::parse(text).is_some_and(|one| one.host == *host && one.port.unwrap_or(PLAIN) == port)
    });
    if is_same && second.is_none() {
        return Ok(());
    }
    Err(format!("its address names `{host}`, and its field `Host` names `{}`", first.unwrap_or_default()))
}

fn body(fields: &[Header<'_>]) -> Result<Body, String> {
    let lengths: Vec<&str> = values(fields, "content-length").collect();
    let codings: Vec<&str> = values(fields, "transfer-encoding").collect();
    match (lengths.as_slice(), codings.as_slice()) {
        ([], []) => Ok(Body::Bytes(0)),
        ([length], []) if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            length.parse().map(Body::Bytes).map_err(|_| format!("`{length}` is not a length"))
        }
        ([], [coding]) if coding.eq_ignore_ascii_case("chunked") => Ok(Body::Chunks),
        _ => Err("the length of its body can be read in several ways".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_whole(text: &str) -> Result<Request, String> {
        read(text.as_bytes()).map(|found| found.expect("it is whole").0)
    }

    #[test]
    fn a_plain_request_is_written_anew() {
        let text = "GET http://A.example:8080?q HTTP/1.1\r\nHost: a.example:8080\r\nProxy-Authorization: x\r\nAccept: */*\r\n\
                    Connection: keep-alive\r\n\r\n";
        let request = read_whole(text).unwrap();
        let head =
            "GET /?q HTTP/1.1\r\nHost: a.example:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n".to_owned();
        assert_eq!((request.host.to_string(), request.port), ("a.example".to_owned(), 8080));
        assert_eq!(request.kind, Kind::Plain { head, body: Body::Bytes(0) });
        assert_eq!(read(&text.as_bytes()[..text.len() - 1]), Ok(None));
    }

    #[test]
    fn a_tunnel_has_a_host_and_a_port() {
        let request = read_whole("CONNECT [::ffff:10.0.0.1]:443 HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!(
            (request.host.to_string(), request.port, request.kind),
            ("10.0.0.1".into(), 443, Kind::Tunnel)
        );
        for target in [
            "a.example",
            "a.example:",
            "u@a.example:443",
            "2130706433:443",
            "0177.0.0.1:443",
            "a.example:443:443",
        ] {
            let text = format!("CONNECT {target} HTTP/1.1\r\n\r\n");
            assert!(read_whole(&text).is_err(), "{target}");
        }
    }

    #[test]
    fn what_can_be_read_in_several_ways_is_refused() {
        for text in [
            "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nHost: a.example\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nHost: a.example:81\r\n\r\n",
            "GET http://u:p@a.example/ HTTP/1.1\r\n\r\n",
            "GET http://b.example@a.example/ HTTP/1.1\r\n\r\n",
            "GET ftp://a.example/ HTTP/1.1\r\n\r\n",
            "GET http://0x7f.1/ HTTP/1.1\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n",
        ] {
            assert!(read_whole(text).is_err(), "{text}");
        }
        let long = format!("GET http://a.example/ HTTP/1.1\r\nA: {}", "a".repeat(MOST));
        assert!(read(long.as_bytes()).is_err());
    }
}
