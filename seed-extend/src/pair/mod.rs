//! Pairs: insert sizes, rescue of missing mates, and which regions of two reads belong together.
//!
//! | module | concept |
//! |---|---|
//! | [`insert_size`] | orientations and insert sizes of a library |
//! | [`shared_words`], [`rescue`] | searching for a mate where its partner predicts it |
//! | [`pairing`] | choosing a pair of regions, and their mapping qualities |
//! | [`mate_mapping`] | these steps for batches of pairs |

pub mod insert_size;
pub mod mate_mapping;
pub mod pairing;
pub mod rescue;
pub mod shared_words;
