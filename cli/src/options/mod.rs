//! Options that several commands have in common.

mod files;
mod memory;
mod messages;
mod shard;
mod threads;

pub use self::files::MappingFiles;
pub use self::memory::{address_space_limit, available_memory, parse_memory};
pub use self::messages::Messages;
pub use self::shard::ShardOptions;
pub use self::threads::{MAX_THREADS, Threads, check_threads, cores, start_threads, thread_pool};
