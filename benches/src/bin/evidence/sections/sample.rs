//! The section on a made sample: loci of simulated reads by scorers of other people, and variants that are called from the
//! alignments of each mapper.

use anyhow::Result;

use super::facts;
use super::peers::{
    BCFTOOLS, DWGSIM, MASON, Peer, RABEMA, SAMTOOLS, WGSIM, WGSIM_EVAL, bowtie2, mappers,
};
use super::plan::Plan;
use super::scorers::{Rabema, WgsimEval};
use super::variants::{Caller, QUALITY};
use crate::inputs::data::{GENOME, PAIR_READ};
use crate::inputs::real::Truth;
use crate::inputs::sample::{self, COVERAGE, SimulatedPairs, Simulators};
use crate::report::numbers::number;
use crate::run::contest::{Contestant, Section};

/// The programs that score the alignments of a set of pairs.
#[derive(Clone)]
struct Scorers {
    wgsim_eval: Option<WgsimEval>,
    /// The scorer of true alignments, with these.
    rabema: Option<(Rabema, String)>,
    /// The callers of variants, with the known ones.
    caller: Option<(Caller, Truth)>,
    reads: f64,
}

impl Plan<'_> {
    pub fn sample(&self) -> Result<Section> {
        let mut section = Section::new("A made sample, scored by other programs", "reads/s");
        section.runs = Some(1);
        section.drawn = Some("wrong, MAPQ >= 10");
        let mut found = |peer: &Peer| {
            let tool = self.tools.find(peer.1, peer.2);
            if tool.is_none() {
                section.miss(peer.0);
            }
            tool
        };
        let simulators =
            Simulators { wgsim: found(&WGSIM), dwgsim: found(&DWGSIM), mason: found(&MASON) };
        let caller = found(&SAMTOOLS).zip(found(&BCFTOOLS));
        let caller = caller.map(|(samtools, bcftools)| Caller { samtools, bcftools });
        for peer in [&WGSIM_EVAL, &RABEMA] {
            found(peer);
        }
        let (wgsim_eval, rabema) = (WgsimEval::find(self.tools), Rabema::find(self.tools));
        let (part, sets) =
            sample::make(&simulators, &self.data.folder, self.data.size.sample_bases)?;
        section.workload = format!(
            "{} pairs of {PAIR_READ} bases by each simulator, of {} bases of the genome, {COVERAGE} reads deep, mapped to the \
             whole genome",
            number(part.pairs() as f64),
            number(part.bases as f64)
        );
        section.note = Some(format!(
            "\"correct\" and \"wrong\" are of gpualign evaluate, those with a name behind them of wgsim_eval.pl and of Rabema, \
             which wants the last base of an alignment where mason's true one has it, so that clipped reads are not correct. Variants are dwgsim's, called by bcftools with qualities from \
             {QUALITY} on. Each program ran once, beside whatever else the machine did, so times are no comparison"
        ));
        section.before.push(self.own_index()?);
        for set in sets {
            let reads = 2.0 * part.pairs() as f64;
            let SimulatedPairs { simulator, files, alignments, variants } = set;
            let scorers = Scorers {
                wgsim_eval: wgsim_eval.clone(),
                rabema: rabema.clone().zip(alignments),
                caller: caller.clone().zip(variants),
                reads,
            };
            let pairs = files.join(" ");
            // Records do not depend on the device.
            let file = format!("sample-{simulator}-gpualign.sam");
            let line = format!("{} {pairs} {GENOME} -o {file}", self.options(self.device));
            let ours = self.ours(simulator, &line, reads)?.with_label("gpualign".to_owned());
            section.contestants.push(self.scored(ours, file, &scorers)?);
            let mut others = mappers(GENOME, &pairs, Some(PAIR_READ), self.threads);
            others.push(bowtie2(GENOME, &files, self.threads));
            for mapper in others {
                let Some(one) = self.mapper(&mut section, &mapper, GENOME, reads) else { continue };
                let file = format!("sample-{simulator}-{}.sam", mapper.peer.0);
                let one = one.with_name(simulator).with_label(mapper.peer.0.to_owned());
                section.contestants.push(self.scored(one.with_stdout(&file), file, &scorers)?);
            }
        }
        Ok(section)
    }

    /// A mapper whose output file is scored.
    fn scored(&self, mapper: Contestant, file: String, scorers: &Scorers) -> Result<Contestant> {
        let (gpualign, scorers) = (self.tools.own()?.path, scorers.clone());
        Ok(mapper.with_facts(Box::new(move |folder| {
            let Scorers { wgsim_eval, rabema, caller, reads } = &scorers;
            let mut known = facts::accuracy(&gpualign, folder, &file, facts::PAIRS)?;
            if let Some(scorer) = wgsim_eval {
                known.facts.extend(scorer.score(folder, &file, *reads)?);
            }
            if let Some((scorer, alignments)) = rabema {
                known.facts.extend(scorer.score(folder, &file, GENOME, alignments)?);
            }
            if let Some((caller, variants)) = caller {
                known.facts.extend(caller.score(folder, &file, GENOME, variants)?.facts());
            }
            Ok(known)
        })))
    }
}
