use hooks_core::testing::FakeTimer;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// A server on loopback, and the streams of a proxy to it.
struct World {
    listener: TcpListener,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    timer: FakeTimer,
    said: mpsc::UnboundedReceiver<String>,
}

impl World {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut server = HttpServer::new(&format!("http://{address}/mcp")).unwrap();
        let (reports, said) = mpsc::unbounded_channel();
        server.report = Some(Arc::new(move |text: &str| drop(reports.send(text.to_owned()))));
        let timer = FakeTimer::default();
        let (Side { reader, writer }, _) = server.connect(Arc::new(timer.clone()));
        Self { listener, reader: BufReader::new(reader), writer, timer, said }
    }

    async fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Accepts a connection, and reads a part of its request.
    async fn accept(&self) -> TcpStream {
        let (mut stream, _) = self.listener.accept().await.unwrap();
        assert!(stream.read(&mut [0; 4_096]).await.unwrap() > 0);
        stream
    }
}

const NOTICE: &str = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;

/// Regression test: these waits were bound to the clock of tokio.
#[tokio::test]
async fn a_notice_waits_for_the_time_of_the_timer() {
    let mut world = World::new().await;
    world.send(NOTICE).await;
    let _silent = world.accept().await;
    world.timer.advance(ACCEPTING);
    assert!(world.said.recv().await.unwrap().contains("it did not answer in time"));
}

#[tokio::test]
async fn a_stream_is_continued_after_the_pause_that_the_server_names() {
    let mut world = World::new().await;
    world.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    let begun = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\nid: 5\nretry: 9000\ndata:\n\n";
    let mut first = world.accept().await;
    first.write_all(begun.as_bytes()).await.unwrap();
    drop(first);
    // The wait begins when the end of the stream was read.
    let pausing = async {
        loop {
            world.timer.advance(Duration::from_secs(9));
            tokio::task::yield_now().await;
        }
    };
    let mut second = tokio::select! {
        stream = world.accept() => stream,
        () = pausing => unreachable!(),
    };
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}\n\n";
    second.write_all(answer.as_bytes()).await.unwrap();
    let mut line = String::new();
    world.reader.read_line(&mut line).await.unwrap();
    assert!(line.contains("\"result\""), "{line}");
}
