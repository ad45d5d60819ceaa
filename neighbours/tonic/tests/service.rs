//! The service on a real socket, called by tonic's client.

#[expect(dead_code, reason = "`main` runs until it is stopped; the test serves the same service")]
#[path = "../src/governed.rs"]
mod governed;

use governed::Payer;
use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::{Hooks, policy_fn};
use payments::Payment;
use payments::payments_client::PaymentsClient;
use payments::payments_server::PaymentsServer;
use support::{broken_hooks, lines_more};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Code, Status};

/// Starts the service with `hooks`, and has it pay.
async fn pay(hooks: Hooks, cents: u64) -> Result<u64, Status> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let service = PaymentsServer::new(Payer(hooks));
    tokio::spawn(
        Server::builder().add_service(service).serve_with_incoming(TcpListenerStream::new(listener)),
    );
    let payment = Payment { to: "Jane".to_owned(), cents };
    PaymentsClient::connect(url).await.unwrap().pay(payment).await.map(|receipt| receipt.into_inner().cents)
}

#[tokio::test]
async fn a_payment_is_made_only_if_the_rules_let_it() {
    // The ledger is in the folder of the program. This is the only test that starts it.
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(&folder).unwrap();
    let rules = || Hooks::builder().policy(policy_fn("small", governed::small)).build();

    let status = pay(rules(), 5_000).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal, "without a ledger, the tool fails: {status}");

    std::fs::write("ledger", "").unwrap();
    assert_eq!(pay(rules(), 5_000).await.unwrap(), 5_000);
    let status = pay(rules(), 5_001).await.unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Code::PermissionDenied, "a person pays more than 5000 cents")
    );
    for hooks in broken_hooks::<PreToolUse>() {
        assert_eq!(pay(hooks, 5_000).await.unwrap_err().code(), Code::PermissionDenied);
    }
    assert_eq!(std::fs::read_to_string("ledger").unwrap(), "Jane gets 5000\n", "one payment was made");

    for hooks in broken_hooks::<PostToolUse>() {
        let status = pay(hooks, 5_000).await.unwrap_err();
        assert_eq!(status.code(), Code::Internal, "the result is withheld: {status}");
    }
}

#[test]
fn it_is_governed_in_twelve_lines() {
    let lines = lines_more(include_str!("../src/hello.rs"), include_str!("../src/governed.rs"));
    // The message has JSON only for the hooks.
    let derives = include_str!("../src/lib.rs").matches("#[cfg_attr(feature = \"governed\"").count();
    assert!(lines + derives <= 12, "{lines} lines and {derives} derives");
}
