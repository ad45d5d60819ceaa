use std::sync::Arc;

use tower_layer::Layer;

use super::budget::SpendBudget;
use super::meter::SpendApprover;
use super::service::{SpendBudgetService, SpendStreamService};

/// Reserves the possible cost of a model call before the call, and settles it with the real cost; see
/// [`SpendBudgetService`].
#[derive(Clone)]
pub struct SpendBudgetLayer<M> {
    budget: SpendBudget,
    meter: M,
    approver: Option<Arc<dyn SpendApprover>>,
}

/// Layer like [`SpendBudgetLayer`] around a model that streams; see [`SpendStreamService`].
///
/// An answer that grows beyond the budget is cut, with an error at its end:
///
/// ```
/// use std::convert::Infallible;
/// use std::sync::Arc;
/// use futures_util::{StreamExt, stream};
/// use hooks_budgets::spend::{CallSize, Meter, MeterPiece, PieceSize, SpendBudget};
/// use hooks_core::{HookContext, state::Memory, time::StoppedClock};
/// use tower::{Layer, ServiceExt, service_fn};
///
/// /// Requests are prompts, and pieces of an answer have 100 tokens each.
/// #[derive(Clone)]
/// struct Tokens;
///
/// impl Meter<&'static str> for Tokens {
///     fn size(&self, _prompt: &&'static str) -> CallSize {
///         CallSize::new(Arc::new(HookContext::new("session-1", "backend")), "large", 200)
///     }
/// }
///
/// impl MeterPiece<&'static str> for Tokens {
///     fn piece(&self, _piece: &&'static str) -> PieceSize {
///         PieceSize::tokens(100)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limits = serde_json::json!({"limits": [{"of": "team", "per": "day", "tokens": 1000}]});
/// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
/// let budget = SpendBudget::new(&serde_json::from_value(limits)?, store)?;
/// let model = service_fn(async |_: &'static str| {
///     Ok::<_, Infallible>(stream::repeat(Ok::<_, Infallible>("and so on")))
/// });
/// let answer = budget.stream_layer(Tokens).layer(model).oneshot("tell me everything").await?;
/// let pieces: Vec<_> = answer.collect().await;
/// assert_eq!(pieces.iter().filter(|piece| piece.is_ok()).count(), 8);
/// assert!(pieces.last().is_some_and(|end| end.as_ref().is_err_and(|error| error.to_string().contains("used up"))));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SpendStreamLayer<M> {
    budget: SpendBudget,
    meter: M,
    approver: Option<Arc<dyn SpendApprover>>,
}

impl SpendBudget {
    /// Creates the layer for a model that returns whole answers. All services built with it share the budget.
    pub fn layer<M>(&self, meter: M) -> SpendBudgetLayer<M> {
        SpendBudgetLayer { budget: self.clone(), meter, approver: None }
    }

    /// Creates the layer for a model that streams its answers.
    pub fn stream_layer<M>(&self, meter: M) -> SpendStreamLayer<M> {
        SpendStreamLayer { budget: self.clone(), meter, approver: None }
    }
}

impl<M> SpendBudgetLayer<M> {
    /// Asks `approver` beyond the threshold `ask`; without an approver, the call is denied.
    ///
    /// The approver is asked once for each counter and window:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use hooks_budgets::spend::{CallSize, Meter, MeterReply, SpendApprover, SpendBudget, Used};
    /// use hooks_core::{HookContext, HookFuture, Reason, state::Memory, time::StoppedClock};
    /// use tower::{BoxError, Layer, ServiceExt, service_fn};
    ///
    /// # /// Each call sends one token and gets one.
    /// # #[derive(Clone)]
    /// # struct One(Arc<HookContext>);
    /// # impl Meter<()> for One {
    /// #     fn size(&self, _request: &()) -> CallSize {
    /// #         CallSize::new(self.0.clone(), "large", 1).replying_at_most(Some(1))
    /// #     }
    /// # }
    /// # impl MeterReply<()> for One {
    /// #     fn used(&self, _reply: &()) -> Used {
    /// #         Used::default()
    /// #     }
    /// # }
    /// #[derive(Default)]
    /// struct Yes(AtomicU32);
    ///
    /// impl SpendApprover for Yes {
    ///     fn approve(&self, _size: CallSize, reason: Reason) -> HookFuture<'static, bool> {
    ///         assert!(reason.message.ends_with("is nearly used up: 2 tokens of 10 tokens"));
    ///         self.0.fetch_add(1, Ordering::Relaxed);
    ///         HookFuture::now(true)
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = serde_json::json!({
    ///     "limits": [{"of": "team", "per": "day", "tokens": 10}],
    ///     "thresholds": {"ask": 20},
    /// });
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let budget = SpendBudget::new(&serde_json::from_value(config)?, store)?;
    /// let yes = Arc::new(Yes::default());
    /// let meter = One(Arc::new(HookContext::new("session-1", "backend")));
    /// let model = budget.layer(meter).asking(yes.clone()).layer(service_fn(async |()| Ok::<_, BoxError>(())));
    /// for _ in 0..3 {
    ///     model.clone().oneshot(()).await?;
    /// }
    /// assert_eq!(yes.0.load(Ordering::Relaxed), 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn asking(mut self, approver: Arc<dyn SpendApprover>) -> Self {
        self.approver = Some(approver);
        self
    }
}

impl<M> SpendStreamLayer<M> {
    /// Asks `approver` beyond the threshold `ask`; without an approver, the call is denied.
    #[must_use]
    pub fn asking(mut self, approver: Arc<dyn SpendApprover>) -> Self {
        self.approver = Some(approver);
        self
    }
}

impl<S, M: Clone> Layer<S> for SpendBudgetLayer<M> {
    type Service = SpendBudgetService<S, M>;

    fn layer(&self, inner: S) -> Self::Service {
        SpendBudgetService::new(inner, self.budget.clone(), self.meter.clone(), self.approver.clone())
    }
}

impl<S, M: Clone> Layer<S> for SpendStreamLayer<M> {
    type Service = SpendStreamService<S, M>;

    fn layer(&self, inner: S) -> Self::Service {
        SpendStreamService::new(inner, self.budget.clone(), self.meter.clone(), self.approver.clone())
    }
}

impl<M> std::fmt::Debug for SpendBudgetLayer<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpendBudgetLayer").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<M> std::fmt::Debug for SpendStreamLayer<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpendStreamLayer").field("budget", &self.budget).finish_non_exhaustive()
    }
}
