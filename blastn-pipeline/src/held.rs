//! What a device has of a database.

use std::sync::{Mutex, PoisonError};

use aligner_core::DeviceError;

/// What a device has of the database's parts: the one that was needed last.
#[derive(Debug)]
pub(crate) struct Held<T>(Mutex<Option<(usize, T)>>);

impl<T> Held<T> {
    /// Uses what a part has, loaded first if it is not held.
    pub(crate) fn with<R>(
        &self,
        part: usize,
        load: impl FnOnce() -> Result<T, DeviceError>,
        take: impl FnOnce(&T) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_none_or(|(number, _)| *number != part) {
            // The memory is needed.
            *held = None;
        }
        let (_, loaded) = match &mut *held {
            Some(held) => held,
            none => none.insert((part, load()?)),
        };
        take(loaded)
    }
}

impl<T> Default for Held<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}
