//! Indices of files of BAM that this program writes itself, made by htslib.

use std::ffi::CString;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};

use rust_htslib::htslib;

use super::status::check;
use super::writer::{CSI_SHIFT, Index};

/// An index of a file of BAM that is being written.
#[derive(Debug)]
pub struct IndexBuilder {
    index: NonNull<htslib::hts_idx_t>,
    format: i32,
}

// SAFETY: htslib ties indices to no thread, and this is the one owner.
#[allow(unsafe_code)]
unsafe impl Send for IndexBuilder {}

impl IndexBuilder {
    /// Begins an index over so many contigs, the longest of which has `longest` bases; the first record is at the virtual
    /// offset `begin`.
    ///
    /// # Errors
    /// If the format is not one of BAM's indices, or there is no memory.
    pub fn new(kind: Index, contigs: usize, longest: u32, begin: u64) -> io::Result<Self> {
        let (format, shift, levels) = match kind {
            Index::Bai => (htslib::HTS_FMT_BAI, CSI_SHIFT, 5),
            Index::Csi => (htslib::HTS_FMT_CSI, CSI_SHIFT, csi_levels(longest)),
            Index::Crai => return Err(io::ErrorKind::Unsupported.into()),
        };
        let format = format as i32;
        // SAFETY: takes numbers only.
        #[allow(unsafe_code)]
        let index = unsafe { htslib::hts_idx_init(contigs as i32, format, begin, shift, levels) };
        let index = NonNull::new(index).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { index, format })
    }

    /// Adds a record, which covers these bases of a contig and ends at a virtual offset. Records come by coordinate; the
    /// contig of those without a position is -1.
    ///
    /// # Errors
    /// If htslib refuses it.
    pub fn push(
        &mut self,
        contig: i32,
        bases: Range<i64>,
        end: u64,
        is_mapped: bool,
    ) -> io::Result<()> {
        // SAFETY: the index is valid, and the contig is -1 or one of those that it was made for.
        #[allow(unsafe_code)]
        check(unsafe {
            htslib::hts_idx_push(
                self.index.as_ptr(),
                contig,
                bases.start,
                bases.end,
                end,
                is_mapped.into(),
            )
        })
    }

    /// Completes the index; the file ends at the virtual offset `end`.
    ///
    /// # Errors
    /// If htslib has no memory.
    pub fn finish(&mut self, end: u64) -> io::Result<()> {
        // SAFETY: the index is valid.
        #[allow(unsafe_code)]
        check(unsafe { htslib::hts_idx_finish(self.index.as_ptr(), end) })
    }

    /// Writes the index, which is complete, to a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: the index is valid; the name, which ends in NUL, outlives the call, and that of the indexed file may be
        // null if there is the index's own.
        #[allow(unsafe_code)]
        check(unsafe {
            htslib::hts_idx_save_as(self.index.as_ptr(), ptr::null(), path.as_ptr(), self.format)
        })
    }
}

impl Drop for IndexBuilder {
    fn drop(&mut self) {
        // SAFETY: the index is valid, and nobody uses it any more.
        #[allow(unsafe_code)]
        unsafe {
            htslib::hts_idx_destroy(self.index.as_ptr());
        }
    }
}

/// The levels of a CSI index whose largest bin holds a contig of so many bases; htslib makes as many.
fn csi_levels(longest: u32) -> i32 {
    let holds = |&levels: &i32| u64::from(longest) + 256 <= 1 << (CSI_SHIFT + 3 * levels);
    (0..7).find(holds).unwrap_or(7)
}
