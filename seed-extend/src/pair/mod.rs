//! Pairs: insert sizes, rescue of missing mates, and which regions of two reads belong together.
//!
//! | module | concept |
//! |---|---|
//! | [`insert_size`] | orientations and insert sizes of a library |
//! | [`rescue`], [`mate_window`] | where a mate is expected, and the alignment tasks there |
//! | [`shared_words`], [`cpu`], [`gpu`] | choosing the diagonals on which the mate may align |
//! | [`mate_finder`] | the GPU, if there is one |
//! | [`pairing`] | choosing a pair of regions, and their mapping qualities |
//! | [`mate_mapping`] | these steps for batches of pairs |

pub mod cpu;
pub mod gpu;
pub mod insert_size;
pub mod mate_finder;
pub mod mate_mapping;
pub mod mate_window;
pub mod pairing;
pub mod rescue;
pub mod shared_words;
