//! Settings of the runtime beside those that the program uses, for benchmarks of its applications.

use aligner_core::stream::{Capacity, Policy, Settings};

/// The settings of the program, whose name is `program`; on request, behind them those that differ in one respect, each with its
/// name. The width stays, since kernels are loaded for it.
pub(crate) fn around(base: &Settings, with_others: bool) -> Vec<(&'static str, Settings)> {
    if !with_others {
        return vec![("program", base.clone())];
    }
    let other = |change: fn(&mut Settings)| {
        let mut settings = base.clone();
        change(&mut settings);
        settings
    };
    let mut all = vec![
        ("program", base.clone()),
        ("work moves", other(|settings| settings.move_work = true)),
        ("rests shared", other(|settings| settings.share_rest = true)),
        ("naive", other(|settings| settings.policy = Policy::Naive)),
        ("1 ensemble", other(|settings| settings.capacity = Capacity::Ensembles(1))),
        ("2 ensembles", other(|settings| settings.capacity = Capacity::Ensembles(2))),
        ("8 ensembles", other(|settings| settings.capacity = Capacity::Ensembles(8))),
    ];
    if base.shared_queues > 0 {
        all.push(("global queues", other(|settings| settings.shared_queues = 0)));
    } else {
        all.push(("shared queues", other(|settings| settings.shared_queues = 16 << 10)));
    }
    all
}
