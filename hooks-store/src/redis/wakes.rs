//! Hears at once when something is written.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use hooks_core::HookFuture;
use hooks_core::time::Timer;
use redis::RedisResult;
use tokio::sync::watch::{Receiver, Sender, channel};

use super::client::Client;
use crate::watch::Wakes;

/// Hears of writes over a connection of its own, made when this is made and again whenever it is lost. While it is
/// lost nothing is heard: a watch also looks by its timer.
pub struct RedisWakes(Receiver<u64>);

impl RedisWakes {
    pub(super) fn new(client: &Arc<Client>) -> Self {
        let (sender, receiver) = channel(0);
        let (server, timer) = (client.server().clone(), Arc::clone(&client.timer));
        let channel = format!("{}wakes", client.settings.prefix);
        let listening = async move {
            tokio::select! {
                () = listen(&server, &*timer, &channel, &sender) => {}
                () = sender.closed() => {}
            }
        };
        client.runtime.spawn(listening);
        Self(receiver)
    }
}

impl Wakes for RedisWakes {
    fn woken(&mut self) -> HookFuture<'_, ()> {
        HookFuture::later(async {
            if self.0.changed().await.is_err() {
                // The runtime is going down. Nobody wakes any more.
                std::future::pending::<()>().await;
            }
        })
    }
}

impl fmt::Debug for RedisWakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedisWakes")
    }
}

/// How long after a lost connection the next is tried.
const PAUSE: Duration = Duration::from_secs(1);

async fn listen(server: &redis::Client, timer: &dyn Timer, channel: &str, sender: &Sender<u64>) {
    loop {
        // Why there is no connection is told by the operations, which need one too.
        if let Ok(mut messages) = subscribe(server, channel).await {
            // What was written while nobody listened.
            wake(sender);
            while messages.next().await.is_some() {
                wake(sender);
            }
        }
        timer.sleep(PAUSE).await;
    }
}

async fn subscribe(server: &redis::Client, channel: &str) -> RedisResult<redis::aio::PubSubStream> {
    let mut connection = server.get_async_pubsub().await?;
    connection.subscribe(channel).await?;
    Ok(connection.into_on_message())
}

fn wake(sender: &Sender<u64>) {
    sender.send_modify(|count| *count = count.wrapping_add(1));
}
