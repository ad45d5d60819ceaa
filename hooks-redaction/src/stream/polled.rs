//! A `Stream` of texts and an `AsyncRead` that scrub what they pass on. Both ask their source for more only when
//! they are asked, so that a slow reader slows the source down.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, ReadBuf};

use super::{ScrubBytes, ScrubStream};
use crate::pieces::PIECE;
use crate::report::Report;
use crate::scrubber::Scrubber;

pin_project! {
    /// Stream of scrubbed texts; see [`Scrubber::scrub_stream`].
    #[project = TextsProjection]
    pub struct ScrubTexts<S, E> {
        #[pin]
        source: S,
        stream: ScrubStream,
        error: Option<E>,
        ended: bool,
    }
}

pin_project! {
    /// Asynchronous reader of scrubbed bytes; see [`Scrubber::async_reader`].
    pub struct ScrubAsyncReader<R> {
        #[pin]
        source: R,
        bytes: ScrubBytes,
        out: Vec<u8>,
        at: usize,
        ended: bool,
        chunk: Vec<u8>,
    }
}

impl Scrubber {
    /// Scrubs the texts of a stream as parts of one text. After an error of the source, what was held back comes
    /// first, and then the error.
    ///
    /// ```
    /// # futures_util::future::FutureExt::now_or_never(async {
    /// use futures_util::{StreamExt, stream};
    /// use hooks_redaction::Scrubber;
    ///
    /// let source = stream::iter(["mail ja", "ne@example.com\n", "bye"].map(|text| Ok::<_, ()>(text.to_owned())));
    /// let texts: Vec<_> = Scrubber::all().scrub_stream(source).collect().await;
    /// assert_eq!(texts, [Ok("mail [EMAIL_REDACTED]\n".to_owned()), Ok("bye".to_owned())]);
    /// # }).expect("ready at once");
    /// ```
    pub fn scrub_stream<S, E>(&self, source: S) -> ScrubTexts<S, E>
    where
        S: Stream<Item = Result<String, E>>,
    {
        ScrubTexts { source, stream: self.stream(), error: None, ended: false }
    }

    /// Scrubs what `source` reads.
    ///
    /// ```
    /// # futures_util::future::FutureExt::now_or_never(async {
    /// use hooks_redaction::Scrubber;
    /// use tokio::io::AsyncReadExt;
    ///
    /// let mut reader = Scrubber::all().async_reader(&b"from 10.1.2.3\n"[..]);
    /// let mut out = String::new();
    /// reader.read_to_string(&mut out).await?;
    /// assert_eq!(out, "from [IPV4_REDACTED]\n");
    /// # Ok::<(), std::io::Error>(())
    /// # }).expect("ready at once").expect("text");
    /// ```
    pub fn async_reader<R: AsyncRead>(&self, source: R) -> ScrubAsyncReader<R> {
        let bytes = self.byte_stream();
        ScrubAsyncReader { source, bytes, out: Vec::new(), at: 0, ended: false, chunk: vec![0; PIECE] }
    }
}

impl<S, E> ScrubTexts<S, E> {
    /// Returns the counts so far.
    pub fn report(&self) -> &Report {
        self.stream.report()
    }
}

impl<R> ScrubAsyncReader<R> {
    /// Returns the counts so far.
    pub fn report(&self) -> &Report {
        self.bytes.report()
    }
}

impl<S, E> Stream for ScrubTexts<S, E>
where
    S: Stream<Item = Result<String, E>>,
{
    type Item = Result<String, E>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let TextsProjection { mut source, stream, error, ended } = self.project();
        loop {
            if let Some(error) = error.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if *ended {
                return Poll::Ready(None);
            }
            let text = match ready!(source.as_mut().poll_next(context)) {
                Some(Ok(text)) => stream.push(&text),
                Some(Err(failure)) => {
                    *error = Some(failure);
                    stream.finish()
                }
                None => {
                    *ended = true;
                    stream.finish()
                }
            };
            if !text.is_empty() {
                return Poll::Ready(Some(Ok(text)));
            }
        }
    }
}

impl<R: AsyncRead> AsyncRead for ScrubAsyncReader<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut this = self.project();
        while *this.at >= this.out.len() && !*this.ended {
            let mut chunk = ReadBuf::new(this.chunk);
            ready!(this.source.as_mut().poll_read(context, &mut chunk))?;
            *this.at = 0;
            *this.ended = chunk.filled().is_empty();
            *this.out = if *this.ended { this.bytes.finish() } else { this.bytes.push(chunk.filled()) };
        }
        let ready = this.out.get(*this.at..).unwrap_or_default();
        let count = ready.len().min(buffer.remaining());
        buffer.put_slice(ready.get(..count).unwrap_or_default());
        *this.at += count;
        Poll::Ready(Ok(()))
    }
}

impl<S, E> fmt::Debug for ScrubTexts<S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScrubTexts").field("stream", &self.stream).finish_non_exhaustive()
    }
}

/// Neither the bytes that were read nor those that wait are printed.
impl<R> fmt::Debug for ScrubAsyncReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScrubAsyncReader").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
