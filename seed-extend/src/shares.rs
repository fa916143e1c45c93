//! Into how many shares the current rayon pool cuts the work of a batch.

/// Shares for each of several threads, so that none waits long for the last one.
const SHARES_OF_A_THREAD: usize = 4;

/// The number of shares. A thread alone has none to share with, so it takes everything at once.
pub(crate) fn shares() -> usize {
    match rayon::current_num_threads() {
        1 => 1,
        threads => threads * SHARES_OF_A_THREAD,
    }
}
