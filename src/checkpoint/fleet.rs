//! Ranks on nodes and GPUs: how many bytes each GPU of each node writes.
//!
//! Knows bytes by rank. Must not know what they are saved on.

use super::scenario::Load;

/// Bytes of GPUs that differ by less than this part of them are alike.
const ALIKE: f64 = 1e-6;

/// Bytes by GPU, a node's GPUs after another's.
pub(super) struct Fleet {
    gpus: u64,
    bytes: Vec<u64>,
}

impl Fleet {
    /// Puts ranks on so many nodes of so many GPUs in order, as even as they come, the first nodes taking what is left over;
    /// where there are more ranks than GPUs, neighbours share one.
    pub(super) fn of(ranks: &[u64], nodes: u64, gpus_a_node: u64) -> Fleet {
        let (nodes, gpus_a_node) = (nodes.max(1) as usize, gpus_a_node.max(1) as usize);
        let (each, more) = (ranks.len() / nodes, ranks.len() % nodes);
        let gpus = ranks.len().div_ceil(nodes).clamp(1, gpus_a_node);
        let mut bytes = Vec::with_capacity(nodes * gpus);
        let mut rest = ranks;
        for node in 0..nodes {
            let (own, others) = rest.split_at(each + usize::from(node < more));
            let mut of_gpu = vec![0u64; gpus];
            own.iter().enumerate().for_each(|(rank, more)| of_gpu[rank * gpus / own.len().max(gpus)] += more);
            bytes.extend(of_gpu);
            rest = others;
        }
        Fleet { gpus: gpus as u64, bytes }
    }

    /// What is moved: nodes behind the last one that writes have no part in it.
    pub(super) fn load(&self) -> Load {
        let idle = self.nodes().rev().take_while(|node| node.iter().all(|bytes| *bytes == 0)).count();
        let nodes = (self.nodes().len() - idle).max(1);
        let of_writers = &self.bytes[..self.bytes.len().min(nodes * self.gpus as usize)];
        let by_gpu = if are_alike(of_writers) { Vec::new() } else { of_writers.to_vec() };
        Load { bytes: self.bytes.iter().sum(), nodes: nodes as u64, gpus: self.gpus, by_gpu }
    }

    /// Bytes of the node that writes most.
    pub(super) fn fullest_node(&self) -> u64 {
        self.nodes().map(|node| node.iter().sum()).max().unwrap_or(0)
    }

    /// Nodes that write.
    pub(super) fn writing_nodes(&self) -> u64 {
        self.nodes().filter(|node| node.iter().any(|bytes| *bytes > 0)).count() as u64
    }

    fn nodes(&self) -> std::slice::Chunks<'_, u64> {
        self.bytes.chunks(self.gpus.max(1) as usize)
    }
}

fn are_alike(bytes: &[u64]) -> bool {
    let most = bytes.iter().copied().max().unwrap_or(0);
    let least = bytes.iter().copied().min().unwrap_or(0);
    (most - least) as f64 <= (most as f64 * ALIKE).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_hold_alike_are_shared_evenly() {
        let load = Fleet::of(&[10, 10, 9, 9], 2, 8).load();
        assert_eq!((load.bytes, load.nodes, load.gpus, load.by_gpu.len()), (38, 2, 2, 0));
    }

    #[test]
    fn nodes_behind_the_last_writer_have_no_part() {
        let fleet = Fleet::of(&[70, 30, 0, 0, 0, 0], 3, 8);
        assert_eq!(fleet.load(), Load { bytes: 100, nodes: 1, gpus: 2, by_gpu: vec![70, 30] });
        assert_eq!((fleet.fullest_node(), fleet.writing_nodes()), (100, 1));
    }

    #[test]
    fn ranks_that_do_not_divide_leave_some_nodes_with_one_more() {
        let fleet = Fleet::of(&[5; 7], 3, 2);
        assert_eq!((fleet.bytes.as_slice(), fleet.fullest_node()), ([10, 5, 5, 5, 5, 5].as_slice(), 15));
    }

    #[test]
    fn more_ranks_than_gpus_share_them() {
        assert_eq!(Fleet::of(&[1, 2, 3, 4, 5, 6], 1, 4).bytes, [3, 3, 9, 6]);
    }
}
