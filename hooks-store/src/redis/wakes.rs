//! Notifications of writes, without delay.

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

/// Receives notifications of writes over a separate connection. The connection is made when this value is
/// created, and made again whenever it is lost. Without a connection there are no notifications, so a watch
/// also polls by its timer.
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
                // The runtime is shutting down: no notification will come.
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

/// Time between a lost connection and the next attempt.
const PAUSE: Duration = Duration::from_secs(1);

async fn listen(server: &redis::Client, timer: &dyn Timer, channel: &str, sender: &Sender<u64>) {
    loop {
        // Errors are ignored here: the operations need a connection too, and report them.
        if let Ok(mut messages) = subscribe(server, channel).await {
            // There may have been writes while there was no connection.
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
