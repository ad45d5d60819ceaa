//! The proxy between real sockets on loopback. Names are looked up in a list of the test.

use std::io::BufRead;

use super::hello::tests::{records, server_name};
use super::*;

/// A server that answers each connection with what it has got until the client is silent, and counts connections.
struct Server {
    port: u16,
    got: std::sync::mpsc::Receiver<Vec<u8>>,
}

fn server() -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, got) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = vec![0; 9_999];
            let read = stream.read(&mut bytes).unwrap_or_default();
            bytes.truncate(read);
            drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"));
            sender.send(bytes).unwrap();
        }
    });
    Server { port, got }
}

fn proxy(list: &[String]) -> (Proxy, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let look_up = |name: &str| {
        let address = match name {
            "a.example" | "b.example" => "127.0.0.1",
            "mapped.example" => "::ffff:127.0.0.1",
            "metadata.example" => "169.254.169.254",
            _ => return Err(ErrorKind::NotFound.into()),
        };
        Ok(vec![address.parse().unwrap()])
    };
    (Proxy::start(listener, HostList::new(list).unwrap(), look_up).unwrap(), address)
}

/// Sends bytes to the proxy, and reads until the end.
fn asked(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).into_owned()
}

/// The answer to a tunnel with first bytes in it.
fn tunnelled(address: SocketAddr, target: &str, bytes: &[u8]) -> String {
    let head = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
    asked(address, &[head.as_bytes(), bytes].concat())
}

#[test]
fn a_plain_request_goes_to_a_listed_host_alone() {
    let server = server();
    let port = server.port;
    let (proxy, address) = proxy(&[format!("a.example:{port}"), "127.0.0.0/8".to_owned()]);
    let get = |host: &str| asked(address, format!("GET http://{host}:{port}/x HTTP/1.1\r\n\r\n").as_bytes());
    assert!(get("a.example").ends_with("ok"));
    let head = String::from_utf8(server.got.recv().unwrap()).unwrap();
    assert_eq!(head, format!("GET /x HTTP/1.1\r\nHost: a.example:{port}\r\nConnection: close\r\n\r\n"));
    assert!(get("b.example").starts_with("HTTP/1.1 403"));
    assert!(get("localhost").contains("it is not in the list"));
    let records = proxy.end();
    let short: Vec<_> =
        records.iter().map(|one| (&*one.host, one.refused.is_some(), one.received > 0)).collect();
    assert_eq!(short, [("a.example", false, true), ("b.example", true, false), ("localhost", true, false)]);
    assert!(server.got.try_recv().is_err());
}

#[test]
fn an_address_that_is_not_public_has_to_be_listed_as_well() {
    let server = server();
    let port = server.port;
    let names = ["a.example", "mapped.example", "metadata.example"].map(|name| format!("{name}:{port}"));
    let (proxy, address) = proxy(&names);
    for name in ["a.example", "mapped.example", "metadata.example"] {
        let answer = tunnelled(address, &format!("{name}:{port}"), b"x");
        assert!(answer.contains("not public"), "{answer}");
    }
    assert!(tunnelled(address, &format!("127.0.0.1:{port}"), b"x").contains("not in the list"));
    assert!(tunnelled(address, "169.254.169.254:80", b"x").contains("not in the list"));
    assert!(tunnelled(address, "2852039166:80", b"x").starts_with("HTTP/1.1 400"));
    assert!(proxy.end().iter().all(|one| one.refused.is_some() && one.sent == 0));
    assert!(server.got.try_recv().is_err());
}

#[test]
fn the_server_name_of_tls_is_the_host_of_the_tunnel() {
    let server = server();
    let port = server.port;
    let (proxy, address) =
        proxy(&[format!("a.example:{port}"), format!("b.example:{port}"), "127.0.0.1".to_owned()]);
    let target = format!("a.example:{port}");
    let hello = |name: &str| records(&server_name(name), 20);
    assert!(tunnelled(address, &target, &hello("A.example")).ends_with("ok"));
    assert_eq!(server.got.recv().unwrap().first(), Some(&22));
    // It is listed, and another one.
    assert!(!tunnelled(address, &target, &hello("b.example")).contains("ok"));
    assert!(!tunnelled(address, &target, &records(&[], 99)).contains("ok"));
    let refused: Vec<_> = proxy.end().into_iter().filter_map(|one| one.refused).collect();
    assert_eq!(refused, ["its TLS has no server name", "the server name of its TLS is `b.example`"]);
    drop(server);
}

/// The ports of the web have TLS in a tunnel, others what the list was written for.
#[test]
fn a_named_port_may_have_another_protocol() {
    let server = server();
    let port = server.port;
    let (proxy, address) = proxy(&[format!("a.example:{port}"), "127.0.0.1".to_owned()]);
    assert!(tunnelled(address, &format!("a.example:{port}"), b"SSH-2.0-x\r\n").ends_with("ok"));
    assert_eq!(server.got.recv().unwrap(), b"SSH-2.0-x\r\n");
    let [record] = &proxy.end()[..] else { panic!("one destination") };
    assert_eq!((record.sent, record.received > 0, record.count), (11, true, 1));
}

#[test]
fn the_end_of_the_command_ends_its_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (proxy, address) = proxy(&[format!("a.example:{port}"), "127.0.0.1".to_owned()]);
    let mut client = TcpStream::connect(address).unwrap();
    client.write_all(format!("CONNECT a.example:{port} HTTP/1.1\r\n\r\nabc").as_bytes()).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    let mut got = [0; 3];
    server.read_exact(&mut got).unwrap();
    // Nothing moves any more, and a second one has sent nothing at all.
    let silent = TcpStream::connect(address).unwrap();
    let mut line = String::new();
    BufReader::new(&client).read_line(&mut line).unwrap();
    let [record] = &proxy.end()[..] else { panic!("one destination") };
    assert_eq!((record.sent, record.refused.as_deref()), (3, None));
    assert_eq!(server.read(&mut got).unwrap_or_default(), 0);
    drop(silent);
}

/// A reader that does not read holds its writer back, and nothing is lost.
#[test]
fn a_stream_goes_at_the_pace_of_its_reader() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (proxy, address) = proxy(&[format!("a.example:{port}"), "127.0.0.1".to_owned()]);
    let sent: Vec<u8> = (0..20_000_000_u32).map(|number| (number % 251) as u8).collect();
    let expected = sent.clone();
    let writer = thread::spawn(move || {
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(format!("CONNECT a.example:{port} HTTP/1.1\r\n\r\n").as_bytes()).unwrap();
        client.write_all(&sent).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        client.read_to_end(&mut Vec::new()).unwrap();
    });
    let (mut server, _) = listener.accept().unwrap();
    let mut got = Vec::new();
    server.read_to_end(&mut got).unwrap();
    drop(server);
    assert!(got == expected);
    writer.join().unwrap();
    assert_eq!(proxy.end()[0].sent, 20_000_000);
}
