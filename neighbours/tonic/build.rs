//! Generates the service `notes.Notes`. A project with a `.proto` file uses `tonic-prost-build` instead, which needs `protoc`.

use tonic_build::manual::{Builder, Method, Service};

fn main() {
    let write = Method::builder()
        .name("write")
        .route_name("Write")
        .input_type("crate::Note")
        .output_type("crate::Written")
        .codec_path("tonic_prost::ProstCodec")
        .build();
    Builder::new().compile(&[Service::builder().name("Notes").package("notes").method(write).build()]);
}
