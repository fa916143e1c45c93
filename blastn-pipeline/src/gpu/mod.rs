//! A search on GPUs: the steps of [`crate::search`] for all subjects of a part of the database at once.
//!
//! | module | concept |
//! |---|---|
//! | [`parts`], `resident_parts`, `limits` | shares of a database, and parts of these that fit into device memory |
//! | [`pipeline`] | from words to ungapped alignments, as an application of the streaming runtime |
//! | [`pairs`], `prefilter`, `scored_pairs` | gapped extensions of ungapped alignments for their scores, and the pairs that can be left out |
//! | [`gapped`] | gapped extensions, as a left and a right side each, and alignments with columns |
//! | [`worker`], `worker_pool`, [`search_device`], `launch` | a device with the kernels, and how it launches them |
//! | `engine` | the search of a device's share of a database, part by part |
//! | `device_group` | all of it: the search of a database by one or several devices |

pub(crate) mod device_group;
pub(crate) mod engine;
pub mod gapped;
pub(crate) mod launch;
#[cfg(test)]
mod layouts;
pub(crate) mod limits;
pub mod pairs;
pub mod parts;
pub mod pipeline;
pub(crate) mod prefilter;
pub(crate) mod resident_parts;
pub(crate) mod scored_pairs;
pub mod search_device;
pub mod worker;
pub(crate) mod worker_pool;
