//! Description of a container's format.

use std::fmt::Debug;

use bytemuck::Pod;

/// Names of the sections of a format, in the order in which they lie in the file: mostly an enum.
pub trait SectionName: Copy + Send + Sync + 'static {
    /// All sections in order.
    const ALL: &'static [Self];

    /// Index of this section in [`ALL`](Self::ALL).
    fn number(self) -> usize;

    /// Name of this section in messages.
    fn name(self) -> &'static str;

    /// Size in bytes of an element of this section, of which the section holds a whole number.
    fn element_bytes(self) -> usize;
}

/// A kind of container file.
pub trait Format: 'static {
    /// First bytes of a file.
    const MAGIC: [u8; 8];
    /// Newest version of the format, which any change of any section raises.
    const VERSION: u32;
    /// Oldest version that is read.
    const OLDEST_VERSION: u32 = Self::VERSION;
    /// Word for such a file in messages, for example "index".
    const KIND: &'static str;
    /// Command that makes such a file, for messages that tell how to make it again.
    const COMMAND: &'static str;
    /// Numbers in the header that only this format has; a multiple of 8 bytes.
    type Parameters: Pod + Debug;
    /// Sections of a file.
    type Section: SectionName;
}
