//! Names of taxa, from the files `taxdb.bti` and `taxdb.btd` that NCBI offers beside its databases.
//!
//! ```text
//!   taxdb.bti   magic number, number of taxa, 16 bytes that are not used; then for each taxon, ascending, its number and the
//!               position of its names; numbers of 32 bits, big-endian
//!   taxdb.btd   for each taxon, separated by tabs: scientific name, common name, name of a large group, kingdom
//! ```

use std::fs;
use std::path::Path;

use aligner_core::input_location::InputLocation;

use super::NcbiDatabaseError;
use super::search_path::SearchPath;

/// First number of the index.
const MAGIC: u32 = 0x8739;
/// Number of bytes before the first taxon of the index.
const HEADER_BYTES: usize = 24;

/// The names of taxa.
#[derive(Debug)]
pub struct Taxonomy {
    /// Number of each taxon, ascending, and the position of its names.
    index: Vec<(u32, u32)>,
    names: Vec<u8>,
}

/// The names of a taxon.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxonNames {
    /// As "Escherichia coli".
    pub scientific: String,
    /// As "house mouse"; the scientific name if there is no other.
    pub common: String,
    /// The large group that reports name, as "enterobacteria".
    pub group: String,
    /// As "Bacteria".
    pub kingdom: String,
}

impl Taxonomy {
    /// Reads the taxonomy in the first folder that has one; `None` if none has.
    ///
    /// # Errors
    /// If the files cannot be read or are malformed.
    pub fn find(search_path: &SearchPath) -> Result<Option<Self>, NcbiDatabaseError> {
        let Some(index) = search_path.find_file(Path::new("taxdb.bti")) else { return Ok(None) };
        let names = index.with_extension("btd");
        let read = |path: &Path| {
            fs::read(path)
                .map_err(|source| NcbiDatabaseError::Read { path: path.to_owned(), source })
        };
        let taxonomy = Self::parse(&read(&index)?, read(&names)?);
        let malformed = |problem: &str| NcbiDatabaseError::Malformed {
            location: InputLocation::in_file(&index),
            problem: problem.to_owned(),
        };
        Ok(Some(taxonomy.map_err(malformed)?))
    }

    fn parse(index: &[u8], names: Vec<u8>) -> Result<Self, &'static str> {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |all, &byte| all << 8 | u32::from(byte));
        let (header, taxa) = index.split_at_checked(HEADER_BYTES).ok_or("the file is truncated")?;
        if number(&header[..4]) != MAGIC {
            return Err("this is no index of taxa");
        }
        if taxa.len() as u64 != u64::from(number(&header[4..8])) * 8 {
            return Err("the file is truncated or too long");
        }
        let index: Vec<(u32, u32)> =
            taxa.chunks_exact(8).map(|taxon| (number(&taxon[..4]), number(&taxon[4..]))).collect();
        let is_ascending = index.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 <= two[1].1);
        let is_inside = index.last().is_none_or(|last| last.1 as usize <= names.len());
        if !is_ascending || !is_inside {
            return Err("its taxa do not ascend, or taxdb.btd is truncated");
        }
        Ok(Self { index, names })
    }

    /// The names of a taxon, if the taxonomy has it.
    pub fn names(&self, taxid: u32) -> Option<TaxonNames> {
        let place = self.index.binary_search_by_key(&taxid, |taxon| taxon.0).ok()?;
        let end = self.index.get(place + 1).map_or(self.names.len(), |next| next.1 as usize);
        let names = String::from_utf8_lossy(&self.names[self.index[place].1 as usize..end]);
        let mut names = names.splitn(4, '\t').map(str::to_owned);
        let mut next = || names.next();
        let (scientific, common, group) = (next()?, next()?, next()?);
        let kingdom = next().filter(|kingdom| !kingdom.is_empty())?;
        Some(TaxonNames { scientific, common, group, kingdom })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taxa_are_found_by_number() {
        let text = b"Escherichia coli\tE. coli\tenterobacteria\tBacteriaHomo sapiens\thuman\tprimates\tEukaryota";
        let second = text.windows(4).position(|bytes| bytes == b"Homo").expect("is there") as u8;
        let mut index = vec![0, 0, 0x87, 0x39, 0, 0, 0, 2];
        index.extend([0; 16]);
        index.extend([0, 0, 2, 50, 0, 0, 0, 0, 0, 0, 37, 134, 0, 0, 0, second]);
        let taxonomy = Taxonomy::parse(&index, text.to_vec()).expect("a taxonomy");
        let human = taxonomy.names(9606).expect("is there");
        assert_eq!(human.common, "human");
        assert_eq!(taxonomy.names(562).expect("is there").kingdom, "Bacteria");
        assert_eq!([taxonomy.names(1), taxonomy.names(10_000)], [None, None]);
        for length in 0..index.len() {
            assert!(Taxonomy::parse(&index[..length], text.to_vec()).is_err(), "{length}");
        }
        assert!(Taxonomy::parse(&index, text[..9].to_vec()).is_err());
    }
}
