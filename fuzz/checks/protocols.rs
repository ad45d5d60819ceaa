//! Properties of the decoders of payloads for any bytes.

use hooks_protocols::{Client, decode, recognise};

/// Panics if a property does not hold for `input`.
pub(crate) fn properties(input: &[u8]) {
    for client in Client::ALL {
        if let Err(error) = decode(*client, None, input) {
            assert!(!error.to_string().is_empty(), "an error has no text");
        }
    }
    if let Some((client, event)) = recognise(input) {
        drop(decode(client, Some(event), input));
    }
}
