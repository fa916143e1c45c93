//! Topologies as text, and comparing the ends of two of them.

use std::fmt::Write;

use super::topology::Topology;

impl<G: Sync + ?Sized> Topology<'_, G> {
    /// The topology without parameters, a line for each module type, node, edge and sink: equal for topologies that
    /// look the same to an executor.
    pub(in crate::stream) fn outline(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        for module in &self.modules {
            let _ =
                write!(text, "module {} {:?} {}", module.name, module.mapping, module.input.size());
            for channel in &module.channels {
                let _ = write!(
                    text,
                    ", {} x {} of {}",
                    channel.name,
                    channel.gamma,
                    channel.item.size()
                );
            }
            text.push('\n');
        }
        for node in &self.nodes {
            let _ = writeln!(text, "node {} of {}", node.name, node.module);
        }
        for edge in &self.edges {
            let _ = writeln!(
                text,
                "edge {} {} {:?} {:?}",
                edge.from, edge.channel, edge.to, edge.depth
            );
        }
        for sink in &self.sinks {
            let _ = writeln!(text, "sink {} of {}", sink.name, sink.item);
        }
        text
    }

    /// The first difference between the sources and sinks of two topologies.
    pub(in crate::stream) fn difference_of_ends(&self, other: &Self) -> Option<String> {
        let source =
            |topology: &Self| topology.sources.iter().map(|(_, item)| *item).collect::<Vec<_>>();
        if source(self) != source(other) {
            return Some("their sources take different items".to_owned());
        }
        let sinks = |topology: &Self| -> Vec<String> {
            topology.sinks.iter().map(|sink| format!("{} of {}", sink.name, sink.item)).collect()
        };
        let (here, there) = (sinks(self), sinks(other));
        let differs = || format!("sinks [{}] and [{}]", here.join(", "), there.join(", "));
        (here != there).then(differs)
    }
}
