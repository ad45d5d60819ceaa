use tower_layer::Layer;

use super::{Shadow, Shadowed};

/// Puts the inner hook, with all layers behind this one, in the shadow; see the [module](super).
///
/// An inner hook that fails with an error still fails: put a [`FailureLayer`](crate::FailureLayer) inside, whose denial
/// is then a note.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShadowLayer {
    shadow: Shadow,
}

impl ShadowLayer {
    /// A layer that ends with `shadow`.
    pub const fn new(shadow: Shadow) -> Self {
        Self { shadow }
    }
}

impl<S> Layer<S> for ShadowLayer {
    type Service = Shadowed<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Shadowed::new(inner, self.shadow)
    }
}
