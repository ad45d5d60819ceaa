//! Generates the service `payments.Payments`. A project with a `.proto` file uses `tonic-prost-build` instead, which needs `protoc`.

use tonic_build::manual::{Builder, Method, Service};

fn main() {
    let pay = Method::builder()
        .name("pay")
        .route_name("Pay")
        .input_type("crate::Payment")
        .output_type("crate::Receipt")
        .codec_path("tonic_prost::ProstCodec")
        .build();
    Builder::new().compile(&[Service::builder().name("Payments").package("payments").method(pay).build()]);
}
