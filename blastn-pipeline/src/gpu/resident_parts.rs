//! Parts of a database in device memory.

use std::sync::{Arc, Mutex, PoisonError};

use aligner_core::DeviceError;

/// Data of the database's parts in device memory: of the parts that are in use, and of the one that was needed last.
#[derive(Debug)]
pub(crate) struct ResidentParts<T>(Mutex<Vec<(usize, Arc<T>)>>);

impl<T> ResidentParts<T> {
    /// Calls `take` with the data of a part, which is loaded first if it is not in device memory.
    pub(crate) fn with<R>(
        &self,
        part: usize,
        load: impl FnOnce() -> Result<T, DeviceError>,
        take: impl FnOnce(&T) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        take(&*self.get(part, load)?)
    }

    fn get(
        &self,
        part: usize,
        load: impl FnOnce() -> Result<T, DeviceError>,
    ) -> Result<Arc<T>, DeviceError> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, loaded)) = held.iter().find(|(number, _)| *number == part) {
            return Ok(Arc::clone(loaded));
        }
        // Parts that are not in use give their memory to the new one.
        held.retain(|(_, loaded)| Arc::strong_count(loaded) > 1);
        let loaded = Arc::new(load()?);
        held.push((part, Arc::clone(&loaded)));
        Ok(loaded)
    }
}

impl<T> Default for ResidentParts<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn what_is_in_use_stays() {
        let (held, loaded) = (ResidentParts::default(), RefCell::new(Vec::new()));
        let load = |part: usize| {
            loaded.borrow_mut().push(part);
            Ok(part)
        };
        let need = |part: usize| held.with(part, || load(part), |&own| Ok(own));
        let all = |parts: &[usize]| -> Result<Vec<usize>, DeviceError> {
            parts.iter().map(|&part| need(part)).collect()
        };
        let within = held.with(0, || load(0), |_| all(&[1, 2, 2, 0]));
        assert_eq!(within, Ok(vec![1, 2, 2, 0]));
        assert_eq!(all(&[0, 1, 0]), Ok(vec![0, 1, 0]));
        assert_eq!(*loaded.borrow(), [0, 1, 2, 1, 0]);
    }
}
