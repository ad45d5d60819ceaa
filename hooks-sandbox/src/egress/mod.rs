//! A proxy for a command: the only way out of its network, to the hosts of a list.
//!
//! It listens where the command is and connects from where the caller is. A host is judged by its name and port in the list, then by the
//! addresses that the name stands for: only the addresses that were judged are connected to. In a tunnel, the server name of TLS has to
//! be the host of the tunnel. In plain HTTP, the field `Host` has to be that of the address. A redirect comes back to the client, which
//! asks anew.
//!
//! Each connection has two threads, which wait for its sockets: a slow reader slows its writer down. Their number is bounded, and so are
//! the length of a head, the time for it and the time without a byte.

mod hello;
mod relay;
mod request;

use std::collections::BTreeMap;
use std::io::{self, BufReader, Cursor, ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hooks_facts::hosts::{Host, HostList};
use serde::{Deserialize, Serialize};

use self::hello::Hello;
use self::relay::Moved;
use self::request::{Kind, Request};

/// Most connections at the same time.
const MOST_AT_ONCE: usize = 128;

/// Most destinations that are recorded one by one.
const MOST_RECORDED: usize = 1_000;

/// Most addresses of a name that are tried.
const MOST_ADDRESSES: usize = 4;

/// Time for a head and for the first message of TLS, for a connection, and without a byte in either direction.
const HEAD_TIME: Duration = Duration::from_secs(10);
const CONNECT_TIME: Duration = Duration::from_secs(10);
const IDLE_TIME: Duration = Duration::from_secs(300);

/// Time for connections to be recorded when the command has ended.
const END_TIME: Duration = Duration::from_secs(1);

/// Time before a failed `accept` is tried again.
const RETRY_TIME: Duration = Duration::from_millis(50);

/// Memory of a thread.
const STACK: usize = 1 << 18;

/// Connections of a command to one destination.
///
/// ```
/// use hooks_sandbox::kernel::Connection;
///
/// // As `hooks exec --report` prints it, and the audit log has it.
/// let json = r#"{"host": "example.org", "port": 443, "refused": null, "count": 2, "sent": 517, "received": 4096}"#;
/// let connection: Connection = serde_json::from_str(json)?;
/// assert_eq!((connection.host.as_str(), connection.count), ("example.org", 2));
/// assert!(connection.refused.is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Connection {
    /// The name or address of the host, in the form in which it is compared; empty if a request names none.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The reason, if it was refused.
    pub refused: Option<String>,
    /// Number of such connections.
    pub count: u64,
    /// Bytes that the command has sent.
    pub sent: u64,
    /// Bytes that it has received.
    pub received: u64,
}

/// Addresses that a name stands for.
type LookUp = Box<dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync>;

/// The key by which connections are counted: host, port, and the reason of a refusal.
type Destination = (String, u16, Option<String>);

/// A proxy that runs.
#[derive(Debug)]
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    listener: TcpListener,
    accepting: JoinHandle<()>,
}

struct Shared {
    list: HostList,
    look_up: LookUp,
    open: Mutex<Open>,
    closed: Condvar,
    has_ended: AtomicBool,
    records: Mutex<BTreeMap<Destination, Connection>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("list", &self.list).finish_non_exhaustive()
    }
}

/// Sockets of the connections that run, so that the end of the command ends them.
#[derive(Debug, Default)]
struct Open {
    next: u64,
    sockets: BTreeMap<u64, Vec<TcpStream>>,
}

/// The time, for the deadlines of real sockets.
#[expect(clippy::disallowed_methods, reason = "a peer that is slow is slow in real time")]
fn now() -> Instant {
    Instant::now()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The addresses that this machine finds for a name.
pub(crate) fn of_machine(name: &str) -> io::Result<Vec<IpAddr>> {
    Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}

impl Proxy {
    /// Starts to accept connections.
    pub(crate) fn start(
        listener: TcpListener,
        list: HostList,
        look_up: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            list,
            look_up: Box::new(look_up),
            open: Mutex::default(),
            closed: Condvar::new(),
            has_ended: AtomicBool::new(false),
            records: Mutex::default(),
        });
        let (accepted, own) = (listener.try_clone()?, Arc::clone(&shared));
        let accepting = thread::Builder::new().stack_size(STACK).spawn(move || accept(&accepted, &own))?;
        Ok(Self { shared, listener, accepting })
    }

    /// Ends all connections, and returns what was recorded.
    pub(crate) fn end(self) -> Vec<Connection> {
        self.shared.has_ended.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts. A listener that is closed already needs none.
        _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
        drop(self.accepting.join());
        let open = locked(&self.shared.open);
        for socket in open.sockets.values().flatten() {
            // One that is closed already needs no end.
            drop(socket.shutdown(Shutdown::Both));
        }
        let are_open = |open: &mut Open| !open.sockets.is_empty();
        // What is looked up still is left behind.
        drop(self.shared.closed.wait_timeout_while(open, END_TIME, are_open));
        std::mem::take(&mut *locked(&self.shared.records)).into_values().collect()
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while !shared.has_ended.load(Ordering::SeqCst) {
        match listener.accept() {
            Ok((client, _)) => {
                // Without a thread for it, it is closed.
                drop(begin(client, shared));
            }
            Err(error) if error.kind() == ErrorKind::InvalidInput => return,
            // The client has gone, or there are too many open files: a connection that ends makes room.
            Err(_) => drop(shared.closed.wait_timeout(locked(&shared.open), RETRY_TIME)),
        }
    }
}

fn begin(client: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    let id = {
        let mut open = locked(&shared.open);
        if open.sockets.len() >= MOST_AT_ONCE {
            drop(open);
            let refused = Refused::new(&"", 0, format!("it has {MOST_AT_ONCE} connections already"));
            shared.record(&refused.host, refused.port, Some(&refused.why), &Moved::default());
            return answer(&client, "503 Service Unavailable", &refused);
        }
        open.next = open.next.wrapping_add(1);
        let id = open.next;
        open.sockets.insert(id, vec![client.try_clone()?]);
        id
    };
    let own = Arc::clone(shared);
    let serving = thread::Builder::new().stack_size(STACK).spawn(move || {
        let served = Served { shared: &own, id };
        drop(served.serve(&client));
    });
    if serving.is_err() {
        shared.close(id);
    }
    serving.map(drop)
}

/// A request that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Refused {
    host: String,
    port: u16,
    why: String,
}

impl Refused {
    fn new(host: &impl ToString, port: u16, why: impl Into<String>) -> Self {
        Self { host: host.to_string(), port, why: why.into() }
    }
}

impl Shared {
    fn close(&self, id: u64) {
        locked(&self.open).sockets.remove(&id);
        self.closed.notify_all();
    }

    fn record(&self, host: &str, port: u16, refused: Option<&str>, moved: &Moved) {
        let mut records = locked(&self.records);
        let mut key = (host.to_owned(), port, refused.map(str::to_owned));
        if records.len() >= MOST_RECORDED && !records.contains_key(&key) {
            // The rest, by whether it was refused.
            key = (String::new(), 0, refused.map(|_| "more destinations than are recorded".to_owned()));
        }
        let record = records.entry(key).or_insert_with_key(|(host, port, refused)| Connection {
            host: host.clone(),
            port: *port,
            refused: refused.clone(),
            ..Connection::default()
        });
        record.count += 1;
        record.sent = record.sent.saturating_add(moved.sent.load(Ordering::Relaxed));
        record.received = record.received.saturating_add(moved.received.load(Ordering::Relaxed));
    }

    /// The addresses to connect to, if the list allows the host and them.
    fn judge(&self, request: &Request) -> Result<Vec<SocketAddr>, String> {
        let Request { host, port, .. } = request;
        if !self.list.allows(host, *port) {
            return Err("it is not in the list of hosts that commands may connect to".to_owned());
        }
        let found = match host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => {
                (self.look_up)(name).map_err(|error| format!("no address was found for it: {error}"))?
            }
        };
        let count = found.len();
        let permitted = found.into_iter().filter(|address| self.list.allows_address(*address, *port));
        let addresses: Vec<SocketAddr> =
            permitted.take(MOST_ADDRESSES).map(|address| SocketAddr::new(address, *port)).collect();
        if addresses.is_empty() && count > 0 {
            return Err("it stands for an address that is not public and not in the list".to_owned());
        }
        Ok(addresses)
    }
}

/// One connection of the command.
struct Served<'s> {
    shared: &'s Shared,
    id: u64,
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        self.shared.close(self.id);
    }
}

impl Served<'_> {
    fn serve(&self, client: &TcpStream) -> io::Result<()> {
        let (request, rest) = match self.head(client)? {
            Ok(found) => found,
            Err(why) => return self.refuse(client, "400 Bad Request", &Refused::new(&"", 0, why)),
        };
        let Request { host, port, .. } = &request;
        let addresses = match self.shared.judge(&request) {
            Ok(addresses) => addresses,
            Err(why) => return self.refuse(client, "403 Forbidden", &Refused::new(host, *port, why)),
        };
        let server = match self.connect(&addresses) {
            Ok(server) => server,
            Err(error) => {
                // It was permitted, and nothing was sent.
                self.shared.record(&host.to_string(), *port, None, &Moved::default());
                let why = format!("no connection: {error}");
                return answer(client, "502 Bad Gateway", &Refused::new(host, *port, why));
            }
        };
        client.set_read_timeout(Some(IDLE_TIME))?;
        server.set_read_timeout(Some(IDLE_TIME))?;
        server.set_write_timeout(Some(IDLE_TIME))?;
        client.set_write_timeout(Some(IDLE_TIME))?;
        let moved = Moved::default();
        let done = match &request.kind {
            Kind::Tunnel => self.tunnel(client, &server, rest, &request, &moved),
            Kind::Plain { head, body } => {
                (&server).write_all(head.as_bytes())?;
                let from = BufReader::new(Cursor::new(rest).chain(client));
                // A server may take the end of what is sent for the end of the client.
                both(client, &server, &moved, None, || relay::copy_body(from, &server, *body, &moved))
                    .map_err(Failed::Broken)
            }
        };
        let refused = match done {
            Err(Failed::Refused(why)) => Some(why),
            // A connection that broke was one all the same.
            Ok(()) | Err(Failed::Broken(_)) => None,
        };
        self.shared.record(&host.to_string(), *port, refused.as_deref(), &moved);
        Ok(())
    }

    fn refuse(&self, client: &TcpStream, status: &str, refused: &Refused) -> io::Result<()> {
        self.shared.record(&refused.host, refused.port, Some(&refused.why), &Moved::default());
        answer(client, status, refused)
    }

    /// The request, and the bytes behind its head.
    fn head(&self, client: &TcpStream) -> io::Result<Result<(Request, Vec<u8>), String>> {
        let (mut bytes, until) = (Vec::new(), now() + HEAD_TIME);
        loop {
            match request::read(&bytes) {
                Ok(None) => more(client, &mut bytes, until, request::MOST)?,
                Ok(Some((request, length))) => {
                    return Ok(Ok((request, bytes.split_off(length.min(bytes.len())))));
                }
                Err(why) => return Ok(Err(why)),
            }
        }
    }

    /// A connection to one of the addresses that were judged.
    fn connect(&self, addresses: &[SocketAddr]) -> io::Result<TcpStream> {
        let mut failed = io::Error::from(ErrorKind::NotFound);
        for address in addresses {
            match TcpStream::connect_timeout(address, CONNECT_TIME) {
                Ok(server) => {
                    let mut open = locked(&self.shared.open);
                    if self.shared.has_ended.load(Ordering::SeqCst) {
                        return Err(ErrorKind::ConnectionAborted.into());
                    }
                    open.sockets.entry(self.id).or_default().push(server.try_clone()?);
                    return Ok(server);
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    fn tunnel(
        &self,
        client: &TcpStream,
        server: &TcpStream,
        mut first: Vec<u8>,
        request: &Request,
        moved: &Moved,
    ) -> Result<(), Failed> {
        let mut out = client;
        out.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
        // A port that the list names may have another protocol than TLS, of which the server may begin.
        let is_any = self.shared.list.names_port(&request.host, request.port);
        if !is_any {
            is_permitted(client, &mut first, &request.host)?;
        }
        both(client, server, moved, Some(Shutdown::Write), || {
            if is_any {
                if first.is_empty() {
                    let mut chunk = vec![0; request::MOST];
                    let read = { client }.read(&mut chunk)?;
                    chunk.truncate(read);
                    first = chunk;
                }
                if hello::is_tls(&first) {
                    is_permitted(client, &mut first, &request.host).map_err(io::Error::other)?;
                }
            }
            moved.sent.fetch_add(u64::try_from(first.len()).unwrap_or_default(), Ordering::Relaxed);
            { server }.write_all(&first)?;
            relay::copy(client, server, moved, &moved.sent)
        })
        .map_err(Failed::from)
    }
}

/// A connection that did not come to its end.
#[derive(Debug)]
enum Failed {
    Broken(io::Error),
    /// A refusal after it had begun.
    Refused(String),
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Broken(error) => error.fmt(f),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Failed {}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(failed) => failed,
            Err(error) => Self::Broken(error),
        }
    }
}

/// Reads the first message of TLS, and compares its server name with the host of the tunnel.
fn is_permitted(client: &TcpStream, first: &mut Vec<u8>, host: &Host) -> Result<(), Failed> {
    let until = now() + HEAD_TIME;
    let name = loop {
        match hello::read(first) {
            Hello::Incomplete => more(client, first, until, hello::MOST)?,
            Hello::Whole(name) => break name,
            Hello::Unreadable(why) => return Err(Failed::Refused(why.to_owned())),
        }
    };
    client.set_read_timeout(Some(IDLE_TIME))?;
    match (host, name) {
        (Host::Address(_), None) => Ok(()),
        (host, Some(name)) if Host::parse(&name).as_ref() == Some(host) => Ok(()),
        (_, Some(name)) => {
            Err(Failed::Refused(format!("the server name of its TLS is `{}`", name.escape_debug())))
        }
        (_, None) => Err(Failed::Refused("its TLS has no server name".to_owned())),
    }
}

/// Reads more of what has to come before a time.
fn more(mut client: &TcpStream, bytes: &mut Vec<u8>, until: Instant, most: usize) -> io::Result<()> {
    let left = until.saturating_duration_since(now());
    if left.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    client.set_read_timeout(Some(left))?;
    let mut chunk = vec![0; most.saturating_sub(bytes.len()).clamp(1, request::MOST)];
    match client.read(&mut chunk)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        read => {
            bytes.extend_from_slice(chunk.get(..read).unwrap_or_default());
            Ok(())
        }
    }
}

/// Copies in both directions at once: `sending` from the client, in this thread, and what the server answers in another one. `end` is what
/// the server sees when all is sent.
fn both(
    client: &TcpStream,
    server: &TcpStream,
    moved: &Moved,
    end: Option<Shutdown>,
    sending: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    thread::scope(|scope| {
        let answering = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            let done = relay::copy(server, client, moved, &moved.received);
            // The client reads the end, or has gone. If the server has gone, nothing more can be sent.
            let how = if done.is_ok() { Shutdown::Write } else { Shutdown::Both };
            drop(client.shutdown(how));
        });
        if let Err(error) = answering {
            drop(server.shutdown(Shutdown::Both));
            return Err(error);
        }
        let done = sending();
        match (&done, end) {
            (Ok(()), None) => {}
            // One that is closed already needs no end.
            (Ok(()), Some(end)) => drop(server.shutdown(end)),
            (Err(_), _) => drop((server.shutdown(Shutdown::Both), client.shutdown(Shutdown::Both))),
        }
        done
    })
}

fn answer(mut client: &TcpStream, status: &str, refused: &Refused) -> io::Result<()> {
    let Refused { host, port, why } = refused;
    let text = match host.is_empty() {
        true => format!("hooks: the request was refused: {why}\n"),
        false => format!("hooks: the connection to {host}:{port} was refused: {why}\n"),
    };
    client.set_write_timeout(Some(HEAD_TIME))?;
    let length = text.len();
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    )
}

#[cfg(test)]
mod tests;
