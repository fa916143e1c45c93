//! Workers that share the inputs of a stage; the results come out in the order of the inputs.
//!
//! ```text
//!                       .--> worker --.
//!   inputs --pull------ +--> worker --+----> results, in the order of the inputs
//!            in turn    '--> worker --'  merge
//! ```
//!
//! A worker is a thread that pulls an input, does all the work with it, and pulls the next one. Balance comes from pulling
//! alone: a fast worker pulls more often.
//!
//! With each input a worker gets a channel for the results of that input. The receiving ends of these channels wait in a
//! queue, in the order in which inputs were pulled, and a thread takes everything out of one before it turns to the next.
//! A channel holds a few results, and a worker that has made more waits until its turn has come. It pulls the next input
//! when all results of the one before are taken. So no more inputs are on their way than there are workers.
//!
//! The results end with the first error in the order of the inputs. Workers end when the inputs do, or when nobody receives
//! results any more.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

use anyhow::{Result, anyhow};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Whether more results of an input are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    More,
    /// Nobody receives results any more.
    Nothing,
}

/// Receives the results of an input, in order.
pub type PassOn<'p, O> = dyn FnMut(O) -> Wanted + Send + 'p;

/// The threads on which a worker runs what it does in parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerThreads {
    /// The threads of the global pool, with all other workers: an input is done as soon as it can be.
    Shared,
    /// A thread of its own. Where there are as many workers as cores, nobody waits for parts of an input that others have,
    /// and no thread looks for parts.
    Own,
}

impl WorkerThreads {
    /// The worker's own pool of threads, if it has one.
    fn pool(self) -> Result<Option<ThreadPool>, ThreadPoolBuildError> {
        match self {
            Self::Shared => Ok(None),
            Self::Own => ThreadPoolBuilder::new().num_threads(1).build().map(Some),
        }
    }
}

/// Inputs that workers share. Clones are handles of the same inputs.
pub struct WorkQueue<'s, I, O> {
    /// `None` when the inputs or the results have ended.
    left: Arc<Mutex<Option<Inputs<'s, I, O>>>>,
    /// The number of results of an input that are made before its turn, besides the one that waits.
    results_ahead: usize,
}

impl<I, O> Clone for WorkQueue<'_, I, O> {
    fn clone(&self) -> Self {
        Self { left: Arc::clone(&self.left), ..*self }
    }
}

/// The inputs that are left, and where their results are awaited.
struct Inputs<'s, I, O> {
    inputs: Box<dyn Iterator<Item = Result<I>> + Send + 's>,
    /// Takes the receiving ends of each input, in the order of inputs.
    order: Sender<Awaited<O>>,
}

/// Where the results of an input go. Results end when this is dropped.
#[derive(Debug)]
pub struct ResultSender<O> {
    results: SyncSender<Result<O>>,
    /// It ends when all results are taken.
    taken: Receiver<()>,
}

impl<O> ResultSender<O> {
    /// Passes a result on. Nothing is wanted if an error of an earlier input has ended the results, or nobody receives them.
    pub fn send(&self, result: Result<O>) -> Wanted {
        send(&self.results, result)
    }

    /// Ends the results, and waits until all are taken.
    fn wait_until_taken(self) {
        drop(self.results);
        // The other end sends nothing, and is dropped.
        let _ = self.taken.recv();
    }
}

/// Passes a result on, as [`ResultSender::send`] does.
fn send<O>(results: &SyncSender<Result<O>>, result: Result<O>) -> Wanted {
    match results.send(result) {
        Ok(()) => Wanted::More,
        Err(_) => Wanted::Nothing,
    }
}

/// The receiving ends of a [`ResultSender`].
struct Awaited<O> {
    results: Receiver<Result<O>>,
    /// Nothing is sent here; it is dropped when all results are taken.
    taken: Sender<()>,
}

impl<'s, I: Send + 's, O: Send + 's> WorkQueue<'s, I, O> {
    /// A queue of inputs, and the results of its workers, in the order of the inputs. There must be a worker for the results
    /// to end. A worker makes up to `results_ahead` results before the turn of its input has come, and one more that waits.
    pub fn new(
        scope: &'s Scope<'s, '_>,
        inputs: impl IntoIterator<Item = Result<I>, IntoIter: Send + 's>,
        results_ahead: usize,
    ) -> (Self, Receiver<Result<O>>) {
        let (order, turns) = channel();
        let (sender, results) = sync_channel(1);
        scope.spawn(move || merge(turns, &sender));
        let inputs = Box::new(inputs.into_iter());
        let left = Arc::new(Mutex::new(Some(Inputs { inputs, order })));
        (Self { left, results_ahead }, results)
    }

    /// Starts a worker, now or while others are at work. It ends with the inputs, or before it would pull another one when it
    /// `is_retired`. What it does in parallel runs on these threads.
    pub fn add_worker(
        &self,
        scope: &'s Scope<'s, '_>,
        threads: WorkerThreads,
        is_retired: impl Fn() -> bool + Send + 's,
        work: impl FnMut(I, &mut PassOn<'_, O>) -> Result<()> + Send + 's,
    ) {
        let queue = self.clone();
        scope.spawn(move || match threads.pool() {
            Ok(Some(pool)) => pool.install(move || queue.work_off(is_retired, work)),
            Ok(None) => queue.work_off(is_retired, work),
            Err(reason) => {
                queue.work_off(is_retired, |_, _| Err(anyhow!("starting a thread: {reason}")));
            }
        });
    }

    /// Pulls inputs and works on them, until they end or the worker `is_retired`.
    fn work_off(
        &self,
        is_retired: impl Fn() -> bool,
        mut work: impl FnMut(I, &mut PassOn<'_, O>) -> Result<()>,
    ) {
        while let Some((input, results)) = self.pull(&is_retired) {
            let sender = &results.results;
            let mut pass_on = |result| send(sender, Ok(result));
            if let Err(error) = input.and_then(|input| work(input, &mut pass_on)) {
                results.send(Err(error));
            }
            results.wait_until_taken();
        }
    }

    /// The next input, unless the worker `is_retired` or there are no more. A worker that is not one of
    /// [`add_worker`](Self::add_worker) may pull several before it sends results, in the order of its inputs.
    pub fn pull(&self, is_retired: impl Fn() -> bool) -> Option<(Result<I>, ResultSender<O>)> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if is_retired() {
            return None;
        }
        let (results, receiver) = sync_channel(self.results_ahead);
        let (end, taken) = channel();
        let awaited = Awaited { results: receiver, taken: end };
        let next = left.as_mut().and_then(|left| {
            let input = left.inputs.next()?;
            left.order.send(awaited).ok()?;
            Some(input)
        });
        if next.is_none() {
            // The stages before end when their results are not received any more.
            *left = None;
        }
        next.map(|input| (input, ResultSender { results, taken }))
    }
}

/// Sends the results of all inputs, one input after the other, up to the first error.
fn merge<O>(turns: Receiver<Awaited<O>>, to: &SyncSender<Result<O>>) {
    for Awaited { results, taken } in turns {
        for result in results {
            let is_error = result.is_err();
            if to.send(result).is_err() || is_error {
                return;
            }
        }
        drop(taken);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use anyhow::bail;

    use super::*;

    /// Never retired.
    const STAYS: fn() -> bool = || false;

    const THREADS: WorkerThreads = WorkerThreads::Own;

    /// What comes out, up to the first error.
    fn received(results: Receiver<Result<usize>>) -> (Vec<usize>, Option<String>) {
        let (mut values, mut error) = (Vec::new(), None);
        for result in results {
            assert_eq!(error, None, "nothing comes after an error");
            match result {
                Ok(value) => values.push(value),
                Err(reason) => error = Some(reason.to_string()),
            }
        }
        (values, error)
    }

    /// Sleeps for up to a millisecond, the same for the same input.
    fn delay(input: usize) {
        let micros = fastrand::Rng::with_seed(input as u64).u64(..1000);
        thread::sleep(Duration::from_micros(micros));
    }

    /// Runs so many workers on the inputs `0..count`. An input has as many results as its last digit, which all name it;
    /// inputs of `bad` are an error.
    fn run(
        (workers, ahead): (usize, usize),
        count: usize,
        bad: &[usize],
    ) -> (Vec<usize>, Option<String>) {
        thread::scope(|scope| {
            let (queue, results) = WorkQueue::new(scope, (0..count).map(Ok), ahead);
            for _ in 0..workers {
                let bad = bad.to_vec();
                queue.add_worker(scope, THREADS, STAYS, move |input: usize, pass_on| {
                    delay(input);
                    if bad.contains(&input) {
                        bail!("{input} is bad");
                    }
                    for _ in 0..input % 10 {
                        if pass_on(input) == Wanted::Nothing {
                            break;
                        }
                    }
                    Ok(())
                });
            }
            received(results)
        })
    }

    /// The results of the inputs `0..count`.
    fn expected(count: usize) -> Vec<usize> {
        (0..count).flat_map(|input| vec![input; input % 10]).collect()
    }

    #[test]
    fn results_are_in_the_order_of_inputs() {
        for workers in [(1, 0), (2, 0), (3, 0), (8, 0), (1, 3), (3, 2)] {
            for count in [0, 1, 2, 100] {
                let found = run(workers, count, &[]);
                assert_eq!(found, (expected(count), None), "{workers:?}, {count}");
            }
        }
    }

    #[test]
    fn the_first_error_in_the_order_of_inputs_ends_the_results() {
        for workers in [(1, 0), (2, 0), (3, 0), (8, 0), (2, 3)] {
            for bad in [0, 1, 37, 99] {
                let (values, error) = run(workers, 100, &[99, bad, 60]);
                let first = bad.min(60);
                assert_eq!(values, expected(first), "{workers:?}, {bad}");
                assert_eq!(error, Some(format!("{first} is bad")), "{workers:?}, {bad}");
            }
        }
    }

    #[test]
    fn an_error_of_the_inputs_comes_in_its_turn() {
        let inputs = [Ok(3), Ok(2), Err(anyhow::anyhow!("unreadable")), Ok(1)];
        let found = thread::scope(|scope| {
            let (queue, results) = WorkQueue::new(scope, inputs, 0);
            for _ in 0..3 {
                queue.add_worker(scope, THREADS, STAYS, |input: usize, pass_on| {
                    delay(input);
                    pass_on(input);
                    Ok(())
                });
            }
            received(results)
        });
        assert_eq!(found, (vec![3, 2], Some("unreadable".to_owned())));
    }

    #[test]
    fn workers_end_when_nobody_receives() {
        thread::scope(|scope| {
            // Inputs without an end.
            let (queue, results) = WorkQueue::new(scope, (0..).map(Ok), 1);
            for _ in 0..3 {
                queue.add_worker(scope, THREADS, STAYS, |input: usize, pass_on| {
                    while pass_on(input) == Wanted::More {}
                    Ok(())
                });
            }
            assert_eq!(results.into_iter().take(5).flatten().collect::<Vec<_>>(), [0; 5]);
        });
    }

    #[test]
    fn workers_join_late_and_retire() {
        let is_retired = &AtomicBool::new(false);
        let counts = &[AtomicUsize::new(0), AtomicUsize::new(0)];
        let values = thread::scope(|scope| {
            let (queue, results) = WorkQueue::new(scope, (0..50).map(Ok), 0);
            let late = queue.clone();
            let first = move || is_retired.load(Ordering::SeqCst);
            queue.add_worker(scope, THREADS, first, move |input, pass_on| {
                counts[0].fetch_add(1, Ordering::SeqCst);
                if input == 9 {
                    late.add_worker(scope, THREADS, STAYS, |input, pass_on| {
                        counts[1].fetch_add(1, Ordering::SeqCst);
                        pass_on(input);
                        Ok(())
                    });
                    is_retired.store(true, Ordering::SeqCst);
                }
                pass_on(input);
                Ok(())
            });
            received(results).0
        });
        assert_eq!(values, (0..50).collect::<Vec<usize>>());
        assert_eq!(counts.each_ref().map(|count| count.load(Ordering::SeqCst)), [10, 40]);
    }

    #[test]
    fn no_more_inputs_are_on_their_way_than_there_are_workers() {
        let pulled = &AtomicUsize::new(0);
        thread::scope(|scope| {
            let inputs = (0..100).map(|input| {
                pulled.fetch_add(1, Ordering::SeqCst);
                Ok(input)
            });
            let (queue, results) = WorkQueue::new(scope, inputs, 5);
            for _ in 0..4 {
                queue.add_worker(scope, THREADS, STAYS, |input: usize, pass_on| {
                    pass_on(input);
                    Ok(())
                });
            }
            for (received, result) in results.into_iter().enumerate() {
                delay(result.expect("no error"));
                // One result waits to be received, and one is being passed on.
                let on_their_way = pulled.load(Ordering::SeqCst) - received - 1;
                assert!(on_their_way <= 4 + 2, "{on_their_way}");
            }
        });
    }
}
