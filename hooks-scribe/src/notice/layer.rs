use tower_layer::Layer;

use super::{NoticeService, Notices};

/// Leaves notices and hands them over around an inner hook; see [`NoticeService`].
#[derive(Clone, Debug)]
pub struct NoticeLayer {
    notices: Notices,
}

impl NoticeLayer {
    /// Creates a layer for `notices`.
    pub const fn new(notices: Notices) -> Self {
        Self { notices }
    }
}

impl<S> Layer<S> for NoticeLayer {
    type Service = NoticeService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        NoticeService::new(inner, self.notices.clone())
    }
}
