//! Where locations are in Paraver's two hierarchies: a process is a task and a location a thread of
//! the only application; a host is a node, and each of its locations has a processor there, because
//! a trace does not say on which one a thread was.

use pompeii_model::{IndexVec, LocationId, ProcessId};
use pompeii_replay::definitions::Definitions;

/// The places of all locations.
#[derive(Debug)]
pub struct Places {
    /// By location: processor, application, task and thread, as records have them.
    pub of: Vec<String>,
    /// By location the same without the processor, with dots.
    pub threads: Vec<String>,
    /// The nodes with the numbers of their locations.
    pub nodes: Vec<(String, usize)>,
    /// By process: its node, from 1, and its locations.
    tasks: IndexVec<ProcessId, (usize, usize)>,
}

impl Places {
    /// Of the locations of a trace.
    pub fn new(definitions: &Definitions) -> Places {
        let system = &definitions.system;
        let mut nodes: Vec<(String, usize)> = Vec::new();
        let mut tasks: IndexVec<ProcessId, (usize, usize)> = IndexVec::default();
        for process in system.processes.iter() {
            let known = nodes.iter().position(|(name, _)| *name == process.node);
            let node = known.unwrap_or_else(|| {
                nodes.push((process.node.clone(), 0));
                nodes.len() - 1
            });
            tasks.push((node + 1, 0));
        }
        // The place on the node and in the process, from 1.
        let mut found = Vec::new();
        for location in system.locations.iter() {
            let (node, threads) = &mut tasks[location.process];
            *threads += 1;
            nodes[*node - 1].1 += 1;
            found.push((*node, nodes[*node - 1].1, location.process.0 + 1, *threads));
        }
        let processor = |node: usize, number: usize| {
            nodes[..node - 1].iter().map(|(_, size)| size).sum::<usize>() + number
        };
        let of = found.iter().map(|&(node, number, task, thread)| {
            format!("{}:1:{task}:{thread}", processor(node, number))
        });
        let of = of.collect();
        let threads =
            found.iter().map(|(_, _, task, thread)| format!("1.{task}.{thread}")).collect();
        Places { of, threads, nodes, tasks }
    }

    /// The place of a location.
    pub fn at(&self, location: LocationId) -> &str {
        self.of.get(location.0 as usize).map_or("0:1:0:0", String::as_str)
    }

    /// The first line of the records. A trace does not say when it was recorded.
    pub fn header(&self, end_ns: u64) -> String {
        let sizes: Vec<String> = self.nodes.iter().map(|(_, size)| size.to_string()).collect();
        let tasks: Vec<String> =
            self.tasks.iter().map(|(node, threads)| format!("{threads}:{node}")).collect();
        format!(
            "#Paraver (01/01/1970 at 00:00):{end_ns}_ns:{}({}):1:{}({})\n",
            sizes.len(),
            sizes.join(","),
            tasks.len(),
            tasks.join(",")
        )
    }
}
