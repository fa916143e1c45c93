//! The files that a command writes: which of them may be written, and how each gets its name when it is complete.
//!
//! ```text
//!   inputs, outputs --Outputs--> Target --open--> written --commit--> the files have their names
//!                      refuses     |
//!                                  '-- standard output, a device or a pipe: written directly
//! ```
//!
//! | file | concept |
//! |---|---|
//! | [`identity`] | the file that a path means, whatever its spelling |
//! | [`outputs`] | all files of a command: none is an input, a folder, or another output |
//! | [`target`] | the destination of one output |
//! | [`staged`] | a regular file without a name, and the naming of complete files |
//! | [`temporary`] | the names of temporary files, and their removal when the program ends |
//! | [`stdout`] | standard output that must be written |

mod identity;
mod outputs;
mod staged;
mod stdout;
mod target;
mod temporary;

pub use self::outputs::Outputs;
pub use self::stdout::{NAME as STDOUT, print, print_with};
pub use self::target::{Target, commit};
pub use self::temporary::{abandon, abandon_unless_busy};
