//! Streams: paid for as they grow, cut if no more can be reserved.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::join_all;
use futures_util::{Stream, StreamExt, stream};
use hooks_core::time::{Random, SeededRandom};
use tower::{Layer, ServiceExt, service_fn};

use super::*;

/// Pieces carry their tokens; the last one carries the usage of the call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Tokens(u64),
    SoFar(Usage),
    Broken,
}

#[derive(Clone)]
struct Pieces {
    context: Arc<HookContext>,
    input: u64,
    most: Option<u64>,
}

impl Meter<&'static str> for Pieces {
    fn size(&self, model: &&'static str) -> CallSize {
        CallSize::new(Arc::clone(&self.context), *model, self.input).replying_at_most(self.most)
    }
}

impl MeterPiece<Piece> for Pieces {
    fn piece(&self, piece: &Piece) -> PieceSize {
        match piece {
            Piece::Tokens(tokens) => PieceSize::tokens(*tokens),
            Piece::SoFar(usage) => PieceSize::so_far(Used::tokens(*usage)),
            Piece::Broken => PieceSize::default(),
        }
    }
}

/// Stream of pieces that lets other tasks run before each.
struct Sends(VecDeque<Piece>, bool);

impl Stream for Sends {
    type Item = Result<Piece, &'static str>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.1 = !self.1;
        if self.1 {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.0.pop_front().map(|piece| match piece {
            Piece::Broken => Err("broken"),
            piece => Ok(piece),
        }))
    }
}

fn budget(limits: Value, store: Arc<dyn StateStore>) -> SpendBudget {
    let config = SpendBudgetConfig { cheaper: Default::default(), ..config(limits) };
    SpendBudget::new(&config, store).unwrap()
}

/// Receives an answer of these pieces; returns the tokens received, and the error at its end.
async fn receive(budget: &SpendBudget, meter: Pieces, pieces: Vec<Piece>) -> (u64, Option<String>) {
    let model = service_fn(|_: &str| {
        let pieces = Sends(pieces.clone().into(), false);
        async { Ok::<_, Infallible>(pieces) }
    });
    let model = budget.stream_layer(meter).layer(model);
    let mut stream = match model.oneshot("large").await {
        Ok(stream) => stream,
        Err(refused) => return (0, Some(refused.to_string())),
    };
    let mut received = 0;
    while let Some(piece) = stream.next().await {
        match piece {
            Ok(Piece::Tokens(tokens)) => received += tokens,
            Ok(_) => {}
            Err(error) => {
                assert!(stream.next().await.is_none(), "it is over");
                return (received, Some(error.to_string()));
            }
        }
    }
    (received, None)
}

fn meter(input: u64) -> Pieces {
    Pieces { context: context("s", "a"), input, most: None }
}

#[tokio::test]
async fn an_answer_grows_as_far_as_there_is_money_and_no_further() {
    for slow in [false, true] {
        let (memory, _) = memory();
        let store: Arc<dyn StateStore> =
            if slow { Arc::new(Slow(Arc::clone(&memory))) } else { memory.clone() };
        let budget = budget(json!([{ "of": "team", "per": "always", "usd": 0.2 }]), store);
        let pieces = |count| vec![Piece::Tokens(100); count];
        assert_eq!(receive(&budget, meter(1_000), pieces(100)).await, (10_000, None));
        assert_eq!(charged(&*memory, "of").await, (101_000, 0));
        let (received, cut) = receive(&budget, meter(1_000), pieces(400)).await;
        // 98,000 for the answer; the room for one piece is kept for the next piece.
        assert_eq!(received, 9_800);
        assert!(cut.unwrap().contains("the team's budget for good is used up"), "{slow}");
        assert_eq!(charged(&*memory, "of").await, (200_000, 0), "what is held when it is cut is charged");
        assert_eq!(receive(&budget, meter(1_000), pieces(1)).await.0, 0);
    }
}

#[tokio::test]
async fn the_providers_figure_counts() {
    let (store, _) = memory();
    let budget =
        budget(json!([{ "of": "team", "per": "always", "usd": 1, "tokens": 100_000 }]), store.clone());
    let pieces = vec![
        Piece::SoFar(usage(700, 1)),
        Piece::Tokens(5_000),
        Piece::SoFar(usage(700, 3_000)),
        Piece::SoFar(usage(700, 3_200)),
    ];
    assert_eq!(receive(&budget, meter(1_000), pieces).await, (5_000, None));
    assert_eq!(charged(&*store, "of").await, (700 + 32_000 + 3_900, 0));
}

#[tokio::test]
async fn what_breaks_or_is_dropped_is_charged_as_far_as_it_came() {
    let (store, _) = memory();
    let budget = budget(json!([{ "of": "team", "per": "always", "usd": 1 }]), store.clone());
    let (received, error) =
        receive(&budget, meter(500), vec![Piece::Tokens(300), Piece::Broken, Piece::Tokens(1)]).await;
    assert_eq!((received, error.as_deref()), (300, Some("broken")));
    quiet().await;
    assert_eq!(charged(&*store, "of").await, (3_500, 0));
    // Broken before anything arrived: the input is charged.
    receive(&budget, meter(500), vec![Piece::Broken]).await;
    quiet().await;
    assert_eq!(charged(&*store, "of").await, (4_000, 0));
    // Dropped in flight.
    let model =
        service_fn(|_: &str| async { Ok::<_, Infallible>(stream::repeat(Ok::<_, &str>(Piece::Tokens(10)))) });
    let mut stream = budget.stream_layer(meter(0)).layer(model).oneshot("large").await.unwrap();
    for _ in 0..50 {
        stream.next().await.unwrap().unwrap();
    }
    assert!(charged(&*store, "of").await.1 > 0);
    drop(stream);
    assert_eq!(charged(&*store, "of").await, (9_000, 0));
}

#[tokio::test]
async fn an_answer_that_cannot_be_longer_is_not_cut() {
    let (store, _) = memory();
    let budget = budget(json!([{ "of": "team", "per": "always", "usd": 0.01 }]), store.clone());
    let meter = Pieces { most: Some(1_000), ..meter(0) };
    assert_eq!(receive(&budget, meter, vec![Piece::Tokens(200); 5]).await, (1_000, None));
    assert_eq!(charged(&*store, "of").await, (10_000, 0));
}

/// Twenty agents with $25 and answers of up to 64,000 tokens, as coding agents request them.
async fn twenty_agents(worst_case: bool) -> Simulated {
    let (store, _) = memory();
    let mut config = config(json!([{ "of": "team", "per": "always", "usd": 25 }]));
    config.prices[0].input = 3.0;
    config.prices[0].output = 15.0;
    config.cheaper.clear();
    config.hold.worst_case = worst_case;
    let budget = SpendBudget::new(&config, store.clone()).unwrap();
    let agents = (0..20u64).map(|number| {
        let budget = budget.clone();
        async move {
            let random = SeededRandom::new(number);
            let (mut spent, mut early, mut cut, mut refused) = (0, 0, 0, 0);
            while refused < 30 {
                let input = 2_000 + random.next_u64() % 38_000;
                // Most answers are short, some are long.
                let long = random.next_u64().is_multiple_of(20);
                let output = 100 + random.next_u64() % if long { 60_000 } else { 4_000 };
                let meter = Pieces { most: Some(64_000), ..meter(input) };
                let pieces = vec![Piece::Tokens(50); usize::try_from(output / 50).unwrap()];
                let (received, end) = receive(&budget, meter, pieces).await;
                match end {
                    Some(_) if received == 0 => {
                        refused += 1;
                        let report = budget.report(&context("s", "a")).await.unwrap();
                        early += u64::from(report.budgets[0].spent < 20_000_000);
                        for _ in 0..random.next_u64() % 50 {
                            tokio::task::yield_now().await;
                        }
                    }
                    end => {
                        // The model's real usage, independent of the counters.
                        spent += (input * 3).max(1) + received * 15;
                        cut += u64::from(end.is_some());
                    }
                }
            }
            (spent, early, cut)
        }
    });
    let all = join_all(agents).await;
    let (used, held) = charged(&*store, "of").await;
    assert_eq!(held, 0, "nothing is held for ever");
    let sum = |part: fn(&(u64, u64, u64)) -> u64| all.iter().map(part).sum();
    Simulated { spent: sum(|it| it.0), booked: used, early: sum(|it| it.1), cut: sum(|it| it.2) }
}

#[derive(Debug)]
struct Simulated {
    spent: u64,
    booked: u64,
    /// Denials while less than four fifths were spent.
    early: u64,
    cut: u64,
}

#[tokio::test]
async fn stepped_holds_leave_nothing_over_and_refuse_nobody_early() {
    let stepped = twenty_agents(false).await;
    let worst = twenty_agents(true).await;
    println!("stepped: {stepped:?}\nworst case: {worst:?}");
    for simulated in [&stepped, &worst] {
        assert!(simulated.spent <= 25_000_000 && simulated.spent <= simulated.booked, "{simulated:?}");
        assert!(simulated.booked <= 25_000_000, "{simulated:?}");
    }
    assert!(stepped.spent >= 24_750_000, "99 % are usable: {stepped:?}");
    assert!(stepped.early < 10 && worst.early > 50, "{stepped:?} {worst:?}");
    assert!(stepped.cut <= 20, "at most the last stream of each is cut: {stepped:?}");
}
