//! Every figure lies in its own range, and none is zero that must not be.
//!
//! Knows where figures stand. Must not know what they do.

use crate::error::{Fault, Sources};
use crate::spec::{Costs, Figure, Link, Node, Scenario, Target};
use crate::units::{Factor, Quantity};

/// Looks at figures under a dotted key.
struct Look<'a> {
    sources: &'a Sources,
}

/// Checks the figures of the hardware; those of works are checked with the works.
pub(super) fn all(scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    let look = Look { sources };
    look.node(&scenario.node)?;
    look.target("target", &scenario.target)?;
    if let Some(fabric) = &scenario.fabric {
        look.positive("fabric.rate", &fabric.rate)?;
        look.costs("fabric", &fabric.costs)?;
    }
    for (name, work) in &scenario.works {
        let target = work.value.target.as_ref();
        target.map_or(Ok(()), |target| look.target(&format!("works.{name}.target"), target))?;
    }
    Ok(())
}

/// Checks that a figure is above zero and within its range.
pub(super) fn positive<T: Quantity>(sources: &Sources, key: &str, figure: &Figure<T>) -> Result<(), Fault> {
    Look { sources }.positive(key, figure)
}

/// Checks that a figure lies within its range.
pub(super) fn in_range<T: Quantity>(sources: &Sources, key: &str, figure: &Figure<T>) -> Result<(), Fault> {
    Look { sources }.in_range(key, figure)
}

impl Look<'_> {
    fn node(&self, node: &Node) -> Result<(), Fault> {
        self.positive("node.gpus", &node.gpus)?;
        self.positive("node.nics", &node.nics)?;
        self.gpu(node)?;
        self.nic(node)?;
        self.cpu(node)?;
        self.dram(node)?;
        for (number, switch) in node.switches.iter().enumerate() {
            self.link(&format!("node.switches.{number}.uplink"), &switch.uplink)?;
        }
        self.stated("node.socket_link", &node.socket_link)?;
        let Some(limits) = &node.peer_to_peer else { return Ok(()) };
        self.stated("node.peer_to_peer.root_complex_to_gpu", &limits.root_complex_to_gpu)?;
        self.stated("node.peer_to_peer.root_complex_from_gpu", &limits.root_complex_from_gpu)?;
        self.stated("node.peer_to_peer.across_sockets", &limits.across_sockets)
    }

    fn gpu(&self, node: &Node) -> Result<(), Fault> {
        let gpu = &node.gpu;
        self.positive("node.gpu.hbm", &gpu.hbm)?;
        self.stated("node.gpu.memory", &gpu.memory)?;
        self.link("node.gpu.link", &gpu.link)?;
        self.positive("node.gpu.copies.rate_to_gpu", &gpu.copies.rate_to_gpu)?;
        self.positive("node.gpu.copies.rate_from_gpu", &gpu.copies.rate_from_gpu)?;
        self.in_range("node.gpu.copies.overhead_to_gpu", &gpu.copies.overhead_to_gpu)?;
        self.in_range("node.gpu.copies.overhead_from_gpu", &gpu.copies.overhead_from_gpu)?;
        self.costs("node.gpu", &gpu.costs)
    }

    fn nic(&self, node: &Node) -> Result<(), Fault> {
        self.positive("node.nic.line_rate", &node.nic.line_rate)?;
        self.stated("node.nic.rate", &node.nic.rate)?;
        self.link("node.nic.link", &node.nic.link)?;
        self.costs("node.nic", &node.nic.costs)
    }

    fn cpu(&self, node: &Node) -> Result<(), Fault> {
        self.positive("node.cpu.threads", &node.cpu.threads)?;
        self.positive("node.cpu.copy_rate", &node.cpu.copy_rate)?;
        self.costs("node.cpu", &node.cpu.costs)
    }

    fn dram(&self, node: &Node) -> Result<(), Fault> {
        self.positive("node.dram.rate", &node.dram.rate)?;
        self.stated("node.dram.memory", &node.dram.memory)?;
        self.in_range("node.dram.dma_write", &node.dram.dma_write)?;
        self.in_range("node.dram.dma_read", &node.dram.dma_read)?;
        self.in_range("node.dram.cpu_copy", &node.dram.cpu_copy)
    }

    fn target(&self, key: &str, target: &Target) -> Result<(), Fault> {
        self.positive(&format!("{key}.rate"), &target.rate)?;
        self.stated(&format!("{key}.read_rate"), &target.read_rate)?;
        self.stated(&format!("{key}.write_rate"), &target.write_rate)?;
        if let Some(efficiency) = &target.striping_efficiency {
            self.share(&format!("{key}.striping_efficiency"), efficiency)?;
        }
        self.costs(key, &target.costs)
    }

    fn link(&self, key: &str, link: &Link) -> Result<(), Fault> {
        self.positive(&format!("{key}.raw"), &link.raw)?;
        if let Some(encoding) = &link.encoding {
            self.share(&format!("{key}.encoding"), encoding)?;
        }
        self.stated(&format!("{key}.max_payload"), &link.max_payload)?;
        if let Some(overhead) = &link.packet_overhead {
            self.in_range(&format!("{key}.packet_overhead"), overhead)?;
        }
        self.stated(&format!("{key}.rate_down"), &link.rate_down)?;
        self.stated(&format!("{key}.rate_up"), &link.rate_up)
    }

    fn costs(&self, key: &str, costs: &Costs) -> Result<(), Fault> {
        costs.iter().try_for_each(|(name, figure)| self.in_range(&format!("{key}.costs.{name}"), figure))
    }

    fn stated<T: Quantity>(&self, key: &str, figure: &Option<Figure<T>>) -> Result<(), Fault> {
        figure.as_ref().map_or(Ok(()), |figure| self.positive(key, figure))
    }

    /// Both the value and the end that a slow run would stand at.
    fn positive<T: Quantity>(&self, key: &str, figure: &Figure<T>) -> Result<(), Fault> {
        let zero = figure.value.is_zero() || figure.low.is_some_and(|low| low.is_zero());
        if zero {
            let message = format!("{key} is zero");
            return Err(Fault::at(self.sources, &figure.span, message, "must be above zero")
                .help(format!("give it {}", T::EXPECTED)));
        }
        self.in_range(key, figure)
    }

    fn share(&self, key: &str, figure: &Figure<Factor>) -> Result<(), Fault> {
        self.positive(key, figure)?;
        let largest = figure.high.map_or(figure.value, |high| high.max(figure.value));
        if largest <= Factor::ONE {
            return Ok(());
        }
        let message = format!("{key} is {largest}, which is more than the whole");
        Err(Fault::at(self.sources, &figure.span, message, "must be above 0 and at most 1")
            .help("write a share such as 0.8 or \"80 %\""))
    }

    fn in_range<T: Quantity>(&self, key: &str, figure: &Figure<T>) -> Result<(), Fault> {
        let below = figure.low.filter(|low| *low > figure.value).map(|low| ("low", low, "above"));
        let above = figure.high.filter(|high| *high < figure.value).map(|high| ("high", high, "below"));
        let Some((end, bound, side)) = below.or(above) else { return Ok(()) };
        let message = format!("{key}: {end} is {bound}, which is {side} the value {}", figure.value);
        Err(Fault::at(self.sources, &figure.span, message, "its range leaves the value out")
            .help("a range holds its value: low <= value <= high"))
    }
}
